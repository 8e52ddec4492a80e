"""What each kind of option accepts, and the words for what it doesn't, from a command line and from
Python (cases/recorded_calls/options.json)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from support.recorded_calls import Calls, changed, grid, record, texts

from lve.options import values
from lve.options.match_expression import parse_expression
from lve.options.row_numbers import parse_rows
from lve.options.shard_number import parse_shard
from lve.options.typed_args import typed_model_args
from lve.options.values import Values

KINDS: dict[str, Values] = {
    name: value for name, value in vars(values).items() if isinstance(value, Values)
}
TEXTS_OF = texts("options")
TYPED = TEXTS_OF["typed"]
LISTS = ([], ["a=b"], ["a=b", "a=c"], ["=b", "a", "a=", "t=1.5"], ["a=x=y", "seed=null"])
GIVEN = (
    None,
    True,
    0,
    1,
    -1,
    1.5,
    10**12,
    10**12 + 1,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "a",
    "any",
    b"a",
    [],
    ["a"],
    ("a", 1),
    {},
    {"a": "b"},
    {"a": ""},
    {1: "a"},
    {"a": 1},
    Path("a"),
)
EXPRESSIONS = TEXTS_OF["expressions"]
NAMES = ("a", "abc", "b", "c", "ab c", "x y", "a@b/c.d-e")
ROWS = ("1", "1-3", "3-", "-3", "2,4-5", "0", "5-3", "1,,2", "a", "1-2-3", " 1 , 2 ", "1" * 30, "")
SHARDS = ("1/1", "2/3", "0/3", "4/3", "a/b", "1", "1/0", "1/2/3", " 1/2 ", "1/100000", "-1/2", "")


def typed(kind: str, text: object) -> object:
    return KINDS[kind].typed(text, Path("/folder"))


def from_python(kind: str, value: object) -> object:
    converted = KINDS[kind].from_python(value)
    return converted, KINDS[kind].refusal(converted)


def holds(text: str) -> list[str]:
    """Return the names for which an expression is true."""
    expression = parse_expression(text)
    return [name for name in NAMES if expression(name.__contains__)]


def rows(text: str) -> list[int]:
    """Return which of the first rows are chosen."""
    chosen = parse_rows(text)
    return [row for row in range(8) if row in chosen]


def model_args(texts: Mapping[str, str]) -> object:
    return typed_model_args(texts)


def all_calls() -> Calls:
    simple = [name for name, kind in KINDS.items() if kind.shape not in ("texts", "mapping")]
    return {
        **grid(typed, simple, TYPED),
        **grid(typed, [name for name in KINDS if name not in simple], LISTS),
        **grid(from_python, KINDS, GIVEN),
        **grid(holds, EXPRESSIONS),
        **grid(rows, ROWS),
        **grid(parse_shard, SHARDS),
        **grid(
            model_args,
            [
                {"temperature": text, "seed": "1", "x": text}
                for text in ("1", "1.5", "a", "null", "[1]", "true", "")
            ],
        ),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("options", all_calls()) == {}


if __name__ == "__main__":
    record("options", all_calls())
