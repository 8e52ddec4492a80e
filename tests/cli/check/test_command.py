"""`lve check`: problems line by line, as JSON, and exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test

from lve.checkers.binding.bind import bind_named
from lve.checkers.binding.bound import BoundChecker
from lve.spec.spec import CheckerConfig, Spec

WRONG = {"checker_name": "RegexChecker", "pattern": "(", "match_safe": True}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    workspace(tmp_path)
    write_test(tmp_path / "good")
    return tmp_path


def test_valid_tests_are_counted(root: Path) -> None:
    assert call("check", root) == (0, "1 test: all valid\n", "")


def test_a_checker_is_made_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def noticing(spec: Spec, config: CheckerConfig) -> BoundChecker:
        made.append(config.name)
        return bind_named(spec, config)

    monkeypatch.setattr("lve.checkers.static.bind_named", noticing)
    assert call("check", root)[0] == 0
    assert len(made) == 1


def test_the_current_folder_is_checked_if_none_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    assert call("check") == (0, "1 test: all valid\n", "")


def test_each_problem_is_one_line_and_the_others_are_still_checked(root: Path) -> None:
    write_test(root / "bad_checker", checker_args=WRONG)
    write_test(root / "bad_prompt", prompt=[{"role": "user", "content": "{nobody}"}])
    (root / "broken").mkdir()
    (root / "broken" / "test.json").write_text("{")
    code, out, _ = call("check", root)
    lines = out.splitlines()
    assert code == 2
    assert lines[-1] == "4 tests: 3 with problems"
    assert any("$.checker_args.pattern: not a regular expression" in line for line in lines)
    assert any("nobody" in line for line in lines)
    assert all("test.json:" in line for line in lines[:-1])


def test_instances_that_do_not_fit_are_problems(root: Path) -> None:
    folder = write_test(
        root / "t",
        prompt=[{"role": "user", "content": "Hello {name}"}],
        prompt_parameters=["name"],
        instances=[{"args": {"nmae": "x"}, "response": "Hello", "run_info": {}}],
    )
    code, out, _ = call("check", folder)
    assert code == 2
    assert "main.jsonl:1: " in out
    assert "'name'" in out


CHECKER = """
class Grumpy:
    def check(self, context):
        from lve.checkers.base import Verdict
        return Verdict("passed" if "bah" in context.response else "failed", "grumpy or not")
