"""No module opens files by itself: `lve.files.inside` and `lve.files.owner_only` do, and a few more
with a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import lve

PACKAGE = Path(str(lve.__file__)).parent
OPENING = frozenset({"open", "read_text", "read_bytes", "write_text", "write_bytes", "connect"})
STARTING = frozenset({"Popen", "run", "call", "check_call", "check_output", "system"})

MAY_OPEN = {
    "checkers/extract/quantities/quantity_patterns.py": "a table of this package",
    "extensions/opencompass_score/extractors.py": "a table of this package",
    "extensions/importing/inspect_logs/log.py": "a log that the user names",
    "extensions/importing/opencompass/conversion.py": "a list of this package",
    "extensions/scorers/aisbench.py": "in the sandbox, what it has written there itself",
    "extensions/scorers/original.py": "in the sandbox, the rows that lve has just written",
    "extensions/scorers/host.py": "in the sandbox, the rows that lve has just written",
    "extensions/scorers/overall.py": "rows for the sandbox, in a temporary folder of lve's own",
    "extensions/accounts/log.py": "the file of --trace, which the user names",
    "extensions/importing/boxes/box.py": "the list of packages that is part of lve",
    "extensions/importing/certificate.py": "in a folder that the import has just made",
    "extensions/breakdown/codes.py": "the tables of codes of this package",
    "extensions/authoring/templates.py": "the templates of this package",
    "sandbox/syscalls.py": "the table of this package",
    "models/http/keys.py": "the same",
    "extensions/ragas/translate.py": "the prompts of this package",
    "extensions/revisions/object_sizes.py": "a repository's objects, whose kind was looked at",
    "files/new_files.py": "writes new files, some into a new folder of its own",
    "files/atomic_file.py": "writes: new files, and what a folder's handle leads to",
    "child/child_side.py": "/dev/null and /proc",
    "extensions/targets/python/worker_script.py": "/dev/null",
    "child/supervisor.py": "/dev/null and /proc",
    "sandbox/removal.py": "folders that it removes",
    "sandbox/enter.py": "/proc",
    "sandbox/landlock.py": "names the folders that a process may read",
    "sandbox/refusal.py": "tries again what code of a test could not open",
    "sandbox/usage.py": "folders that it lists, and /proc",
    "sandbox/watch.py": "/proc",
    "cli/main.py": "/dev/null",
    "cli/printing.py": "/dev/null",
    "extensions/view/verb.py": "the user's browser",
    "extensions/ray/driver.py": "the kernel's list of child processes",
    "execution/cache/locks.py": "the folder of the cache, to lock it",
    "execution/cache/sqlite_file.py": "SQLite opens by name, after lve.files.owner_only has looked",
    "extensions/caching/verb.py": "the same, where nothing can be written",
    "files/inside.py": "opens for all others",
    "extensions/site/output.py": "writes new files into a new folder of its own",
    "extensions/site/render.py": "the program and the styles of this package",
    "extensions/store/bounded.py": "a connection that server.py makes",
    "extensions/store/server.py": "connects to the server that the environment or settings name",
    "sessions/storage.py": "CompletionCache.open",
    "files/owner_only.py": "opens for all others",
    "extensions/mcp/streams.py": "/dev/null",
    "extensions/hf/model_files/checking.py": "a folder whose files `files.py` has looked at",
    "pipeline/preparing/live_tools.py": "ToolServers.connect",
    "extensions/github/annotations.py": "the file that GitHub names",
    "checkers/shape/cues.py": "the words of this package",
    "checkers/extract/word_counts.py": "the words of this package",
    "checkers/extract/language.py": "the table of this package",
    "checkers/extract/quantities/number_words.py": "the words of this package",
    "checkers/extract/quantities/unit_table.py": "the units of this package",
    "checkers/extract/quantities/word_lists.py": "the words of this package",
    "checkers/shape/patterns.py": "the patterns of this package",
    "extensions/leaks/secrets_in.py": "the shapes of this package",
    "extensions/refusals/refusal_model.py": "the weights of this package",
    "extensions/reports/page/html_file.py": "the page of this package",
    "sessions/result_index.py": "a temporary database without a name",
    "pytest_plugin/foreign_ini.py": "the ini file that pytest has read before",
    "documents/validation/schema.py": "schemas of this package",
    "message_codes/catalogue.py": "the catalogue of this package",
    "models/known_tables.py": "the table of this package",
}
MAY_START = {
    "extensions/promptfoo_scripts/script_child.py": "node, in the sandbox",
    "extensions/scorers/relay.py": "a scorer's Python, in the sandbox",
    "extensions/importing/boxes/box_child.py": "another tool's Python, in the sandbox",
    "extensions/importing/boxes/box.py": "pip, which `lve import --setup` is for",
    "child/started_process.py": "Python: checkers, chat templates",
    "extensions/contributing/git.py": "git and gh, for `lve contrib`",
    "extensions/parquet/reading.py": "Python: Parquet files",
    "extensions/targets/process_child.py": "the command of a target, which the user trusts",
}


Call = tuple[str, str]
"""The name of what is called, and the place where."""


@cache
def calls() -> Mapping[str, list[Call]]:
    """Module -> its calls of something that opens or starts. To parse all takes seconds."""
    return {module: list(_calls(PACKAGE / module)) for module in modules()}


def _calls(file: Path) -> Iterator[Call]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        is_method = isinstance(called, ast.Attribute) and called.attr in OPENING | STARTING
        if is_method or (isinstance(called, ast.Name) and called.id == "open"):
            name = called.attr if isinstance(called, ast.Attribute) else "open"
            yield name, f"{file.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(called)}"


@cache
def modules() -> list[str]:
    return sorted(file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py"))


def test_modules_open_files_only_with_a_reason() -> None:
    opening = {
        module: [place for name, place in found if name in OPENING]
        for module, found in calls().items()
    }
    unexpected = [call for module in opening if module not in MAY_OPEN for call in opening[module]]
    assert unexpected == [], (
        "use lve.files.inside or lve.files.owner_only, or give the reason in MAY_OPEN"
    )
    assert [module for module in MAY_OPEN if not opening.get(module)] == []


def test_only_python_is_started_and_git_only_for_contributors() -> None:
    starting = {
        module
        for module, found in calls().items()
        for name, place in found
        if name in STARTING and ("subprocess" in place or "os.system" in place)
    }
    assert sorted(starting) == sorted(MAY_START)


def test_what_starts_git_is_for_contributors_alone() -> None:
    """`lve run` and the like must not: a repository's configuration names programs."""
    users = {
        module
        for module in modules()
        if "lve.extensions.contributing.git" in (PACKAGE / module).read_text(encoding="utf-8")
    }
    verbs = {f"extensions/contributing/verbs/{verb}.py" for verb in ("status", "commit", "pr")}
    assert users == verbs | {"extensions/contributing/changes.py"}
