"""What expressions give, why, and what it costs (tests/cases/expressions/results.json).

The value, the reason that a user reads, and the units of the budget that were used, for each
function, method and operator with what it may be given. `make records` writes the file anew: each
change of it is meant, and seen in the diff.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from checkers.expression.test_functions import CALLS, OTHERS

from lve.checkers.expression.function import Function
from lve.checkers.expression.methods import METHODS
from lve.checkers.judging_limits import ACTIVE
from lve.errors import LveError

FILE = Path(__file__).parents[2] / "cases" / "expressions" / "results.json"
RESPONSE = "Ana has 3 cats, ana has 40 dogs.\n" * 40
VALUES: dict[str, Any] = {
    "n": 5, "big": 10**30, "f": 2.5, "s": "abc", "none": None, "yes": True,
    "words": ["b", "a", "c"] * 100, "pairs": {"a": 1, "b": [2]}, "deep": [[["x"]], {"k": (1, 2)}],
}  # fmt: skip
OPERATORS = (
    *("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"),
    *("==", "!=", "<", "<=", ">", ">=", "in", "and", "or", "is"),
)
OPERANDS = ("n", "f", "s", "r", "words", "pairs", "{1, 2}", "none", "yes", "big", "(1, 2)")
ARGUMENTS = (
    "",
    "'a'",
    "'a', 'b'",
    "3",
    "3, '*'",
    "'a', 2",
    "['a', 'b']",
    "{1}",
    "None",
    "'a', 1, 9",
)
OWNERS = {str: "r", list: "words", tuple: "(1, 2, 1)", dict: "pairs", set: "{1, 2}",
          frozenset: "frozenset([1, 2])", int: "big", float: "f"}  # fmt: skip
OF_SETS = ("", "3", "[1, 5]", "{1}", "None", "[2], [3]")
"""Sets of texts are shown in another order each time."""
MORE: list[str] = json.loads(FILE.with_name("bodies.json").read_text(encoding="utf-8"))


def bodies() -> Iterator[str]:
    """Yield expressions: each operator, function and method with what it may be given."""
    yield from (body for body in (*CALLS.values(), *OTHERS, *MORE) if body != "set('aab')")
    for sign in OPERATORS:
        for left in OPERANDS:
            for right in OPERANDS:
                yield f"{left} {sign} {right}"
    for kind, owner in OWNERS.items():
        arguments = OF_SETS if kind in (set, frozenset) else ARGUMENTS
        for name in METHODS[kind]:
            yield from (f"{owner}.{name}({words})" for words in arguments)


def outcome(body: str) -> list[Any]:
    """Return whether the expression is true, why, and what it cost; or the error."""
    source = f"lambda r, n, big, f, s, none, yes, words, pairs, deep: {body}"
    try:
        function = Function(source)
        frame = function._frame(RESPONSE, VALUES)
        passed, reason = function.evaluate(RESPONSE, VALUES)
        function._body(frame)
    except LveError as error:
        text, python, _ = str(error).partition("Error: ")  # the rest is in Python's words
        return [type(error).__name__, text + python, *filter(None, [getattr(error, "hint", None)])]
    cost = ACTIVE.limits.units - frame[0].left
    return [passed, reason, cost]


def test_values_reasons_and_costs() -> None:
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    now = {body: outcome(body) for body in recorded}
    assert [(body, recorded[body], now[body]) for body in now if now[body] != recorded[body]] == []


def main() -> None:
    """Write what expressions give now, one a line."""
    rows = (f" {json.dumps(body)}: {json.dumps(outcome(body))}" for body in dict.fromkeys(bodies()))
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
