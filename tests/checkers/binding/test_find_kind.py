"""Checkers of plugins: which tests may use them, and errors of broken ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test
from support.installed import Installed

BASE = """
from dataclasses import dataclass
from lve.checkers.builtin_checker import PerRunChecker, judged
@dataclass(frozen=True)
class Own(PerRunChecker):
    word: str = "Hello"
    def check_response(self, response, context):
        {body}
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.chdir(workspace(tmp_path / "w", "plugins: [Own]"))
    write_test(Path("own"), checker_args={"checker_name": "Own", "word": "wor"})
    write_test(Path("other"))
    return Installed(tmp_path / "site", monkeypatch)


def add(installed: Installed, source: str) -> None:
    installed.add("lve-own", {"lve_own": source}, {"lve.checkers": {"Own": "lve_own:Own"}})


def verdicts() -> dict[str, tuple[str, str]]:
    _, out, _ = call("run", ".", "--json")
    found = json.loads(out)
    return {
        test["path"]: (test["instances"][0]["verdict"], test["instances"][0]["reason"])
        for test in found["tests"]
    }


def test_it_judges_in_a_process_of_its_own_with_its_arguments(installed: Installed) -> None:
    body = "import os; return judged(self.word in response, str(os.getppid()))"
    add(installed, BASE.format(body=body))
    outcome, reason = verdicts()["own"]
    import os

    assert (outcome, reason) == ("passed", str(os.getpid()))


def test_one_that_crashes_is_an_error_of_its_instance(installed: Installed) -> None:
    add(installed, BASE.format(body="raise KeyError('gone')"))
    found = verdicts()
    assert found["own"][0] == "error"
    assert "KeyError: 'gone'" in found["own"][1]
    assert found["other"][0] == "passed"


def test_without_the_settings_a_test_cannot_use_it(installed: Installed) -> None:
    add(installed, "open('loaded', 'w').close()\n" + BASE.format(body="return judged(True, '')"))
    Path("lve.yaml").write_text("", "utf-8")
    code, out, _ = call("check", "own")
    assert code == 2
    assert "there is no checker 'Own'" in out
    assert (
        "(the checker plugin 'Own' of lve-own 1.0 has it: add `plugins: [Own]` to lve.yaml" in out
    )
    assert not Path("loaded").exists()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import gone", "can't be loaded: ModuleNotFoundError: No module named 'gone'"),
        ("class Own: pass", "is no subclass of lve.BuiltinChecker"),
        (
            BASE.format(body="pass") + "\nOwn.__name__ = 'Other'",
            "calls itself 'Other': its class needs the name of its entry point",
        ),
    ],
)
def test_a_broken_one_is_a_problem_of_the_tests_that_use_it(
    installed: Installed, source: str, said: str
) -> None:
    add(installed, source)
    code, out, _ = call("check", ".")
    assert code == 2
    assert f"the checker plugin 'Own' of lve-own 1.0 {said}" in out
    assert "2 tests: 1 with problems" in out
    assert "Traceback" not in out
    code, out, _ = call("run", ".", "--json")
    assert [test["path"] for test in json.loads(out)["tests"] if test["instances"]] == ["other"]


def test_two_of_one_name_are_named_both(installed: Installed) -> None:
    add(installed, BASE.format(body="pass"))
    installed.add("lve-twin", {}, {"lve.checkers": {"Own": "lve_own:Own"}})
    code, out, _ = call("check", "own")
    assert code == 2
    assert "lve-own 1.0 and lve-twin 1.0 both provide a checker plugin 'Own'" in out
