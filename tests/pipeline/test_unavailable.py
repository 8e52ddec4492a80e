"""Tests whose checker is not trusted, or needs what is not installed: skipped with what to do, and
no success of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.command_line import lve
from support.folders import write_test

NEEDS_A_MODEL = {"checker_name": "ToxicityChecker", "toxicity_threshold": 0.5, "model": "no/such"}
NEEDS_NOTHING = {"checker_name": "LambdaChecker", "func": "lambda r: r == 'yes'"}


def write(folder: Path, checker: dict[str, Any]) -> None:
    instance = {"args": {}, "response": "yes", "passed": True}
    write_test(folder, model="replay", checker_args=checker, instances=[instance])


def run(*arguments: str, code: int = 0) -> Result:
    return lve("run", *arguments, code=code)


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lve.yaml").write_text("")


def test_it_is_skipped_and_the_others_run(tmp_path: Path) -> None:
    write(tmp_path / "one", NEEDS_A_MODEL)
    write(tmp_path / "other", NEEDS_NOTHING)
    result = run(".")
    assert "skipped: one: " in result.stdout
    assert "2 tests: 1 passed, 1 skipped" in result.stdout
    report = json.loads(run(".", "--json").stdout)
    assert [each["path"] for each in report["summary"]["skipped"]] == ["one"]
    assert report["summary"]["tests"]["skipped"] == 1


def test_alone_it_is_no_success(tmp_path: Path) -> None:
    write(tmp_path / "one", NEEDS_A_MODEL)
    result = run("one", code=5)
    assert "skipped: one: " in result.stdout


OF_ITS_OWN = {"checker_name": "Own"}
NOT_TRUSTED = (
    "its checker 'Own' is Python code and is not trusted: read one/checker/checker.py, "
    "then add --trust, as in: lve run one --trust (pytest: --lve-trust) [untrusted]"
)


def write_own(folder: Path, code: str) -> None:
    write(folder, OF_ITS_OWN)
    (folder / "checker").mkdir()
    (folder / "checker/checker.py").write_text(code)


def test_one_that_is_not_trusted_is_skipped_and_the_others_run(tmp_path: Path) -> None:
    write_own(tmp_path / "one", "class Own:\n    def check(self, context): return True\n")
    write(tmp_path / "other", NEEDS_NOTHING)
    lve("check", ".")
    result = run(".")
    assert f"skipped: one: {NOT_TRUSTED}\n" in result.stdout
    assert "2 tests: 1 passed, 1 skipped" in result.stdout
    alone = run("one", code=5)
    assert f"skipped: one: {NOT_TRUSTED}\n" in alone.stdout, "the same beside others and alone"
    run("one", "--trust")
    result = lve("score", "last", code=5)
    assert (result.exit_code, "1 test: 1 skipped" in result.stdout) == (5, True)
    assert f"skipped: one: {NOT_TRUSTED}\n" in result.stdout
    lve("score", "last", "--trust")
    result = lve("record", "one", "--model", "dummy/dummy", code=5)
    assert NOT_TRUSTED in result.output


IMPORT = "needs the Python package 'no_such_package', which is not installed: pip install no_such_p"
ENSURE = """\
from lve.utils.importutils import ensure_installed
def need(): ensure_installed("no_such_package", "a-package", version=">=2", component="Own")
"""
COMMAND = "the package 'a-package' is not installed (needed by Own): pip install 'a-package>=2'"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import no_such_package\nclass Own: ...", "checker.py:1: " + IMPORT),
        (
            "class Own:\n def __init__(self): import no_such_package.deep\n check = 1",
            "checker.py:2: " + IMPORT,
        ),
        (ENSURE + "need()\nclass Own: ...", "checker.py:2: " + COMMAND),
        (
            ENSURE + "class Own:\n def __init__(self): need()\n check = 1",
            "checker.py:2: " + COMMAND,
        ),
    ],
    ids=["import", "import-when-made", "ensure", "ensure-when-made"],
)
def test_one_that_needs_a_package_says_what_installs_it(
    tmp_path: Path, code: str, expected: str
) -> None:
    write_own(tmp_path / "one", code)
    result = run("one", "--trust", code=5)
    assert expected in result.stdout
    assert "1 test: 1 skipped" in result.stdout


def test_one_that_is_made_for_each_instance_is_tried_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    code = ENSURE + "class Own:\n def __init__(self, word): need()\n check = 1"
    write_own(tmp_path / "one", code)
    document = json.loads((tmp_path / "one/test.json").read_text())
    document["checker_args"] = {**OF_ITS_OWN, "word": "{word}"}
    document["prompt_parameters"] = ["word"]
    (tmp_path / "one/test.json").write_text(json.dumps(document))
    lines = tmp_path / "one/instances/main.jsonl"
    lines.write_text(json.dumps({"args": {"word": "a"}, "response": "yes", "passed": True}) + "\n")
    result = run("one", "--trust", "--model", "dummy/dummy", code=5)
    assert COMMAND in result.stdout, result.output
    assert "0 requests" in result.stdout


def test_a_package_that_is_missed_while_judging_is_an_error_of_the_instance(tmp_path: Path) -> None:
    write_own(tmp_path / "one", ENSURE + "class Own:\n def check(self, context): need()\n")
    write(tmp_path / "other", NEEDS_NOTHING)
    result = run(".", "--trust", code=3)
    assert "2 tests: 1 passed, 1 with errors" in result.stdout
    assert COMMAND in result.stdout


def test_a_part_that_an_installed_package_lacks_is_a_mistake(tmp_path: Path) -> None:
    write_own(tmp_path / "one", "import json.no_such_part\nclass Own: ...")
    result = run("one", "--trust", code=2)
    assert "pip install" not in result.stdout
