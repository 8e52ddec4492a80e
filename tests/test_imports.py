"""What lve imports from other packages: extras late, and nothing that no requirement brings."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest
from packaging.requirements import Requirement
from pythons.claims import ROOT, dependencies, extras, project

MODULES = {
    "pyyaml": "yaml",
    "presidio-analyzer": "presidio_analyzer",
    "markdown-it-py": "markdown_it",
}
"""Package -> its module, where that isn't the name with `_`."""
BROUGHT = {
    # Of packages that every installation has.
    "_pytest": "pytest",
    "anyio": "openai",
    "attrs": "jsonschema",
    "certifi": "openai",
    "packaging": "pytest",
    "pluggy": "pytest",
    "referencing": "jsonschema",
    # Of extras.
    "botocore": "boto3",
    "huggingface_hub": "transformers",
    "httpx2": "mcp",
    "markupsafe": "jinja2",
    "mcp_types": "mcp",
    "pyarrow": "datasets",
    "spacy": "presidio-analyzer",
    "tldextract": "presidio-analyzer",
}
"""Module -> the requirement that brings it."""
OF_THE_USER = {"evals", "langchain_core", "lm_eval", "tiktoken"}
"""What lve uses if it is there, and does without otherwise; evals and lm_eval have environments of
their own."""


def module_of(package: str) -> str:
    return MODULES.get(package, package.replace("-", "_"))


CORE = {module_of(one.name) for one in dependencies()}
CORE |= {module for module, package in BROUGHT.items() if module_of(package) in CORE}
EXTRAS = {module_of(one.name) for needed in extras().values() for one in needed}
EXTRAS |= {module for module, package in BROUGHT.items() if module_of(package) in EXTRAS}


def imports_of(node: ast.AST) -> set[str]:
    """Return the packages besides lve and Python's own that a statement imports."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        names = [node.module]
    roots = {name.partition(".")[0] for name in names}
    return roots - sys.stdlib_module_names - {"lve"}


def run_at_import(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the statements that are run when a module is imported, but for type checkers alone."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from run_at_import(node.orelse)
            continue
        yield node
        for part in ("body", "orelse", "finalbody"):
            yield from run_at_import(getattr(node, part, []))
        for handler in getattr(node, "handlers", []):
            yield from run_at_import(handler.body)


@cache
def trees() -> dict[str, ast.Module]:
    files = sorted((ROOT / "lve").rglob("*.py"))
    return {str(f.relative_to(ROOT)): ast.parse(f.read_text("utf-8")) for f in files}


@cache
def used() -> set[str]:
    """Return the packages that are imported anywhere."""
    nodes = (node for tree in trees().values() for node in ast.walk(tree))
    return {package for node in nodes for package in imports_of(node)}


def test_no_module_needs_an_extra_to_be_imported() -> None:
    """Import it in the function that uses it."""
    early = {
        (name, package)
        for name, tree in trees().items()
        for node in run_at_import(tree.body)
        for package in imports_of(node) - CORE
    }
    assert early == set()


def test_each_import_is_of_a_package_that_a_requirement_brings() -> None:
    assert len(used()) > 20
    assert used() - CORE - EXTRAS - OF_THE_USER == set()
    assert set(BROUGHT) - used() == set(), "no longer used"


def test_types_are_the_same_whether_an_extra_is_installed_or_not() -> None:
    """`make quick` checks types without extras, `make test` with them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    quick = project()["optional-dependencies"]["dev-quick"]
    absent = (EXTRAS | OF_THE_USER) - {"httpx2"}  # the newest openai brings it, too
    absent -= {module_of(Requirement(one).name) for one in quick}
    ignored = {one for part in settings["overrides"] for one in part["module"]}
    assert {f"{one}.*" for one in used() & absent} - ignored == set()


@pytest.mark.parametrize(
    ("source", "early"),
    [
        ("import torch", {"torch"}),
        ("try:\n    import torch.nn\nexcept ImportError:\n    import ray", {"torch", "ray"}),
        ("if x:\n    from torch import nn", {"torch"}),
        ("class A:\n    import torch", {"torch"}),
        ("def f():\n    import torch", set()),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch", set()),
        ("from . import torch\nimport os.path, lve.errors", set()),
    ],
)
def test_what_is_imported_at_once(source: str, early: set[str]) -> None:
    nodes = run_at_import(ast.parse(source).body)
    assert {package for node in nodes for package in imports_of(node)} == early
