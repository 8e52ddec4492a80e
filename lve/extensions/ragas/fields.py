"""Checks and reads the fields of a prompt object, as the releases of ragas 0.1 render them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lve.data_classes import dataclass
from lve.documents.position_types import MAX_NESTING
from lve.errors import PromptObjectError
from lve.suggest import closest

FIRST, LAST = "0.1.0", "0.1.22"
_RELEASE = re.compile(r"0\.1\.(\d|1\d|2[0-2])")


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How a release renders a prompt object."""

    asks_for_json: bool = False
    """Whether the instruction ends with a request for JSON."""
    headings: bool = False
    """Whether examples and task have headings, JSON examples are fenced, and
    `output_format_instruction` follows the instruction."""
    quotes: bool = False
    """Whether `format` inserts texts as JSON strings."""


_STYLES = (
    (14, TextStyle(headings=True, quotes=True)),
    (6, TextStyle(headings=True)),
    (1, TextStyle(asks_for_json=True)),
    (0, TextStyle()),
)
"""Patch number of the first release with a style, and the style; the latest first."""


def style_of(version: object) -> TextStyle | None:
    """Return the style of a release such as `0.1.7`; None if it isn't a release of ragas 0.1."""
    release = _RELEASE.fullmatch(version) if isinstance(version, str) else None
    if release is None:
        return None
    return next(style for since, style in _STYLES if int(release[1]) >= since)


FIELDS = (
    "name",
    "instruction",
    "examples",
    "input_keys",
    "output_key",
    "output_type",
    "language",
)
"""In the order of a file saved by ragas 0.1.0."""
LATER_FIELDS = ("output_format_instruction", "version")
"""The first is in files since ragas 0.1.6; the second is lve's own."""


DEFAULTS: Mapping[str, Any] = {
    "examples": (),
    "output_type": "json",
    "language": "english",
    "output_format_instruction": "",
    "version": FIRST,
}


def read_fields(raw_fields: Mapping[str, object]) -> dict[str, object]:
    """Check the fields of a prompt and return them with defaults filled in.

    Unknown keys are ignored, as in ragas, unless they look like a misspelt field.

    Raises:
        PromptObjectError: fields are invalid; has all problems.
    """
    values = {**DEFAULTS, **raw_fields}
    problems = [*_misspelt(raw_fields), *_field_problems(values)]
    if not problems:
        problems = list(_example_problems(values))
    if problems:
        raise PromptObjectError(problems, name=raw_fields.get("name"))
    return _as_loaded(
        {
            **{
                name: _text(values[name])
                for name in (*FIELDS, *LATER_FIELDS)
                if name not in ("examples", "input_keys")
            },
            "examples": [dict(example) for example in values["examples"]],
            "input_keys": [_text(key) for key in values["input_keys"]],
        }
    )


