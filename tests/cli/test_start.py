"""What a start loads: every module and class of it is paid by each command that a user types."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from extensions.ragas.river import RIVER
from support.folders import write_test

from lve.__main__ import GC_THRESHOLD

LIST_LOADED = """
import gc, json, sys
sys.argv[:] = {words!r}
sys.modules["uvloop"] = None  # loads ssl and more: no part of lve without `lve[fast]`
from lve.__main__ import main
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0), end.code
print("LOADED" + json.dumps([gc.get_threshold()[0], sorted(sys.modules)]))
"""
HEAVY = {
    "_ssl",
    "concurrent.futures.thread",
    "ctypes",
    "email",
    "http.client",
    "httptools",
    "importlib.metadata",
    "jsonschema",
    "jsonschema_rs",
    "multiprocessing",
    "logging",
    "lve.documents.json_scan",
    "numpy",
    "openai",
    "pickle",
    "psycopg",
    "pytest",
    "ray",
    "regex",
    "shutil",
    "sqlite3",
    "ssl",
    "statistics",
    "string",
    "subprocess",
    "textwrap",
    "tomllib",
    "traceback",
    "urllib.parse",
    "yaml",
}
"""Modules that a small test in JSON needs nothing of, each 2 ms or more."""
FOR_FEW = {
    "lve.extensions.calibration.check_status",
    "lve.checkers.custom.checker",
    "lve.execution.role_budget",
    "lve.execution.tools.live_tools",
    "lve.models.http.connections.pool",
    "lve.extensions.ray",
    "lve.extensions.opencompass.build",
    "lve.sandbox.rights",
    "lve.extensions.store.server",
    "lve.settings.programs",
    "lve.settings.trusted_file",
}
"""Modules of lve for what few tests have: they are imported where they are needed."""
MOST = {"--help": 20, "check": 153, "run": 267}
"""Command -> modules of lve that it may load, a few more than it does. A module takes 0.1 ms of
each start, one with data classes or named tuples several times that. So before this is raised: is
the new module needed by nearly all runs? If not, import it in the function that needs it."""


def loaded_by(words: list[str], folder: Path) -> tuple[int, set[str]]:
    """Return the threshold of the garbage collector and the modules after a command."""
    code = LIST_LOADED.format(words=["lve", *words])
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    threshold, modules = json.loads(ended.stdout.partition("LOADED")[2])
    return threshold, set(modules)


def extensions_in(modules: set[str]) -> set[str]:
    parts = (name.split(".") for name in modules)
    return {name[2] for name in parts if name[:2] == ["lve", "extensions"] and len(name) > 2}


@pytest.mark.parametrize("verb", MOST)
def test_a_command_loads_no_more_than_it_needs(verb: str, tmp_path: Path) -> None:
    (tmp_path / ".lverepo").touch()  # a workspace without settings, as they need YAML
    write_test(tmp_path / "t", model="dummy/dummy")
    words = [verb] if verb == "--help" else [verb, "t"]
    threshold, modules = loaded_by(words, tmp_path)
    own = {name for name in modules if name.partition(".")[0] == "lve"}
    heavy = (
        (HEAVY - {"shutil", "textwrap"}) | {"pathlib"} if verb == "--help" else HEAVY
    )  # click: the width
    assert modules & (heavy | FOR_FEW) == set()
    assert extensions_in(modules) == set()
    assert len(own) <= MOST[verb], "import what few need where they need it (see MOST)"
    assert threshold == GC_THRESHOLD, "Python's own threshold costs 3 ms of each start"


@pytest.mark.parametrize(
    ("extension", "prompt"),
    [
        ("ragas", {"prompt_object": RIVER, "dataset": [{"river": "Nile"}]}),
        (
            "opencompass",
            {
                "dataset": [{"question": "1+1=?", "answer": "2"}],
                "reader_cfg": {"input_columns": ["question"], "output_column": "answer"},
                "infer_cfg": {
                    "prompt_template": {"type": "PromptTemplate", "template": "{question}"},
                    "retriever": {"type": "ZeroRetriever"},
                    "inferencer": {"type": "GenInferencer"},
                },
            },
        ),
    ],
)
@pytest.mark.parametrize("verb", ["check", "run"])
def test_a_dialect_is_loaded_for_its_tests_alone(
    verb: str, extension: str, prompt: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / ".lverepo").touch()
    check = {"checker_name": "LambdaChecker", "func": "lambda response: True"}
    document = {"description": "d", "model": "dummy/dummy", "checker_args": check, **prompt}
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "test.json").write_text(json.dumps(document), encoding="utf-8")
    assert extensions_in(loaded_by([verb, "t"], tmp_path)[1]) == {extension}


@pytest.mark.parametrize("verb", ["run", "record"])
def test_the_help_of_a_verb_loads_nothing_that_runs_tests(verb: str, tmp_path: Path) -> None:
    _, modules = loaded_by([verb, "--help"], tmp_path)
    assert not modules & {"asyncio", "lve.pipeline.run", "lve.spec.load"}


def test_tools_that_are_code_need_no_servers(tmp_path: Path) -> None:
    (tmp_path / ".lverepo").touch()
    tool = {"name": "now", "parameters": {"type": "object", "properties": {}}, "code": "tools.py"}
    folder = write_test(tmp_path / "t", model="dummy/dummy", tools=[tool])
    (folder / "tools.py").write_text("def now():\n    return 1\n")
    modules = loaded_by(["run", "t", "--trust"], tmp_path)[1]
    assert "lve.execution.tools.tool_code" in modules
    assert extensions_in(modules) == set()


def test_garbage_is_collected_rarely_before_lve_is_imported(tmp_path: Path) -> None:
    """Nearly all objects of a start are made by its imports."""
    code = (
        "import gc, sys; sys.argv[:] = ['lve', '--help']\n"
        "passes = []\n"
        "gc.callbacks.append(lambda phase, _: passes.append(phase))\n"
        "from lve.__main__ import main\n"
        "del passes[:]\n"
        "try:\n    main()\n"
        "except SystemExit:\n    print('PASSES', len(passes))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "PASSES 0" in ended.stdout
