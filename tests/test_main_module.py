"""`python -m lve` in a folder with modules of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.folders import workspace, write_test

LIST_MODULES = "import sys; names = sorted(sys.modules); import json; print(json.dumps(names))"
LIST_OURS = """
import json, sys
sys.argv[:] = ["lve", "run", "t", "--model", "replay", "--json"]
from lve.__main__ import main
try:
    main()
except SystemExit:
    print("MODULES" + json.dumps(sorted(sys.modules)))
"""
COUNT_FAULTS = """
from resource import RUSAGE_SELF, getrusage
from lve.__main__ import below_large_frame

def nothing(a, b, c, d, e, f, g, h):
    return

def faults_at(depth):
    if depth:
        return faults_at(depth - 1)
    before = getrusage(RUSAGE_SELF).ru_minflt
    for _ in range(1000):
        nothing(1, 2, 3, 4, 5, 6, 7, 8)
    return getrusage(RUSAGE_SELF).ru_minflt - before

def count():
    print(max(faults_at(depth) for depth in range(500)))

count()
below_large_frame(count)
"""
PLANTED = "import os; os.mkdir(os.path.join(os.path.dirname(__file__), 'ran-' + __name__)); 1/0\n"


def python(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    root = workspace(tmp_path / "suite", "models: {my/s: {provider: scripted}}")
    write_test(root / "t", instances=[{"args": {}, "response": "Hello", "passed": True}])
    return root


def _packages(modules: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def planted(suite: Path, tmp_path: Path) -> set[str]:
    """Plant a module for each that lve imports, and return their names."""
    (tmp_path / "empty.py").write_text(LIST_MODULES)
    before = json.loads(python("-m", "empty", folder=tmp_path).stdout)
    said = python("-c", LIST_OURS, folder=suite).stdout
    ours = json.loads(said.partition("MODULES")[2])
    names = _packages([*ours, "__future__"]) - _packages(before) - {"lve"}
    for name in names:
        (suite / f"{name}.py").write_text(PLANTED)
    return names


def test_modules_of_the_folder_are_not_imported(suite: Path, tmp_path: Path) -> None:
    assert planted(suite, tmp_path) >= {"yaml", "click", "json", "dataclasses", "__future__"}
    result = python("-m", "lve", "run", "t", "--model", "replay", folder=suite)
    assert (result.returncode, result.stderr) == (0, "")
    assert list(suite.glob("ran-*")) == []


def test_a_path_that_python_keeps_safe_stays(suite: Path) -> None:
    """With -P the first place is not the folder, whatever it is."""
    code = (
        "import sys; path = list(sys.path); sys.argv[0] = '-m'; import lve; print(path == sys.path)"
    )
    assert python("-P", "-c", code, folder=suite).stdout == "True\n"


def test_who_imports_lve_keeps_the_folder(suite: Path) -> None:
    code = "import sys, lve; print('' in sys.path)"
    assert python("-c", code, folder=suite).stdout == "True\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows doesn't count page faults so")
def test_no_depth_of_calls_asks_the_system_for_memory_in_every_call(tmp_path: Path) -> None:
    alone, below = map(int, python("-c", COUNT_FAULTS, folder=tmp_path).stdout.split())
    if sys.version_info < (3, 14):  # which asks less often by itself
        assert alone >= 1000
    assert below < 100
