"""Counts lve: modules and lines of code of each room, and what makes code hard to hold in mind.

    python benchmarks/areas.py

Prints two Markdown tables: the rooms, and lve beside packages that are known to be easy to read, as
far as they are installed. A line of code is one that isn't blank and holds more than comments and
docstrings.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from statistics import median

TESTS = Path(__file__).parents[1] / "tests"
LVE = TESTS.parent / "lve"
code_lines: Callable[[str], int] = run_path(str(TESTS / "test_size.py"))["code_lines"]
_IMPORTS = run_path(str(TESTS / "test_deferred_imports.py"))
deferred_imports: Callable[[ast.AST, str], Iterator[int]] = _IMPORTS["deferred_imports"]
blocks_for_types: Callable[[ast.AST], Iterator[int]] = _IMPORTS["blocks_for_types"]
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
ANCHORS = ("_pytest", "click", "httpx", "attr")
"""Packages to compare with. (pytest's code is in `_pytest`, that of attrs in `attr`.)"""


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


def imported(tree: ast.Module, home: list[str]) -> set[str]:
    """Return the modules and packages that a module imports from, with their whole names.

    Args:
        tree: the module.
        home: the packages around it.
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = home[: len(home) - node.level + 1] if node.level else []
            place = ".".join([*above, *filter(None, [node.module])])
            found.add(place)
            if node.level and not node.module:  # `from . import one`
                found.update(f"{place}.{alias.name}" for alias in node.names)
    return found


def figures(folder: Path) -> dict[str, str]:
    """Return what makes the code of a package hard to hold in mind: what is counted -> the count.

    Args:
        folder: the package.
    """
    sources = {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in folder.rglob("*.py")
    }
    trees = {name: ast.parse(source) for name, source in sources.items()}
    functions = [n for tree in trees.values() for n in ast.walk(tree) if isinstance(n, FUNCTIONS)]
    sizes = [len(source.splitlines()) for source in sources.values()]
    lengths = [(n.end_lineno or n.lineno) - n.lineno + 1 for n in functions]
    counts = [*map(parameters, functions)]
    held = [count for tree in trees.values() for _, count in attributes(tree)]
    importers = Counter[str]()
    for name, tree in trees.items():
        importers.update(imported(tree, [folder.name, *name.split("/")[:-1]]))
    importers = Counter({m: n for m, n in importers.items() if m.startswith(f"{folder.name}.")})
    nodes = (node for tree in trees.values() for node in ast.walk(tree))
    anys = sum("Any" in (getattr(n, "id", ""), getattr(n, "attr", "")) for n in nodes)
    deferred = sum(1 for tree in trees.values() for _ in deferred_imports(tree, folder.name))
    for_types = sum(1 for tree in trees.values() for _ in blocks_for_types(tree))
    module, most = importers.most_common(1)[0]
    short = module.removeprefix(f"{folder.name}.")
    return {
        "modules, lines": f"{len(sources):,}, {sum(sizes):,}",
        "lines of code": f"{sum(map(code_lines, sources.values())):,}",
        "lines of a module: median, most": f"{median(sizes):.0f}, {max(sizes):,}",
        "lines of a function: median, most": f"{median(lengths):.0f}, {max(lengths)}",
        "parameters of a function: mean, most": f"{sum(counts) / len(counts):.1f}, {max(counts)}",
        "attributes of a class: median, most": f"{median(held):.0f}, {max(held)}",
        "`Any` in 1,000 lines": f"{1000 * anys / sum(sizes):.1f}",
        "blocks for type checkers alone": f"{for_types}",
        "deferred imports of own modules": f"{deferred}",
        "importers of the most imported module": f"{most} (`{short}`)",
        "the same in 100 modules": f"{100 * most / len(sources):.0f}",
        "folders below it, at most": f"{max(name.count('/') for name in sources)}",
    }


def print_rooms() -> None:
    """Print the table of rooms."""
    modules, lines = Counter[str](), Counter[str]()
    for path in LVE.rglob("*.py"):
        room = room_of(path.relative_to(LVE).as_posix())
        modules[room] += 1
        lines[room] += code_lines(path.read_text("utf-8"))
    print("| room | modules | lines of code |\n|---|---|---|")
    for is_extension in (False, True):
        rooms = [room for room in modules if room.startswith("extensions") == is_extension]
        for room in sorted(rooms, key=lambda room: -lines[room]):
            print(f"| {room} | {modules[room]} | {lines[room]:,} |")
        own = sum(modules[room] for room in rooms), sum(lines[room] for room in rooms)
        print(f"| **{'all extensions' if is_extension else 'core'}** | {own[0]} | {own[1]:,} |")


def print_beside(packages: Mapping[str, Path]) -> None:
    """Print the figures of several packages.

    Args:
        packages: name of each -> its folder.
    """
    columns = [figures(folder) for folder in packages.values()]
    print(f"\n| | {' | '.join(packages)} |\n|---{'|---' * len(packages)}|")
    for what in columns[0]:
        print(f"| {what} | {' | '.join(column[what] for column in columns)} |")


def installed(names: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yield name and folder of each of these packages that is installed."""
    for name in names:
        if (spec := find_spec(name)) is not None and spec.origin is not None:
            yield name, Path(spec.origin).parent


if __name__ == "__main__":
    print_rooms()
    print_beside({"lve": LVE, **dict(installed(ANCHORS))})
