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


def changes(search: FlipSearch) -> set[str]:
    return {flip.change for flip in search.flips}


@pytest.mark.parametrize(
    ("check", "answer", "flipping"),
    [
        ({"regex": "^Yes"}, "Yes, it does.", {"markdown", "think"}),
        ({"regex": r"\A(yes|Yes)\b"}, "Yes", {"markdown", "think"}),
        ({"starts_with": "Yes"}, "Yes, it does.", {"markdown", "think"}),
        ({"regex": r"Answer: (\w+)"}, "Answer: Paris", {"label"}),
        ({"contains": "Answer: Paris"}, "Answer: Paris", {"label"}),
        ({"regex": "```\n\\w+"}, "```\nx = 1\n```", {"fence_label", "line_ends"}),
        ({"regex": "```python\n"}, "```python\nx = 1\n```", {"fence_label", "line_ends"}),
        ({"contains": "18"}, "It is 18.", {"longer_number"}),
        ({"contains_any": ["18", "eighteen"]}, "It is 18.", {"longer_number"}),
        ({"regex": "18"}, "It is 18 kg.", {"longer_number"}),
        ({"ends_with": "18"}, "It is 18", {"longer_number"}),
        ({"contains": "18 eggs"}, "18 eggs", {"longer_number"}),
        ({"contains": "$18"}, "It is $18", {"longer_number"}),
        ({"contains": "1,234"}, "It is 1,234", {"longer_number"}),
        ({"contains": "18.5"}, "It is 18.5", {"longer_number"}),
        ({"expression": "'18' in r"}, "18 eggs", {"longer_number"}),
        ({"any": [{"contains": "18"}, {"contains": "eighteen"}]}, "18 m", {"longer_number"}),
        ({"any": [{"starts_with": "Yes"}, {"starts_with": "No"}]}, "Yes, t", {"markdown", "think"}),
        ({"all": [{"starts_with": "Yes"}, {"contains": "t"}]}, "Yes, t", {"markdown", "think"}),
    ],
)
def test_a_brittle_test_is_found(
    check: dict[str, Any], answer: str, flipping: set[str], tmp_path: Path
) -> None:
    search = tried(tmp_path, check, ("passed", answer))
    assert changes(search) == flipping
    assert tried(tmp_path, check, ("passed", answer), allow_changes=sorted(flipping)).flips == ()


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        ({"regex": r"^\d{{4}}$"}, "1969"),
        ({"regex": "^Yes$"}, "Yes"),
        ({"regex": "(?m)^Yes"}, "Yes, it does."),
        ({"regex": "^- "}, "- one\n- two"),
        ({"regex": r"\b18\b"}, "It is 18."),
        ({"regex": r"\d+ kg"}, "It is 18 kg."),
        ({"regex": "a{{18}}"}, "a" * 18),
        ({"contains": "Paris"}, "Paris has 18 parks."),
        ({"contains": "room 18 is"}, "The room 18 is free."),
        ({"contains_any": ["18", "kg"]}, "It is 18 kg."),
        ({"any": [{"starts_with": "Yes"}, {"contains": "Yes"}]}, "Yes, tea"),
        ({"any": [{"contains": "18"}, {"contains": "kg"}]}, "It is 18 kg."),
        ({"all": [{"contains": "18"}, {"number": 18}]}, "It is 18."),
        ({"contains": "GPT-4"}, "It is GPT-4."),
        ({"number": 18}, "It is 18."),
        ({"text": "18"}, "18"),
        ({"equals": "Answer: Paris"}, "Answer: Paris"),
        ({"code_fence": "python"}, "```python\nx = 1\n```"),
    ],
)
def test_a_test_that_is_not_brittle_is_left_alone(
    check: dict[str, Any], answer: str, tmp_path: Path
) -> None:
    assert tried(tmp_path, check, ("passed", answer)).flips == ()


def test_a_number_from_the_row_is_found_too(tmp_path: Path) -> None:
    given = [{"verdict": "passed", "response": "It is 18.", "args": {"n": "18"}}]
    judge_of({"contains": "{n}"}, tmp_path, prompt_parameters=["n"], examples=given).stop()
    search = find_flips(load_spec(tmp_path, tmp_path), Settings())
    assert search is not None
    assert changes(search) == {"longer_number"}
    line = search.flips[0].problem().message_with_code
    assert "longer_number: passed stays passed for 'It is 187.'" in line
    assert "it must matter" in line


def test_only_the_changes_that_are_allowed_are_left_out(tmp_path: Path) -> None:
    answer = ("passed", "Yes, it does.")
    search = tried(tmp_path, {"starts_with": "Yes"}, answer, allow_changes=["think"])
    assert changes(search) == {"markdown"}


def test_an_answer_that_must_fail_may_have_a_longer_number(tmp_path: Path) -> None:
    assert tried(tmp_path, {"contains": "18"}, ("failed", "It is 19.")).flips == ()


def test_a_number_that_must_not_occur_may_be_a_part_of_another(tmp_path: Path) -> None:
    examples = ("passed", "19 eggs"), ("failed", "18 eggs")
    search = tried(tmp_path, {"not_contains": "18"}, *examples)
    assert changes(search) == {"longer_number"}
    assert {flip.before for flip in search.flips} == {"failed"}
    assert tried(tmp_path, {"not_regex": r"\b18\b"}, *examples).flips == ()
