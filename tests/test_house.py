"""The shape of the house: imports go one way, and files and functions are short."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "lve").rglob("*.py"))
MAX_LINES = 300
MAX_FUNCTION_LINES = 60

Graph = Mapping[str, set[str]]


@cache
def imports() -> Graph:
    """Module -> what it imports: also inside of functions, also for type checkers alone."""
    graph = grimp.build_graph("lve", cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def siblings(graph: Graph) -> dict[str, Graph]:
    """Return package -> the imports between its children, whatever is inside of them."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, imported in graph.items():
        for other in imported:
            for parent, child, used in _ways(module.split("."), other.split(".")):
                found[parent][child].add(used)
    return dict(found)


def _ways(importer: list[str], imported: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the package in which two modules part, and the child of it that each is in."""
    for depth, (one, other) in enumerate(zip(importer, imported, strict=False)):
        if one != other:
            parent = ".".join(importer[:depth])
            yield parent, f"{parent}.{one}", f"{parent}.{other}"
            return


def circle_in(graph: Graph) -> str | None:
    """Return a circle as `a -> b -> a`, None if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " -> ".join(reversed(error.args[1]))
    return None


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_a_circle_is_found_between_modules_and_between_packages() -> None:
    graph = {"a.b.x": {"a.c.y"}, "a.c.z": {"a.b.w"}, "a.c.y": set(), "a.b.w": set()}
    assert circle_in(graph) is None
    assert circle_in(siblings(graph)["a"]) in ("a.b -> a.c -> a.b", "a.c -> a.b -> a.c")


def test_no_modules_import_each_other_in_a_circle() -> None:
    circle = circle_in(imports())
    assert circle is None, f"move what both need into a module below them: {circle}"


@pytest.mark.parametrize("package", sorted(siblings(imports())))
def test_no_rooms_of_a_package_import_each_other_in_a_circle(package: str) -> None:
    circle = circle_in(siblings(imports())[package])
    assert circle is None, f"move what both need into a room below them: {circle}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_file_does_one_job_in_short_functions(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    lines = text.count("\n")
    assert lines <= MAX_LINES, f"{file.relative_to(ROOT)} has {lines} lines: split it by jobs"
    for function in functions(ast.parse(text)):
        length = (function.end_lineno or 0) - function.lineno + 1
        place = f"{file.relative_to(ROOT)}:{function.lineno}"
        assert length <= MAX_FUNCTION_LINES, f"{place}: {function.name} has {length} lines"
