"""The house may not grow unnoticed: lines of code of the core, and of everything.

A line of code is one that isn't blank and holds more than comments and docstrings. New features are
extensions (docs/architecture.md); what every user needs may make the core a little larger. Whoever
makes it smaller lowers the number here.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

LVE = Path(__file__).parents[1] / "lve"
CORE = 49_233
"""Lines of code outside of `lve/extensions/`."""
ALL = 101_015
"""Lines of code in all of `lve/`. Extensions may grow by what their features need."""


def code_lines(source: str) -> int:
    """Return the number of lines that have code."""
    texts = source.splitlines()
    lines = {n for n, text in enumerate(texts, 1) if text.strip() and text.lstrip()[0] != "#"}
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Expr | ast.Constant | ast.JoinedStr):
            continue
        span = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if isinstance(node, ast.Expr):
            is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
            docstrings.update(span if is_text else ())
        elif len(span) > 1:  # a text of several lines, which may be blank or begin with #
            lines.update(span)
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
    assert code_lines('x = """\n# a\n\n"""\ny = f"""\n# {x}\n"""\n') == 7


def test_the_core_stays_small_enough_to_hold_in_mind(sizes: dict[str, int]) -> None:
    core = sum(size for name, size in sizes.items() if not name.startswith("extensions/"))
    assert CORE - 1_000 < core <= CORE, "larger: is it an extension? much smaller: lower CORE"


def test_everything_together_does_not_grow_either(sizes: dict[str, int]) -> None:
    everything = sum(sizes.values())
    assert ALL - 4_000 < everything <= ALL, "larger: what can go instead? smaller: lower ALL"
