"""Each error about an argument names one that its check has: editors and reports look for it."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import lve

ROOT = Path(lve.__file__).parent
BESIDE = {"extract", "weight"}
"""Keys that stand beside the arguments of any check."""


def named_in(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """Yield class, argument and line of each error of a check that names its argument with a
    literal."""
    for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for node in ast.walk(kind):
            match node:
                case ast.Call(ast.Name("ArgumentError"), [ast.Constant(str(argument)), *_]):
                    yield kind.name, argument, node.lineno


def arguments_of(kind: type) -> set[str]:
    """Return the names that a class, its bases and its subclasses declare."""
    family = (*kind.__mro__, *kind.__subclasses__())
    return {name for each in family for name in vars(each).get("__annotations__", ())} | BESIDE


def test_each_error_names_an_argument_of_its_check() -> None:
    seen, unknown = set[str](), []
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text("utf-8")
        found = [*named_in(ast.parse(text))] if "ArgumentError(" in text else []
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        module = importlib.import_module(".".join(parts)) if found else None
        for kind, argument, line in found:
            seen.add(argument)
            if argument not in arguments_of(getattr(module, kind)):
                unknown.append(f"{path.relative_to(ROOT.parent)}:{line}: {argument}")
    assert len(seen) > 40
    assert unknown == []
