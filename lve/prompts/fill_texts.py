"""The fast path of `lve.prompts.fill`, for values that are all texts, and what fills nothing.

Nearly every prompt is filled this way, once per instance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

FillTexts = Callable[[Mapping[str, Any]], str | None]
"""Parameters -> the filled text; None if a value is missing or isn't a text, or if the text would
be too long."""
_TEXT = frozenset({str})


def as_literal(text: str) -> str:
    """Return a text with doubled braces, which stand for themselves in a prompt."""
    return text.replace("{", "{{").replace("}", "}}")


def text_filler(literals: Sequence[str | None], names: Sequence[str], most: int) -> FillTexts:
    """Return a function that fills a text from parameters.

    Args:
        literals: the parts of the text in order, None where a value goes.
        names: the parameters whose values go there, in order.
        most: characters that the filled text may have.
    """
    if not names:
        return lambda _: None
    get = itemgetter(*names)
    values_of = get if len(names) > 1 else lambda parameters: (get(parameters),)
    # Only the literals are parsed as a format: values are inserted as they are.
    form = "".join("%s" if part is None else part.replace("%", "%%") for part in literals)
    budget = most - sum(len(part) for part in literals if part is not None)

    def fill_texts(parameters: Mapping[str, object]) -> str | None:
        try:
            values = values_of(parameters)
        except KeyError:
            return None
        if _TEXT.issuperset(map(type, values)) and sum(map(len, values)) <= budget:
            return form % values
        return None

    return fill_texts
