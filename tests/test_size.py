"""The house may not grow unnoticed: lines of code of the core, and of everything.

A line of code is one that isn't blank and holds more than comments and docstrings. New features are
extensions (docs/architecture.md); what every user needs may make the core a little larger. Whoever
makes it smaller lowers the number here.
"""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest

LVE = Path(__file__).parents[1] / "lve"
CORE = 49_000
"""Lines of code outside of `lve/extensions/`."""
ALL = 95_090
"""Lines of code in all of `lve/`. Extensions may grow by what their features need."""
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """Return the number of lines that have code."""
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    """Return module -> lines of code."""
    return {
        path.relative_to(LVE).as_posix(): code_lines(path.read_text(encoding="utf-8"))
        for path in LVE.rglob("*.py")
    }


def test_what_is_counted() -> None:
    source = '"""Doc."""\n\nx = 1  # why\n# no code\ny = (\n    2,\n)\ndef f():\n    """Doc."""\n'
    assert code_lines(source) == 5


def test_the_core_stays_small_enough_to_hold_in_mind(sizes: dict[str, int]) -> None:
    core = sum(size for name, size in sizes.items() if not name.startswith("extensions/"))
    assert CORE - 1_000 < core <= CORE, "larger: is it an extension? much smaller: lower CORE"


def test_everything_together_does_not_grow_either(sizes: dict[str, int]) -> None:
    everything = sum(sizes.values())
    assert ALL - 4_000 < everything <= ALL, "larger: what can go instead? smaller: lower ALL"
