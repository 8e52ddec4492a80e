"""What is imported late stands behind few doors, and is seen to be so.

An import in a function makes a start faster, and hides what a module needs. So a module that few
starts need imports its own needs at its top, and is itself imported late, in one place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

LVE = Path(__file__).parents[1] / "lve"
DEFERRED = 107
"""Most imports of lve's own modules inside functions; may only fall."""
FOR_TYPES = 84
"""Most blocks `if TYPE_CHECKING:`; may only fall. Each is there because the import would be a
circle, or would cost starts that don't need it."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_own(node: ast.AST, package: str) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").partition(".")[0] == package
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == package for alias in node.names)
    return False


def deferred_imports(
    tree: ast.AST, package: str = "lve", *, in_function: bool = False
) -> Iterator[int]:
    """Yield the lines of the imports of a package's own modules that run when a function is
    called."""
    for node in ast.iter_child_nodes(tree):
        if in_function and is_own(node, package):
            yield node.lineno  # type: ignore[attr-defined]  # a statement has one
        inside = in_function or isinstance(node, FUNCTIONS)
        yield from deferred_imports(node, package, in_function=inside)


def blocks_for_types(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of the blocks that only type checkers read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield node.lineno


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.AST]:
    """Return module -> its syntax tree."""
    return {
        path.relative_to(LVE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in LVE.rglob("*.py")
    }


def test_what_is_counted() -> None:
    source = (
        "import lve\n"
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from lve import a\n"
        "class C:\n    import lve.b\n"
        "    async def f(self):\n"
        "        import json, lve.c\n"
        "        if self:\n            from . import d\n"
        "        def g():\n            from lve.e import f\n"
        "        import lvex\n"
    )
    tree = ast.parse(source)
    assert list(deferred_imports(tree)) == [8, 10, 12]
    assert list(blocks_for_types(tree)) == [3]


def test_imports_in_functions_get_fewer(trees: dict[str, ast.AST]) -> None:
    places = [f"lve/{name}:{line}" for name in trees for line in deferred_imports(trees[name])]
    assert len(places) <= DEFERRED, "put what belongs together into one module, imported late once"
    assert len(places) > DEFERRED - 10, "fewer: lower DEFERRED"


def test_blocks_for_types_get_fewer(trees: dict[str, ast.AST]) -> None:
    places = [f"lve/{name}:{line}" for name in trees for line in blocks_for_types(trees[name])]
    assert len(places) <= FOR_TYPES, "is there a circle? could the import stand at the top?"
    assert len(places) > FOR_TYPES - 10, "fewer: lower FOR_TYPES"
