"""Prompt objects with one field each that is another, or isn't there."""

from __future__ import annotations

from typing import Any

from support.recorded_calls import Calls, changed, grid, record

from lve.extensions.ragas import fields, translate

PROMPT: dict[str, Any] = {
    "name": "n", "instruction": "i", "examples": [{"q": "Q", "a": {"k": 1}}], "input_keys": ["q"],
    "output_key": "a", "output_type": "json", "language": "english",
    "output_format_instruction": "", "version": fields.FIRST,
}  # fmt: skip
VALUES: tuple[Any, ...] = (
    None,
    "",
    0,
    7,
    1.5,
    True,
    "x",
    [],
    ["q"],
    [7],
    [[]],
    {},
    [{}],
    "JSON",
    "str",
)
RELEASES = (
    "0.1.0",
    "0.1.1",
    "0.1.5",
    "0.1.6",
    "0.1.7",
    "0.1.21",
    "0.1.22",
    "0.1.99",
    "0.2.0",
    "0.1",
)
EXAMPLES: tuple[Any, ...] = (
    *([{"q": "Q", "a": value}] for value in ("1", "{", 7, None, ["x"], '{"k": 1}', float("nan"))),
    [{"q": "Q"}], [{"a": 1}], [{"q": "Q", "a": 1, 7: 8}], [{"q": {1}, "a": 1}], [7],
    ({"q": 1, "a": 2},),
    [{"q": "Q", "a": 1}, {"q": "R", "a": "{"}],
)  # fmt: skip


def read(name: str, value: object) -> object:
    return fields.read_fields({**PROMPT, name: value})


def read_without(name: str) -> object:
    return fields.read_fields({key: value for key, value in PROMPT.items() if key != name})


def of_examples(examples: object, output_type: str) -> object:
    return fields.read_fields({**PROMPT, "examples": examples, "output_type": output_type})


def nested(levels: int) -> object:
    value: object = "x"
    for level in range(levels):
        value = [value] if level % 2 else {"k": value}
    read_fields = fields.read_fields({**PROMPT, "examples": [{"q": value, "a": 1}]})
    return len(str(read_fields)) > levels


def all_calls() -> Calls:
    most = fields.MAX_NESTING
    saved = [
        {**part, **more}
        for part in ({}, {"version": fields.FIRST}, {"version": fields.LAST})
        for more in ({}, {"output_format_instruction": ""}, {"output_format_instruction": "o"})
    ]
    return {
        **grid(read, PROMPT, VALUES),
        **grid(read, ("version",), RELEASES),
        **grid(read, ("langauge", "outputkey", "other"), ("x",)),
        **grid(read_without, PROMPT),
        **grid(of_examples, EXAMPLES, ("json", "str", "JSON", "Str", "other")),
        **grid(nested, (0, 1, most - 1, most, most + 1)),
        **grid(fields.from_file, saved),
        **grid(fields.for_file, saved),
        **grid(fields.unused_fields, ({**each, "x": 1} for each in saved)),
        **grid(fields.style_of, (*RELEASES, None, 7)),
        **grid(translate._has_words, ("a", "1", "", 7, None, ["1"], ["a"], {"a": "1"}, {"1": "b"})),
        **grid(difference, DOCUMENTS, DOCUMENTS),
    }


DOCUMENTS: tuple[Any, ...] = (
    {"a": "x", "b": [1, "y"]}, {"a": "z", "b": [1, "w"]}, {"a": "x"}, {"a": "x", "b": [1]},
    {"a": "x", "b": [2, "y"]}, {"a": 1, "b": [1, "y"]}, ["x"], ["x", "y"], "x", 1, True, None,
)  # fmt: skip


def difference(original: Any, translated: Any) -> str | None:
    return translate._difference(original, translated)


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("ragas", all_calls()) == {}


if __name__ == "__main__":
    record("ragas", all_calls())
