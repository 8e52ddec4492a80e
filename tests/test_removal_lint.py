"""No module removes, renames, lists or unlocks by path what somebody else may be changing:
`lve.sandbox.removal` does, through open folders. Others do it only with a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lve

PACKAGE = Path(str(lve.__file__)).parent
OF_MODULES = {
    "os": frozenset(
        {
            *("chmod", "chown", "lchmod", "lchown", "link", "symlink", "utime"),
            *("remove", "removedirs", "rename", "renames", "replace", "rmdir", "unlink"),
            *("fwalk", "listdir", "scandir", "walk"),
        }
    ),
    "shutil": frozenset({"chown", "copytree", "move", "rmtree"}),
    "glob": frozenset({"glob", "iglob"}),
    "tempfile": frozenset({"TemporaryDirectory"}),
}
OF_PATHS = frozenset(
    {
        *("chmod", "lchmod", "hardlink_to", "symlink_to", "touch", "rename", "rmdir", "unlink"),
        *("glob", "iterdir", "rglob", "walk"),
    }
)

REASONS = {
    "extensions/importing/boxes/box.py": "environments of tools in the user's cache folder",
    "extensions/importing/helm/__init__.py": "lists the folder that the user names",
    "extensions/importing/opencompass/data_sets.py": "lists the checkout that the user names",
    # What a test's code could have touched:
    "sandbox/removal.py": "through open folders; all others use it",
    "files/inside.py": "lists through open folders",
    "files/atomic_file.py": "drafts with random names beside their place, or in an open folder",
    "files/new_files.py": "links and renames its own draft, which replaces nothing",
    "spec/location.py": "names beside a prompt file, for a suggestion; nothing is opened",
    "files/abandoned.py": "lists names; folders go through lve.sandbox.removal",
    # Lists names and nothing else; what it then opens, it opens through lve.files.inside:
    "spec/discover.py": "lists names",
    "pytest_plugin/finding/scan.py": "lists names",
    "sandbox/grants.py": "lists names, and packages of Python's path, before any code runs",
    "extensions/authoring/places.py": "lists names",
    "extensions/importing/openai_evals/registry.py": "lists names of a registry",
    "extensions/hf/model_files/checking.py": "lists names of a model folder",
    "extensions/hf/model_files/files.py": "lists names of a model folder",
    "files/git.py": "lists names in .git",
    "sessions/provenance.py": "lists names in .git",
    "extensions/site/output.py": "a site: names, and its own draft",
    # The user's own private folders, which no code of a test may write:
    "files/owner_only.py": "sets modes of folders and files that it has found to be the user's own",
    "extensions/shards/verb.py": "renames its own draft in .lve/",
    "sessions/worker_parts.py": "removes its own files in .lve/",
    "sessions/spending.py": "removes its own file in .lve/",
    "extensions/store/team_store.py": "renames its own draft in .lve/",
    "sessions/session_folder.py": "lists names in .lve/",
    "sessions/session_file.py": "lists names in .lve/",
    "execution/cache/locks.py": "removes its own file with a random name in .lve/",
    "execution/cache/sqlite_file.py": "renames its own cache in .lve/",
    "extensions/ragas/saved_prompt.py": "prompts of the user's own cache",
    "extensions/importing/inspect_logs/session.py": "renames its own draft in .lve/",
    "extensions/scorers/overall.py": "a temporary folder of lve's own, which a scorer only reads",
    "extensions/scorers/original.py": "in the sandbox, its own temporary folders",
    "extensions/ray/worker.py": "lists names in the temporary folder",
    # The system's or lve's own files:
    "sandbox/usage.py": "lists /proc, and names through open folders",
    "child/supervisor.py": "lists /proc",
    "execution/descriptors.py": "lists /dev/fd",
    "documents/validation/schema.py": "schemas of this package",
    "extensions/authoring/patterns.py": "patterns of this package",
}


def _calls(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the lines and the functions that change or list by path."""
    names = dict(_imported(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = names.get(_written(node.func), _written(node.func))
            module, _, name = called.rpartition(".")
            if module in OF_MODULES:
                if name in OF_MODULES[module]:
                    yield node.lineno, called
            elif isinstance(node.func, ast.Attribute) and _is_of_path(node, node.func):
                yield node.lineno, called


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what `from os import rename` makes of a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in OF_MODULES:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _written(called: ast.expr) -> str:
    return ast.unparse(called) if isinstance(called, ast.Attribute | ast.Name) else ""


def _is_of_path(call: ast.Call, called: ast.Attribute) -> bool:
    if _written(called.value) == "ast":
        return False
    if called.attr == "replace":  # that of a text has two arguments, that of a date has names
        return len(call.args) == 1 and not call.keywords
    return called.attr in OF_PATHS


def test_files_are_changed_and_listed_by_path_only_with_a_reason() -> None:
    found: dict[str, list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        calls = list(_calls(ast.parse(file.read_text(encoding="utf-8"))))
        if calls:
            module = file.relative_to(PACKAGE).as_posix()
            found[module] = [f"{module}:{line}: {called}" for line, called in calls]
    unexpected = [call for module in found if module not in REASONS for call in found[module]]
    assert unexpected == [], "use lve.sandbox.removal, or give the reason in REASONS"
    assert [module for module in REASONS if module not in found] == []


@pytest.mark.parametrize(
    "code",
    [
        "os.rename(a, b)",
        "shutil.rmtree(a)",
        "from shutil import rmtree as gone\ngone(a)",
        "from tempfile import TemporaryDirectory\nwith TemporaryDirectory() as a: pass",
        "tempfile.TemporaryDirectory()",
        "a.unlink()",
        "(a / b).rmdir()",
        "a.replace(b)",
        "Path(a).chmod(0o700)",
        "[*a.rglob('*')]",
        "for a, b, c in os.walk(d): pass",
        "glob.iglob(a)",
    ],
)
def test_the_kinds_are_noticed(code: str) -> None:
    assert list(_calls(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["a.replace('a', 'b')", "a.replace(year=1)", "replace(a, b=1)", "ast.walk(a)", "a.b()"]
)
def test_texts_and_dates_are_no_files(code: str) -> None:
    assert not list(_calls(ast.parse(code)))
