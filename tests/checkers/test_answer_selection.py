"""Which answers checkers judge: `on`, right answers by turn, answers in arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.dialogues import groups, judge_of_group, said, wrong_verdicts
from support.judging import judge_of

from lve.checkers.answer_selection import AnswerSelection
from lve.checkers.contract import CheckContext
from lve.checkers.judge import Judge
from lve.checkers.judging_limits import NeedsProcessError
from lve.checkers.processes.wire import context_from_json, context_to_json
from lve.messages import Completion, Message, Role, Transcript


@pytest.mark.parametrize("group", [*groups("on"), *groups("references")])
def test_a_check_looks_at_the_answers_that_it_names(group: dict[str, Any], tmp_path: Path) -> None:
    assert wrong_verdicts(group, tmp_path) == []


@pytest.mark.parametrize(
    ("group", "response", "reason"),
    [
        (
            {"check": {"contains": "no", "on": "all"}},
            {"first": "no", "second": "yes"},
            "answer 'second': 'no' doesn't occur in the answer",
        ),
        (
            {"check": {"contains": "no", "on": "all"}},
            {"first": "no", "second": "no"},
            "all 2 answers: found 'no' at character 1",
        ),
        (
            {"check": {"contains": "no", "on": "first"}},
            {"first": "no", "second": "yes"},
            "answer 'first': found 'no' at character 1",
        ),
        (
            {"check": {"contains": "no", "on": "transcript"}},
            {"first": "yes", "second": "yes"},
            "transcript: 'no' doesn't occur in the answer",
        ),
        (
            {"check": {"contains": "no", "on": "first"}},
            {"second": "no"},
            "contains: there is no answer 'first' to look at (answers: second)",
        ),
        (
            {"check": {"contains": "{first}"}, "runs": 2},
            [{"first": "a", "second": "a"}, {"first": "b", "second": "a"}],
            "run 2 of 2: 'b' doesn't occur in the answer",
        ),
        (
            {"check": {"AnswerChecker": {}}, "reference": ["2", "4"]},
            {"first": "2", "second": "4"},
            "all 2 turns: found '2'",
        ),
        (
            {"check": {"AnswerChecker": {}}, "reference": ["2", "4"]},
            {"first": "9", "second": "4"},
            "turn 1 of 2: expected '2', found '9'",
        ),
        (
            {"check": {"AnswerChecker": {}}, "reference": ["1", "2", "3"]},
            {"first": "1", "second": "2"},
            "AnswerChecker: the row has 3 right answers for 2 turns: give one for each (null: not"
            " judged; a list in the list: any of these)",
        ),
    ],
)
def test_reasons_name_the_answer(
    group: dict[str, Any], response: Any, reason: str, tmp_path: Path
) -> None:
    assert said(group, judge_of_group(group, tmp_path), response).reason == reason


def test_the_score_is_the_mean_of_the_turns(tmp_path: Path) -> None:
    group = {"check": {"AnswerChecker": {}}, "reference": ["2", "4"]}
    judge = judge_of_group(group, tmp_path)
    assert said(group, judge, {"first": "2", "second": "4"}).score == 1
    assert said(group, judge, {"first": "2", "second": "9"}).score == 0.5


def _measured(*seconds: float) -> CheckContext:
    messages, completions = list[Message](), list[Completion]()
    for name, latency in zip(("first", "second"), seconds, strict=True):
        messages += (Message("Say it."), Message("x", Role.assistant, name))
        completions.append(Completion("x", latency_s=latency))
    return CheckContext((Transcript(tuple(messages), tuple(completions), filled=(1, 3)),))


@pytest.mark.parametrize(
    ("on", "seconds", "outcome"),
    [
        ("first", (1, 9), "passed"),
        ("second", (1, 9), "failed"),
        ("all", (1, 9), "failed"),
        ("transcript", (9, 1), "failed"),
    ],
)
def test_what_was_measured_belongs_to_the_answer(
    on: str, seconds: tuple[float, float], outcome: str, tmp_path: Path
) -> None:
    group = {"check": {"max_latency": "2 s", "on": on}}
    assert judge_of_group(group, tmp_path).judge(_measured(*seconds)).outcome == outcome


def test_a_corrected_answer_takes_the_place_of_the_one_it_corrects() -> None:
    messages = (Message("?"), Message("bad", Role.assistant, "response"), Message("Correct it."))
    run = Transcript((*messages, Message("good", Role.assistant, "response")), filled=(1, 3))
    (view,) = AnswerSelection(("all",)).views(CheckContext((run,)))
    assert view.context.response == "good"


def test_a_run_per_turn_has_a_right_answer_per_run() -> None:
    """Dialogues of OpenCompass whose history is the data set's are a conversation per turn."""
    runs = tuple(
        Transcript((Message("?"), Message(text, Role.assistant, "response")), (), name, (1,))
        for text, name in (("a", "turn 1"), ("b", "turn 2"))
    )
    views = AnswerSelection(by_reference=True).views(CheckContext(runs, reference=["a", "b"]))
    assert [(v.label, v.context.response, v.context.reference) for v in views] == [
        ("turn 1 of 2", "a", "a"),
        ("turn 2 of 2", "b", "b"),
    ]


