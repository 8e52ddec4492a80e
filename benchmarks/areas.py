"""Counts lve: modules and lines of code of each room, and what makes code hard to hold in mind.

    python benchmarks/areas.py

Prints two Markdown tables. A line of code is one that isn't blank and holds more than comments and
docstrings.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from runpy import run_path
from statistics import median

TESTS = Path(__file__).parents[1] / "tests"
LVE = TESTS.parent / "lve"
code_lines: Callable[[str], int] = run_path(str(TESTS / "test_size.py"))["code_lines"]
_IMPORTS = run_path(str(TESTS / "test_deferred_imports.py"))
deferred_imports: Callable[[ast.AST], Iterator[int]] = _IMPORTS["deferred_imports"]
blocks_for_types: Callable[[ast.AST], Iterator[int]] = _IMPORTS["blocks_for_types"]
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def room_of(name: str) -> str:
    """Return the room of a module: a folder of `lve/`, or one of `lve/extensions/`."""
    first, *rest = name.split("/")
    if first == "extensions" and len(rest) > 1:
        return f"extensions/{rest[0]}"
    return first if rest else "(top)"


def attributes(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the fields of each class, and how many attributes its `__init__` sets, added up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            names = {
                field.target.id
                for field in node.body
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            }
            for method in node.body:
                if isinstance(method, FUNCTIONS) and method.name == "__init__":
                    names |= {
                        part.attr
                        for part in ast.walk(method)
                        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
                    }
            yield node.name, len(names)


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many parameters a function has, without `self`."""
    args = function.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return sum(arg.arg not in ("self", "cls") for arg in every)


def main() -> None:
    """Print the tables."""
    sources = {
        path.relative_to(LVE).as_posix(): path.read_text("utf-8") for path in LVE.rglob("*.py")
    }
    trees = {name: ast.parse(source) for name, source in sources.items()}
    modules, lines = Counter(map(room_of, sources)), Counter[str]()
    for name, source in sources.items():
        lines[room_of(name)] += code_lines(source)
    print("| room | modules | lines of code |\n|---|---|---|")
    for is_extension in (False, True):
        rooms = [room for room in modules if room.startswith("extensions") == is_extension]
        for room in sorted(rooms, key=lambda room: -lines[room]):
            print(f"| {room} | {modules[room]} | {lines[room]:,} |")
        own = sum(modules[room] for room in rooms), sum(lines[room] for room in rooms)
        print(f"| **{'all extensions' if is_extension else 'core'}** | {own[0]} | {own[1]:,} |")
    functions = [n for tree in trees.values() for n in ast.walk(tree) if isinstance(n, FUNCTIONS)]
    sizes = sorted(len(source.splitlines()) for source in sources.values())
    lengths = [(n.end_lineno or n.lineno) - n.lineno + 1 for n in functions]
    counts, fields = [*map(parameters, functions)], [*map(attributes, trees.values())]
    held = [count for each in fields for _, count in each]
    importers = Counter[str]()
    for tree in trees.values():
        modules_of = {
            n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module
        }
        importers.update(module for module in modules_of if module.startswith("lve."))
    names = (n for tree in trees.values() for n in ast.walk(tree) if isinstance(n, ast.Name))
    anys = sum(name.id == "Any" for name in names)
    deferred = sum(1 for tree in trees.values() for _ in deferred_imports(tree))
    for_types = sum(1 for tree in trees.values() for _ in blocks_for_types(tree))
    total = sum(map(len, map(str.splitlines, sources.values())))
    rows = {
        "modules, lines": f"{len(sources):,}, {total:,}",
        "lines of a module: median, most": f"{median(sizes):.0f}, {sizes[-1]}",
        "lines of a function: median, most": f"{median(lengths):.0f}, {max(lengths)}",
        "parameters of a function: mean, most": f"{sum(counts) / len(counts):.1f}, {max(counts)}",
        "attributes of a class: median, most": f"{median(held):.0f}, {max(held)}",
        "`Any` in 1,000 lines": f"{1000 * anys / total:.1f}",
        "`TYPE_CHECKING`": f"{for_types}",
        "deferred imports of own modules": f"{deferred}",
        "most importers of a module": "{1}, {0}".format(*importers.most_common(1)[0]),
        "folders below `lve/`, at most": f"{max(name.count('/') for name in sources)}",
    }
    print("\n| | |\n|---|---|")
    for what, value in rows.items():
        print(f"| {what} | {value} |")


if __name__ == "__main__":
    main()
