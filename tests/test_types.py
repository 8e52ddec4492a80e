"""Types say what a value is: few are `Any`, which switches the type checker off.

What comes from JSON is a `JsonValue`, what is only handed on or looked at is an `object`, and what
is used of another package's objects is written down as a protocol.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LVE = Path(__file__).parents[1] / "lve"
MOST_IN_A_THOUSAND = 8
"""How many of a thousand lines may say `Any`. It may only fall."""


def uses_of_any(source: str) -> Iterator[int]:
    """Yield the line of each use of `Any`, also `typing.Any` and in a text; imports are none."""
    for node in ast.walk(ast.parse(source)):
        is_name = isinstance(node, ast.Name) and node.id == "Any"
        is_attribute = (
            isinstance(node, ast.Attribute)
            and node.attr == "Any"
            and isinstance(node.value, ast.Name)
        )
        if isinstance(node, ast.expr) and (is_name or is_attribute):
            yield node.lineno
    for line, text in enumerate(source.splitlines(), 1):
        if 'cast("Any"' in text or "import Any as" in text:
            yield line


def test_each_use_is_seen() -> None:
    source = (
        "from typing import Any\nimport typing\n"
        "def f(x: Any, *y: typing.Any) -> dict[str, Any]:\n    z: list[Any] = []\n"
        '    return cast("Any", z)  # Any\n'
    )
    assert sorted(uses_of_any(source)) == [3, 3, 3, 4, 5]
    assert list(uses_of_any("from typing import Any as A\n")) == [1]


def test_types_say_what_a_value_is() -> None:
    lines, uses = 0, Counter[str]()
    for path in sorted(LVE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        lines += len(source.splitlines())
        uses[path.relative_to(LVE).as_posix()] = len(list(uses_of_any(source)))
    share = 1000 * uses.total() / lines
    assert share <= MOST_IN_A_THOUSAND, (f"{share:.1f} in a thousand", uses.most_common(30))
    assert share > MOST_IN_A_THOUSAND - 1, "far fewer: lower MOST_IN_A_THOUSAND"
