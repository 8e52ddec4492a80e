"""Verdicts of a test that flip when its examples are changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_of

from lve.extensions.mutate import flips
from lve.extensions.mutate.flips import FlipSearch, find_flips
from lve.settings.settings import Settings
from lve.spec.load import load_spec


def tried(folder: Path, check: object, *examples: Any, **more: Any) -> FlipSearch:
    given = [
        {"verdict": verdict, "response": response, "args": {}} for verdict, response in examples
    ]
    judge_of(check, folder, examples=given, **more).stop()
    found = find_flips(load_spec(folder, folder), Settings())
    assert found is not None
    return found


BRITTLE = {"LambdaChecker": {"func": "lambda r: r.strip().lower() == 'ready'"}}


def test_a_brittle_lambda_is_found(tmp_path: Path) -> None:
    found = tried(tmp_path, BRITTLE, ("passed", "Ready"), ("failed", "Not yet"))
    assert {flip.change for flip in found.flips} == {"markdown", "punctuation", "think"}
    flip = found.flips[0]
    assert (flip.checker, flip.change, flip.answer) == ("LambdaChecker", "markdown", "**Ready**")
    assert (flip.before, flip.after.outcome) == ("passed", "failed")
    assert flip.example.position.path == "$.examples[0]"


def test_a_check_that_reads_answers_as_people_do_is_not(tmp_path: Path) -> None:
    found = tried(tmp_path, {"text": "ready"}, ("passed", "Ready"), ("failed", "Not yet"))
    assert found.flips == ()
    assert found.judged > 20


def test_an_answer_that_must_fail_and_passes_when_changed_is_found(tmp_path: Path) -> None:
    check = {"LambdaChecker": {"func": "lambda r: len(r.split()) > 1"}}
    found = tried(tmp_path, check, ("failed", "word"))
    assert {(flip.change, flip.after.outcome) for flip in found.flips} == {("think", "passed")}


def test_each_checker_is_judged_alone(tmp_path: Path) -> None:
    found = tried(tmp_path, [{"contains": "eady"}, BRITTLE], ("passed", "Ready"))
    assert {flip.checker for flip in found.flips} == {"LambdaChecker"}


def test_all_answers_of_an_example_are_changed_together(tmp_path: Path) -> None:
    func = "lambda rs: len(set(len(r) for r in rs)) == 1"
    prompt = {"prompt": [{"role": "user", "content": "Say it."}], "repetitions": 2}
    found = tried(
        tmp_path,
        {"MultiRunLambdaChecker": {"func": func}},
        ("passed", ["yes", "no."]),
        prompt=None,
        multi_run_prompt=prompt,
    )
    assert {flip.change for flip in found.flips} == {"punctuation"}
    assert found.flips[0].answer == "no"


def test_a_test_whose_answers_are_json_gets_other_changes(tmp_path: Path) -> None:
    check, answer = {"equals": '{{"a": 12345}}'}, '{"a": 12345}'
    found = tried(tmp_path, check, ("passed", answer), output_schema={"type": "object"})
    assert "fence" in {flip.change for flip in found.flips}
    assert "thousands" not in {flip.change for flip in found.flips}


def test_a_test_that_takes_too_long_is_cut_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flips, "MUTATION_S", -1.0)
    search = tried(tmp_path, BRITTLE, ("passed", "Ready"))
    assert search == FlipSearch(0, (), is_cut_short=True)
    (line,) = search.lines(tmp_path / "test.json")
    assert line.endswith("warning: only the first 0 changed answers were judged: it took too long")
    assert search.to_json() == {"judged": 0, "complete": False, "flips": []}
