"""Finds the columns of the data that the templates of a test contain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lve.extensions.opencompass.template import PromptTemplate, Template
from lve.spec.spec import Spec

FIELD = re.compile(r"\{([^{}]*)\}")


def shown_columns(
    spec: Spec, templates: Sequence[Template | None], columns: Sequence[str]
) -> dict[str, str]:
    """Return column -> placeholder (`{column}`, or a token of `column_token_map`) for the columns
    that the templates contain.

    Args:
        spec: the test.
        templates: of its prompt and its examples.
        columns: of its rows.
    """
    texts = [text for part in ("prompt_template", "ice_template")
             for text in texts_in((spec.infer_cfg or {}).get(part) or "")]  # fmt: skip
    tokens: dict[str, str] = {}
    columns_in_texts = {name for text in texts for name in FIELD.findall(text)}
    for template in templates:
        if isinstance(template, PromptTemplate):
            columns_in_texts.update(template.column_token_map or {})
            if isinstance(template.template, str):
                tokens.update(template.column_token_map or {})
    fields = {
        column: tokens.get(column, f"{{{column}}}") for column in (*columns, "subdivision", "idx")
    }
    return {column: field for column, field in fields.items() if column in columns_in_texts}


def texts_in(value: object) -> Iterator[str]:
    """Yield all texts of a template."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)