def test_repetitions_have_one_right_answer() -> None:
    run = Transcript((Message("?"), Message("a", Role.assistant, "response")), filled=(1,))
    (view,) = AnswerSelection(by_reference=True).views(
        CheckContext((run, run), reference=["a", "b"])
    )
    assert view.context.reference == ["a", "b"]


def test_many_answers_are_not_judged_where_all_else_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of_group({"check": {"contains": "x", "on": "all"}}, tmp_path)
    assert judge.judge_in_process(_measured(1, 1)).passed
    monkeypatch.setattr("lve.checkers.answer_selection.IN_PROCESS_S", -1.0)
    with pytest.raises(NeedsProcessError):
        judge.judge_in_process(_measured(1, 1))


def test_very_many_answers_are_judged_in_the_other_process(tmp_path: Path) -> None:
    names = [f"turn{n}" for n in range(300)]
    group = {"check": {"contains": "x", "on": "all"}, "turns": names}
    judge = judge_of_group(group, tmp_path)
    with pytest.raises(NeedsProcessError):
        said({}, _Here(judge), dict.fromkeys(names, "x"))
    found = said({}, judge, {**dict.fromkeys(names, "x"), "turn298": "y"})
    judge.stop()
    assert found.reason == "answer 'turn298': 'x' doesn't occur in the answer"


class _Here:
    """Judges as a judge does in lve's own process."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge.judge_in_process


def test_what_takes_long_is_judged_in_the_other_process(tmp_path: Path) -> None:
    judge = judge_of_group({"check": {"contains": "{first}", "on": "second"}}, tmp_path)
    dialogue = {"first": "ab" * 2_000, "second": "b" + "ab" * 40_000}
    with pytest.raises(NeedsProcessError):
        said({}, _Here(judge), dialogue)
    found = said({}, judge, dialogue)
    judge.stop()
    assert (found.outcome, found.reason[:15]) == ("passed", "answer 'second'")


def test_an_example_of_a_custom_checkers_context_keeps_the_other_answers() -> None:
    context = CheckContext((), other_answers={"first": "a"})
    assert context_from_json(context_to_json(context)) == context


def test_parameters_win_over_variables_of_the_same_name(tmp_path: Path) -> None:
    prompt = [
        {"content": "{first}"},
        {"role": "assistant", "variable": "first"},
        {"content": "Again."},
    ]
    judge = judge_of({"equals": "{first}"}, tmp_path, prompt=prompt, prompt_parameters=["first"])
    group = {"args": {"first": "a"}}
    assert said(group, judge, {"first": "b", "response": "a"}).passed
