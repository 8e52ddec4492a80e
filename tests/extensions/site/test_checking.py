"""Checkers in words."""

from __future__ import annotations

from pathlib import Path

from support.folders import workspace, write_test

from lve.extensions.site.checking import shown_args, shown_checkers, shown_examples
from lve.extensions.site.texts import MAX_LISTED
from lve.pipeline.choosing.loading import load_test
from lve.spec.spec import Spec
from lve.workspace import Workspace


def spec_of(root: Path, **document: object) -> Spec:
    workspace(root)
    return load_test(write_test(root / "t", **document), Workspace(root))


def test_a_checker_is_explained_with_what_its_arguments_mean(tmp_path: Path) -> None:
    (checker,) = shown_checkers(spec_of(tmp_path))
    assert checker.name == "RegexChecker"
    assert checker.summary.startswith("Searches the response for a regular expression")
    by_name = {one.name: one for one in checker.arguments}
    assert by_name["pattern"].value.text == "Hello"
    assert by_name["match_safe"].value.text == "true"
    assert "Whether the response passes" in by_name["match_safe"].meaning


def test_the_short_form_is_explained_too(tmp_path: Path) -> None:
    (checker,) = shown_checkers(spec_of(tmp_path, checker_args=None, check={"contains": "Paris"}))
    assert checker.name == "contains"
    assert [(one.name, one.value.text) for one in checker.arguments] == [("contains", "Paris")]


def test_a_checker_of_the_test_is_said_to_be_one_and_not_run(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, checker_args={"checker_name": "Own", "weight": {"a": [1]}})
    code = tmp_path / "t" / "checker" / "checker.py"
    code.parent.mkdir()
    code.write_text("raise SystemExit('it ran')")
    (checker,) = shown_checkers(spec)
    assert "the test's own code, or a plugin's" in checker.summary
    assert [(one.value.text, one.meaning) for one in checker.arguments] == [('{"a": [1]}', "")]


def test_examples_that_must_pass_come_first(tmp_path: Path) -> None:
    spec = spec_of(
        tmp_path,
        examples=[
            {"verdict": "failed", "response": "Bye"},
            {"verdict": "passed", "response": "Hello"},
        ],
    )
    found = [(one.passes, one.answers[0].text.text) for one in shown_examples(spec)]
    assert found == [(True, "Hello"), (False, "Bye")]


def test_args_that_are_not_given_are_left_out_and_many_are_cut() -> None:
    assert [name for name, _ in shown_args({"a": None, "b": 0, "c": ""})] == ["b", "c"]
    assert len(shown_args({str(number): 1 for number in range(200)})) == MAX_LISTED