def from_file(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a saved file with their `version`. A file with
    `output_format_instruction` is from ragas 0.1.6 or later."""
    if "version" in fields or "output_format_instruction" not in fields:
        return dict(fields)
    return {**fields, "version": LAST}


def for_file(fields: Mapping[str, object]) -> dict[str, object]:
    """Return fields for a file: without a `version` that `from_file` can tell."""
    alone = {name: value for name, value in fields.items() if name != "version"}
    version = fields.get("version", FIRST)
    return (
        alone
        if from_file(alone).get("version", FIRST) == version
        else {**alone, "version": version}
    )


def unused_fields(raw_fields: Mapping[str, object]) -> list[str]:
    """Return the keys that have no effect on a prompt with these fields."""
    style = style_of(raw_fields.get("version", FIRST))
    unused = [key for key in raw_fields if key not in (*FIELDS, *LATER_FIELDS)]
    if raw_fields.get("output_format_instruction") and not (style and style.headings):
        unused.append("output_format_instruction")
    return unused


def _misspelt(raw_fields: Mapping[str, object]) -> Iterator[str]:
    fields = (*FIELDS, *LATER_FIELDS)
    for unknown in raw_fields.keys() - set(fields):
        field = closest(unknown, fields, cutoff=0.8)
        if field and field not in raw_fields:
            yield f"{unknown}: no such field (did you mean `{field}`?)"


def _field_problems(values: Mapping[str, Any]) -> Iterator[str]:
    for name in ("name", "instruction", "output_key", "output_type", "language"):
        yield from _text_problems(name, values)
    yield from _version_problems(values)
    yield from _input_keys_problems(values)
    examples = values["examples"]
    if not _is_list(examples) or not all(isinstance(example, Mapping) for example in examples):
        yield "examples: must be a list of objects, one per demonstration"


def _text_problems(name: str, values: Mapping[str, object]) -> Iterator[str]:
    value = values.get(name)
    can_be_empty = name in ("name", "output_type", "language")
    if value is None or (value == "" and not can_be_empty):
        yield f"{name}: field required" if can_be_empty else f"{name} cannot be empty"
    elif not isinstance(value, str | int | float):
        yield f"{name}: must be a text, not {type(value).__name__}"
        if not can_be_empty:
            yield f"{name} cannot be empty"


def _version_problems(values: Mapping[str, object]) -> Iterator[str]:
    style = style_of(values["version"])
    if style is None:
        yield f"version: must be a release of ragas 0.1, from {FIRST} to {LAST}"
    elif style.headings and values.get("output_type") not in ("json", "str"):
        yield f"output_type: ragas {values['version']} knows `json` and `str` only, in lower case"
    if not isinstance(values["output_format_instruction"], str):
        yield "output_format_instruction: must be a text"


def _input_keys_problems(values: Mapping[str, Any]) -> Iterator[str]:
    keys = values.get("input_keys")
    if keys is not None and not _is_list(keys):
        yield "input_keys: must be a list of names"
    elif keys and not all(isinstance(key, str | int | float) for key in keys):
        yield "input_keys: every key must be a text"
    else:
        if keys:
            return
    yield "input_keys cannot be empty"


def _example_problems(values: Mapping[str, Any]) -> Iterator[str]:
    output_key = values["output_key"]
    for number, example in enumerate(values["examples"], 1):
        for key in (*values["input_keys"], output_key):
            if key not in example:
                yield f"example {number} does not have the variable {key} in the definition"
        yield from _value_problems(number, example)
        if output_key in example:
            yield from _output_problems(number, values)


def _value_problems(number: int, example: Mapping[object, object]) -> Iterator[str]:
    for key, value in example.items():
        if not isinstance(key, str):
            yield f"example {number}: the key {key!r} must be a text"
            continue
        if _is_deeper(value, MAX_NESTING):
            yield f"example {number}: {key} is nested more than {MAX_NESTING} levels deep"
            continue
        try:
            json.dumps(value)
        except (TypeError, ValueError, RecursionError) as error:
            yield f"example {number}: {key} can't be written as JSON ({error})"


def _output_problems(number: int, values: Mapping[str, Any]) -> Iterator[str]:
    key = values["output_key"]
    output = values["examples"][number - 1][key]
    kind = str(values["output_type"]).lower()
    if kind == "json" and isinstance(output, str):
        try:
            json.loads(output)
        except (ValueError, RecursionError) as error:
            yield f"{key} in example {number} is not in valid json format: {error}"
    if kind == "str" and not isinstance(output, str):
        yield f"{key} in example {number} must be a text, as output_type is str (found {output!r})"


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _text(value: object) -> str:
    # ragas (pydantic 1) accepts numbers as texts, so files with an unquoted name must load.
    return value if isinstance(value, str) else str(value)


def _as_loaded(fields: dict[str, object]) -> dict[str, object]:
    """Return the fields as after saving and loading: tuples become lists, keys become texts."""
    copied: dict[str, object] = json.loads(json.dumps(fields))
    return copied


def _is_deeper(value: object, levels: int) -> bool:
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return False
    return levels == 0 or any(_is_deeper(inner, levels - 1) for inner in value)
