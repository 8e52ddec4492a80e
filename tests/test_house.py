"""The shape of the house: imports go one way, and files and functions are short."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

from lve.documents.toml_text import parse_toml

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "lve").rglob("*.py"))
MAX_LINES = 300
MAX_FUNCTION_LINES = 60
DECIDES = 20
"""Branches from which on a module has a test file of its own name."""
TESTED_ELSEWHERE = {
    "extensions/importing/promptfoo/scripts/values.py": (
        "extensions/importing/promptfoo/scripts/test_javascript.py"
    ),
    # One language: what it computes, refuses and costs as a whole.
    "checkers/expression/arithmetic.py": "checkers/expression/test_function.py",
    "checkers/expression/calls.py": "checkers/expression/test_function.py",
    "checkers/expression/compiler.py": "checkers/expression/test_function.py",
    "checkers/expression/explain.py": "checkers/expression/test_function.py",
    "extensions/parquet/child.py": "extensions/parquet/test_reading.py",
    "checkers/expression/meter.py": "checkers/expression/test_bounded.py",
    "checkers/expression/methods.py": "checkers/expression/test_function.py",
    "checkers/expression/operators.py": "checkers/expression/test_function.py",
    "checkers/examples.py": "checkers/test_judge.py",
    # Both sides of a process, and what they say to each other.
    "checkers/custom/child_main.py": "checkers/custom/test_checker.py",
    "checkers/processes/judging_process.py": "checkers/custom/test_checker.py",
    # What code tries in a sandbox, and what it is told.
    "sandbox/refusal.py": "sandbox/test_escapes.py",
    # What `lve score` and `lve show` print of a session.
    "cli/sessions/show_session.py": "cli/sessions/test_show.py",
    # They need a model, which all tests of them share.
    "extensions/hf/network.py": "extensions/hf/test_model.py",
    # Data: known results of upstream's code.
    "extensions/opencompass_score/extractors.py": "checkers/extract/test_extractors.py",
    # What is sent, as data.
    "extensions/anthropic/request_parts.py": "extensions/anthropic/test_plugin.py",
    "extensions/gemini/request_parts.py": "extensions/gemini/test_plugin.py",
    # What the checks that compare answers make of them.
    "extensions/several_answers/answers.py": "extensions/several_answers/test_across.py",
    # What a session of several workers leaves.
    "pytest_plugin/session/joining.py": "pytest_plugin/session/test_workers.py",
    # Which model comes out, by name.
    "models/served.py": "models/test_registry.py",
    # The rules for URLs, keys and headers, through the first wire that had them.
    "models/http/endpoint.py": "models/openai/test_endpoint.py",
    # What a user sees of them, through the command that runs them.
    "extensions/authoring/check_questions.py": "extensions/authoring/test_questions.py",
    "extensions/rendering/rendered_text.py": "extensions/rendering/test_verb.py",
    "extensions/dry_run/estimate.py": "extensions/dry_run/test_command.py",
    "cli/run/command_options.py": "options/test_run_options.py",
    "pipeline/interrupts.py": "cli/run/test_command_interrupts.py",
    "pipeline/outcome.py": "pipeline/test_run.py",
    "pytest_plugin/__init__.py": "pytest_plugin/test_items.py",
    "pytest_plugin/session/bridge.py": "pytest_plugin/test_sessions.py",
    "pytest_plugin/collect.py": "pytest_plugin/test_items.py",
    "extensions/contributing/verbs/pr.py": "extensions/contributing/verbs/test_commit.py",
    "extensions/contributing/verbs/readme.py": "extensions/contributing/verbs/test_unit_test.py",
    "pytest_plugin/finding/static_problems.py": "pytest_plugin/test_one_bad_test.py",
    "pytest_plugin/finding/scan.py": "pytest_plugin/test_selection.py",
    # Parts of one thing, which is tested as a whole.
    "documents/json_scan.py": "documents/test_read.py",
    "prompts/answers/schema_meter.py": "prompts/answers/test_answer_schema.py",
    "extensions/opencompass/warnings.py": "extensions/opencompass/test_build.py",
    "pipeline/rejudging/rejudging.py": "extensions/scoring/test_rescore.py",
    "spec/partial_spec.py": "pipeline/choosing/test_all_problems.py",
    "sessions/session_file.py": "sessions/test_session_folder.py",
}
"""Module -> the file that tests it, where that isn't its mirror. Each that goes is a gain."""