"""


@pytest.fixture
def grumpy(root: Path) -> Path:
    """A test with a custom checker, and two examples of which one is wrong."""
    examples = [{"response": "bah", "verdict": "passed"}, {"response": "oh", "verdict": "passed"}]
    folder = write_test(root / "t", checker_args={"checker_name": "Grumpy"}, examples=examples)
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(CHECKER, encoding="utf-8")
    return folder


def test_examples_that_are_not_judged_are_counted(grumpy: Path) -> None:
    said = "1 test: all valid; 2 examples were not judged: Grumpy is code"
    assert call("check", grumpy) == (0, f"{said} (`lve check --trust` judges all)\n", "")
    _, out, _ = call("check", grumpy, "--json")
    assert json.loads(out)["tests"][0]["unjudged_examples"] == 2


def test_trust_is_not_said_to_find_a_judge(root: Path, grumpy: Path) -> None:
    examples = [{"response": "Hi.", "verdict": "passed"}]
    judged = write_test(root / "j", checker_args=None, check={"judge": "polite"}, examples=examples)
    _, out, _ = call("check", judged)
    assert out.endswith("--role judge=MODEL\n")
    _, out, _ = call("check", judged, grumpy)
    assert out.endswith("(`lve check --trust` judges more)\n")


@pytest.mark.parametrize(
    ("checkers", "why"),
    [
        ("ABC", "A is code, B is code, C is code"),
        ("ABCDE", "A is code, B is code, C is code, and 2 more"),
    ],
)
def test_a_few_reasons_are_listed_and_the_others_counted(
    grumpy: Path, root: Path, checkers: str, why: str
) -> None:
    paths = [shutil.copytree(grumpy, root / "many" / name) for name in checkers]
    for path in paths:
        for file in (path / "test.json", path / "checker" / "checker.py"):
            file.write_text(file.read_text("utf-8").replace("Grumpy", path.name), "utf-8")
    assert f" not judged: {why} (`lve check --trust`" in call("check", root / "many")[1]


def test_a_checker_whose_package_is_missing_is_told(grumpy: Path) -> None:
    needs = (
        "from lve.utils.importutils import ensure_installed\nensure_installed('no_such_thing')\n"
    )
    (grumpy / "checker" / "checker.py").write_text(needs + CHECKER, encoding="utf-8")
    write_test(grumpy, checker_args={"checker_name": "Grumpy"})
    code, out, _ = call("check", grumpy, "--trust")
    assert (code, out.count("\n")) == (0, 2)
    assert "can't be run here: " in out
    assert "no_such_thing" in out


def test_a_trusted_checker_judges_examples(grumpy: Path) -> None:
    code, out, _ = call("check", grumpy, "--trust")
    assert code == 2
    assert "$.examples[1]: this answer must pass, and the checker says failed: grumpy or not" in out
    assert out.endswith("1 test: 1 with problems\n")


def test_examples_are_judged(root: Path) -> None:
    folder = write_test(root / "t", examples=[{"response": "Bye", "verdict": "passed"}])
    code, out, _ = call("check", folder)
    assert code == 2
    assert "this answer must pass, and the checker says failed" in out


def test_custom_checker_is_not_run(root: Path) -> None:
    folder = write_test(root / "t", checker_args={"checker_name": "Custom"})
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text("1 / 0\nclass Custom:\n    pass\n")
    assert call("check", folder)[0] == 0


def test_json_document(root: Path) -> None:
    write_test(root / "bad", checker_args=WRONG)
    code, out, _ = call("check", root, "--json")
    document: dict[str, Any] = json.loads(out)
    assert code == 2
    assert document["summary"] == {"tests": 2, "valid": 1, "invalid": 1}
    bad, good = document["tests"]
    assert good["valid"]
    assert not bad["valid"]
    assert bad["problems"][0]["path"] == "$.checker_args.pattern"
    assert bad["problems"][0]["line"] > 0


def test_nothing_to_check(tmp_path: Path) -> None:
    code, out, err = call("check", tmp_path)
    assert (code, out) == (5, "")
    assert "no tests" in err


@pytest.mark.parametrize(
    ("args", "document", "told"),
    [
        ({"nmae": "Ana"}, {}, "`nmae` (did you mean `name`?)"),
        ({"town": "Rome"}, {}, "`town` (there are name)"),
        ({"name": "Ana", "temperature": 0}, {}, None),
        ({"house": 1}, {"default_model_args": {"house": 2}}, None),
        ({"age": 1}, {"matrix": {"name": ["Ana"], "seed": [1]}}, "`age` (there are name, seed)"),
        ({"age": 1}, {"dataset": "people.csv"}, None),
        ({"age": 1}, {"checker_args": None, "check": {"contains": "{age}"}, "age": 1}, None),
    ],
)
def test_args_of_examples_that_nothing_takes_are_told(
    root: Path, args: dict[str, Any], document: dict[str, Any], told: str | None
) -> None:
    folder = root / "t"
    folder.mkdir()
    (folder / "people.csv").write_text("name,age\nAna,3\n")
    parameters = ["name", *(["age"] if document.pop("age", None) else [])]
    examples = [{"response": "Hello 1", "verdict": "passed", "args": args}]
    keys = {"prompt_parameters": parameters, "examples": examples, **document}
    write_test(folder, prompt=[{"content": "Greet {name}."}], **keys)
    out = call("check", folder)[1]
    assert ("no parameter and no checker takes the arg" in out) is (told is not None)
    assert told is None or told in out
