"""Python that lies in a test's folder isn't imported by `pytest FOLDER`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.forked import python
from support.pytest_runs import run_apart

Write = Callable[..., Path]

EVIL = "import pathlib\npathlib.Path({marker!r}).touch()\ndef test_evil():\n    pass\n"
PLANTS = [
    "conftest.py",
    "test_evil.py",
    "evil_test.py",
    "__init__.py",
    "checker/conftest.py",
    "checker/test_evil.py",
    "checker/__init__.py",
    "instances/conftest.py",
    "instances/test_evil.py",
    "sub/conftest.py",
    "sub/test_evil.py",
    "sub/deeper/__init__.py",
    "sub/deeper/test_evil.py",
    "test_sub/conftest.py",
    "test_sub/test_evil.py",
]


def plant(folder: Path, name: str, marker: Path) -> None:
    """Write a Python file that leaves a marker when it is imported."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(EVIL.format(marker=str(marker)))


@pytest.fixture
def marker(pytester: pytest.Pytester) -> Path:
    """What planted Python leaves behind when it runs."""
    return pytester.path / "pwned"


@pytest.mark.parametrize(
    ("place", "is_own_process"),
    [
        ("repository", True),
        ("repository", False),
        ("repository/test_x", False),
        ("repository/test_x/test.json", False),
    ],
)
def test_nothing_planted_runs(
    pytester: pytest.Pytester, write_test: Write, marker: Path, place: str, is_own_process: bool
) -> None:
    folder = write_test("test_x")
    for name in PLANTS:
        plant(folder, name, marker)
    (folder / "test_doc.txt").write_text(f">>> open({str(marker)!r}, 'w').close()\n")
    result = run_apart(pytester, place) if is_own_process else pytester.runpytest(place)
    assert not marker.exists()
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("name", PLANTS)
def test_each_alone(pytester: pytest.Pytester, write_test: Write, marker: Path, name: str) -> None:
    plant(write_test("test_x"), name, marker)
    pytester.runpytest("repository/test_x").assert_outcomes(passed=1)
    assert not marker.exists()


def test_a_doctest_is_not_run(pytester: pytest.Pytester, write_test: Write, marker: Path) -> None:
    text = f">>> open({str(marker)!r}, 'w').close()\n"
    (write_test("x") / "test_doc.txt").write_text(text)
    pytester.runpytest("repository").assert_outcomes(passed=1)
    assert not marker.exists()


LEFT_ALONE = "lve: not run, because a test's folder is data: repository/x/{} (*"


def test_the_end_says_what_was_left_alone(
    pytester: pytest.Pytester, write_test: Write, marker: Path
) -> None:
    plant(write_test("x"), "test_evil.py", marker)
    result = pytester.runpytest("repository")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([LEFT_ALONE.format("test_evil.py")])


def test_workers_import_nothing_and_say_so(
    pytester: pytest.Pytester, write_test: Write, marker: Path
) -> None:
    folder = write_test("x")
    for name in PLANTS:
        plant(folder, name, marker)
    result = pytester.runpytest("repository/x", "-n2")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([LEFT_ALONE.format("*conftest.py* and 12 more")])
    assert not marker.exists()


def test_python_beside_and_above_runs_as_ever(
    pytester: pytest.Pytester, write_test: Write, marker: Path
) -> None:
    write_test("x")
    plant(pytester.path / "repository", "conftest.py", marker)
    (pytester.path / "repository" / "test_beside.py").write_text("def test_it(): pass\n")
    pytester.runpytest("repository").assert_outcomes(passed=2)
    assert marker.exists()


def test_a_file_that_is_named_runs_with_its_conftest(
    pytester: pytest.Pytester, write_test: Write
) -> None:
    folder = write_test("x")
    (folder / "conftest.py").write_text("import pytest\n@pytest.fixture\ndef here(): return 1\n")
    (folder / "test_it.py").write_text("def test_it(here): assert here == 1\n")
    pytester.runpytest("repository/x/test_it.py").assert_outcomes(passed=1)


def test_a_fixture_of_that_name_closes_nothing(pytester: pytest.Pytester) -> None:
    """A `test.json` of a Python suite in a workspace that isn't a test of a model."""
    (pytester.path / "lve.yaml").touch()
    (pytester.path / "tests").mkdir()
    (pytester.path / "tests" / "test.json").write_text('{"user": "Ann"}')
    (pytester.path / "tests" / "test_it.py").write_text("def test_it(): pass\n")
    result = pytester.runpytest("tests", "--continue-on-collection-errors")
    result.assert_outcomes(passed=1, errors=1)


def test_the_folder_that_one_stands_in_is_ones_own(
    pytester: pytest.Pytester, write_test: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_test("x")
    (folder / "test_it.py").write_text("def test_it(): pass\n")
    monkeypatch.chdir(folder)
    pytester.runpytest().assert_outcomes(passed=2)


def test_the_safe_commands_run_nothing_at_all(
    pytester: pytest.Pytester, write_test: Write, marker: Path
) -> None:
    """Those of docs/pytest.md for a folder that nobody has looked at."""
    folder = write_test("test_x")
    for name in PLANTS:
        plant(folder, name, marker)
    plant(folder, "evil.py", marker)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p evil\npythonpath = .\n")
    for command in (
        ["-m", "lve", "run", "repository/test_x"],
        ["-m", "pytest", "-c", os.devnull, "--rootdir=.", "--noconftest", "repository/test_x"],
    ):
        done = subprocess.run([*python(), *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not marker.exists()
    with_ini = pytester.runpytest("repository/test_x")
    assert marker.exists(), "pytest's own doing, as docs/security.md says"
    assert with_ini.ret is not None