Graph = Mapping[str, set[str]]


@cache
def imports() -> Graph:
    """Module -> what it imports: also inside of functions, also for type checkers alone."""
    graph = grimp.build_graph("lve", cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def with_inits(graph: Graph, names: Graph) -> Graph:
    """Add what an import runs besides: the `__init__` of each package that it enters, and of the
    package of which a name is imported, even by a module inside of it."""
    return {
        module: imported.union(
            names.get(module, ()), *(_entered(module, other) for other in imported)
        )
        for module, imported in graph.items()
    }


def _entered(importer: str, imported: str) -> set[str]:
    """Return the packages around a module that aren't around its importer."""
    parts = imported.split(".")
    around = {".".join(parts[:depth]) for depth in range(1, len(parts))}
    return {package for package in around if not f"{importer}.".startswith(f"{package}.")}


PAGE_IMPORT = re.compile(r"""\bfrom\s+["'](?:worker:)?(\.[^"']+?)(?:\.js|\.ts)?["']""")


def page_imports(folder: Path) -> Graph:
    """File of web/ -> the files that it imports, with no regard to what they end with."""
    return {
        str(file.with_suffix("")): {
            str((file.parent / name).resolve())
            for name in PAGE_IMPORT.findall(file.read_text("utf-8"))
        }
        for file in folder.resolve().rglob("*.ts")
    }


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


BRANCHES = (
    *(ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case),
    ast.comprehension,
)


@dataclass(frozen=True)
class Module:
    """What a file of lve looks like."""

    place: Path
    """Relative to `lve/`."""
    lines: int
    functions: list[tuple[int, str, int]]
    """Line, name and length."""
    branches: int
    named_in: set[str]
    """The modules and packages of lve of which it imports names. grimp sees modules alone."""

    @property
    def name(self) -> str:
        """Its name, or that of the package whose `__init__` it is."""
        parts = ("lve", *self.place.with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> list[Module]:
    """Return every file of lve, parsed once for all tests: that takes seconds."""
    return [_module(file) for file in FILES]


def _module(file: Path) -> Module:
    text = file.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    functions = [
        (node.lineno, node.name, (node.end_lineno or 0) - node.lineno + 1)
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return Module(
        file.relative_to(ROOT / "lve"),
        text.count("\n"),
        functions,
        branches(nodes),
        named_in(nodes),
    )


def named_in(nodes: list[ast.AST]) -> set[str]:
    """Return the modules and packages of lve of which a module imports names."""
    modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {module for module in modules if f"{module}.".startswith("lve.")}


def branches(nodes: list[ast.AST]) -> int:
    """Return how often a module decides something."""
    operators = sum(len(node.values) - 1 for node in nodes if isinstance(node, ast.BoolOp))
    return operators + sum(isinstance(node, BRANCHES) for node in nodes)


def test_a_circle_is_found_between_modules_and_between_packages() -> None:
    graph = {"a.b.x": {"a.c.y"}, "a.c.z": {"a.b.w"}, "a.c.y": set(), "a.b.w": set()}
    assert circle_in(graph) is None
    assert circle_in(siblings(graph)["a"]) in ("a.b -> a.c -> a.b", "a.c -> a.b -> a.c")


def test_a_circle_through_a_package_s_own_init_is_found() -> None:
    graph = {"a.b": {"a.b.x"}, "a.b.x": {"a.b.y"}, "a.b.y": set(), "a.c": set(), "a.d": {"a.b.y"}}
    assert circle_in(with_inits(graph, {})) is None  # that x lies in a.b alone is no circle
    assert with_inits(graph, {})["a.d"] == {"a.b", "a.b.y"}
    circle = circle_in(with_inits(graph, {"a.b.x": {"a.b"}}))
    assert circle in ("a.b -> a.b.x -> a.b", "a.b.x -> a.b -> a.b.x")
    round_about = {**graph, "a.b.y": {"a.d.z"}, "a.d": {"a.c"}, "a.d.z": set(), "a.c": {"a.b.x"}}
    assert circle_in(round_about) is None
    assert circle_in(with_inits(round_about, {})) is not None


def test_no_modules_import_each_other_in_a_circle() -> None:
    named = {module.name: module.named_in for module in modules()}
    assert named.keys() == imports().keys()
    assert "lve.pytest_plugin" in named["lve.pytest_plugin"]
    others = {module: packages - {module} for module, packages in named.items()}
    circle = circle_in(with_inits(imports(), others))
    assert circle is None, f"move what both need into a module below them: {circle}"


def test_no_files_of_a_page_import_each_other_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text('import { type B,\n  b } from "./b.js";\n')
    (tmp_path / "b.ts").write_text('import text from "worker:./c.ts";\nexport * from "./d.js";\n')
    (tmp_path / "c.ts").write_text('import { a } from "./a.js";\n')
    assert circle_in(page_imports(tmp_path)) is not None
    (tmp_path / "c.ts").write_text('import { h } from "preact";\n')
    assert circle_in(page_imports(tmp_path)) is None
    pages = page_imports(ROOT / "web" / "src")
    assert sum(map(len, pages.values())) > 50
    circle = circle_in(pages)
    assert circle is None, f"move what both need into a file below them: {circle}"


def test_no_rooms_of_a_package_import_each_other_in_a_circle() -> None:
    packages = siblings(imports())
    circles = {package: circle_in(packages[package]) for package in sorted(packages)}
    found = [f"{package}: {circle}" for package, circle in circles.items() if circle is not None]
    assert circles
    assert not found, "\n".join(["move what both need into a room below them", *found])


def test_every_room_has_a_layer() -> None:
    """A package with packages in it needs a contract that leaves out none of them."""
    contracts = parse_toml((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layered = {
        container
        for contract in contracts["contracts"]
        if contract["type"] == "layers" and contract.get("exhaustive")
        for container in contract["containers"]
    }
    packages = {file.parent.relative_to(ROOT) for file in FILES if file.name == "__init__.py"}
    with_rooms = {".".join(package.parent.parts) for package in packages if package.parent.parts}
    assert with_rooms - layered == set()


def test_no_helper_of_tests_hides_a_module_of_the_standard_library() -> None:
    """A helper that runs as a program has its own folder first on the path."""
    names = {file.stem for file in (ROOT / "tests" / "support").glob("*.py")}
    assert names - {"__init__"}
    assert not names & sys.stdlib_module_names


def test_a_file_does_one_job_in_short_functions() -> None:
    found = []
    for module in modules():
        if module.lines > MAX_LINES:
            found.append(f"lve/{module.place} has {module.lines} lines: split it by jobs")
        for line, name, length in module.functions:
            if length > MAX_FUNCTION_LINES:
                found.append(f"lve/{module.place}:{line}: {name} has {length} lines")
    assert modules()
    assert not found, "\n".join(found)


def test_every_branch_counts() -> None:
    text = "x = 1 if a and b or c else 2\nfor y in [z for z in a if z]:\n  while y: pass\n"
    assert branches(list(ast.walk(ast.parse(text)))) == 6


def test_a_module_that_decides_has_tests_of_its_name() -> None:
    missing = []
    for module in modules():
        place = module.place
        name = place.parent.name if place.stem == "__init__" else place.stem
        folder = place.parent.parent if place.stem == "__init__" else place.parent
        mirror = f"{folder.as_posix()}/test_{name}.py".removeprefix("./")
        where = TESTED_ELSEWHERE.get(place.as_posix(), mirror)
        if module.branches >= DECIDES and not (ROOT / "tests" / where).is_file():
            missing.append(f"tests/{where}: lve/{place.as_posix()} has {module.branches} branches")
    assert not missing, "\n".join(missing)


def test_a_module_is_tested_elsewhere_only_while_it_has_no_file_of_its_own() -> None:
    for module in TESTED_ELSEWHERE:
        mirror = Path(module).with_name(f"test_{Path(module).name}")
        assert (ROOT / "lve" / module).is_file(), f"{module} is gone"
        assert not (ROOT / "tests" / mirror).exists(), f"{module} has its own file"
