"""`lve check --mutate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test

BRITTLE = {"checker_name": "LambdaChecker", "func": "lambda r: r == 'Ready'"}
READY = [{"response": "Ready", "verdict": "passed"}]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    workspace(tmp_path)
    return tmp_path


def test_verdicts_that_flip_are_listed(root: Path) -> None:
    write_test(root / "t", checker_args=BRITTLE, examples=READY)
    code, out, _ = call("check", root, "--mutate")
    lines = out.splitlines()
    assert code == 1
    assert (
        "$.examples[0]: LambdaChecker, markdown: passed becomes failed for '**Ready**'" in lines[0]
    )
    assert "(it must not matter: The answer is bold, or italic.)" in lines[0]
    assert "test.json:" in lines[0]
    assert lines[-1].startswith("1 test: all valid; ")
    assert lines[-1].endswith(f" changed answers: {len(lines) - 1} verdicts flip")


def test_without_flips_all_is_well(root: Path) -> None:
    write_test(root / "t", checker_args=None, check={"text": "ready"}, examples=READY)
    code, out, _ = call("check", root, "--mutate")
    assert (code, out.count("\n")) == (0, 1)
    assert out.endswith(" changed answers: no verdict flips\n")


def test_the_json_document_has_them(root: Path) -> None:
    write_test(root / "t", checker_args=BRITTLE, examples=READY)
    code, out, _ = call("check", root, "--mutate", "--json")
    assert code == 1
    (test,) = json.loads(out)["tests"]
    assert test["valid"] is True
    assert test["mutations"]["complete"] is True
    assert test["mutations"]["judged"] == len(test["mutations"]["flips"]) == 6
    assert test["mutations"]["flips"][0] == {
        "checker": "LambdaChecker",
        "change": "markdown",
        "path": "$.examples[0]",
        "before": "passed",
        "after": "failed",
        "reason": "r == 'Ready': '**Ready**' == 'Ready' is false",
        "answer": "**Ready**",
    }


def test_an_invalid_test_is_not_mutated_and_stops_no_other(root: Path) -> None:
    write_test(root / "bad", checker_args=BRITTLE, examples=[{**READY[0], "response": "Bye"}])
    write_test(root / "good", checker_args=BRITTLE, examples=READY)
    code, out, _ = call("check", root, "--mutate", "--json")
    assert code == 2
    mutations = [test["mutations"] for test in json.loads(out)["tests"]]
    assert mutations[0] is None
    assert mutations[1]["flips"]


CHECKER = """
class Grumpy:
    def check(self, context):
        from lve.checkers.base import Verdict
        return Verdict("passed" if context.response == "bah" else "failed", "grumpy or not")
"""


def test_code_of_a_test_is_only_mutated_if_it_is_trusted(root: Path) -> None:
    examples = [{"response": "bah", "verdict": "passed"}]
    folder = write_test(root / "t", checker_args={"checker_name": "Grumpy"}, examples=examples)
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(CHECKER, encoding="utf-8")
    code, out, _ = call("check", root, "--mutate")
    assert (code, "flip" in out) == (0, False)
    code, out, _ = call("check", root, "--mutate", "--trust")
    assert code == 1
    assert "Grumpy, ends: passed becomes failed for '\\nbah\\n': grumpy or not" in out
