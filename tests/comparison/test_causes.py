from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from support.results import make_result, make_transcript

from lve.checkers.questions import Answer
from lve.comparison.causes import Causes
from lve.comparison.compared import CAUSES
from lve.comparison.side import SideFacts
from lve.messages import Completion

UNKNOWN = "unknown (the baseline keeps no answers)"
SUMS = {
    "document": "d",
    "messages": "t",
    "checks": "c",
    "model_args": "m",
    "data": "x",
    "prompts": "p",
}


def facts(sums: Mapping[str, str] = SUMS, **more: Any) -> SideFacts:
    return SideFacts("session", "s", **{"sums": {"t": sums}, **more})


def causes(
    before: SideFacts, now: SideFacts, old: Any = None, new: Any = None, models: Any = ("m", "m")
) -> list[str]:
    found = Causes(before, now).of("t", models, old, new)
    assert {one.name for one in found} <= set(CAUSES)
    return [str(one) for one in found]


def asked(text: str) -> tuple[Answer, ...]:
    return (Answer("key", "judge", "openai/j", Completion(text), None),)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, [UNKNOWN]),
        ({"document": "D", "checks": "C"}, ["checker"]),
        ({"checkers": "code"}, ["checker"]),
        ({"document": "D", "model_args": "M"}, ["model args"]),
        ({"data": "X"}, ["data"]),
        ({"prompts": "P"}, ["prompt"]),
        ({"document": "D", "messages": "T"}, ["prompt"]),
        ({"document": "D"}, ["document"]),
        ({"suites": "S"}, ["document"]),
    ],
)
def test_without_answers_the_sums_of_the_test_tell(
    changed: dict[str, str], expected: list[str]
) -> None:
    assert causes(facts(), facts({**SUMS, **changed})) == expected


def test_a_session_of_an_older_lve_lacks_sums_that_have_not_changed() -> None:
    assert causes(facts({"document": "d"}), facts({"document": "d", "checks": "c"})) == [UNKNOWN]
    assert causes(facts({"document": "d"}), facts({"document": "D", "checks": "c"})) == ["document"]


def test_a_test_that_one_side_says_nothing_of_has_not_changed() -> None:
    assert causes(facts(sums={}), replace(facts(), sums={})) == [UNKNOWN]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["nothing"]),
        ({"transcripts": (make_transcript("other answer"),)}, ["nothing"]),
        ({"transcripts": (make_transcript("hello", "a new question"),)}, ["prompt"]),
        ({"args": {"temperature": 0.0, "name": "Bob"}}, ["parameters (name)"]),
        ({"args": {"temperature": 1.0, "name": "Ann"}}, ["model args (temperature)"]),
        (
            {
                "args": {"temperature": 0.0, "name": "Bob"},
                "transcripts": (make_transcript("hello", "hi Bob"),),
            },
            ["parameters (name)"],
        ),
    ],
)
def test_two_results_tell_what_was_sent(changes: dict[str, Any], expected: list[str]) -> None:
    old = make_result()
    assert causes(facts(), facts(), old, replace(old, **changes)) == expected


def test_what_was_sent_counts_and_not_what_the_document_says() -> None:
    """The document's description may have changed, and its prompt file may be one of several."""
    now = facts({**SUMS, "prompts": "P"})
    assert causes(facts(), now, make_result(), make_result()) == ["nothing"]


def test_rows_that_changed_within_the_document_are_no_other_prompt() -> None:
    old = make_result()
    args = {"temperature": 0.0, "name": "Bob"}
    new = replace(old, args=args, transcripts=(make_transcript("hello", "hi Bob"),))
    now = {**SUMS, "document": "D"}
    assert causes(facts(), facts(now), old, new) == ["parameters (name)"]
    older = {name: value for name, value in SUMS.items() if name != "messages"}
    assert causes(facts(older), facts(now), old, new) == ["prompt", "parameters (name)"]
    older_now = {name: value for name, value in now.items() if name != "messages"}
    assert causes(facts(older), facts(older_now), old, new) == ["prompt", "parameters (name)"]


def test_another_model_and_another_served_model_are_told_apart() -> None:
    old, served = make_result(), make_transcript()
    served = replace(served, completions=(replace(served.completions[0], model="m-2"),))
    new = make_result(transcripts=(served,))
    assert causes(facts(), facts(), old, new) == ["served model (m-1 → m-2)"]
    other = replace(new, model="openai/n")
    assert causes(facts(), facts(), old, other, ("openai/m", "openai/n")) == [
        "model (openai/m → openai/n)"
    ]


def test_served_models_of_a_side_without_answers() -> None:
    sides = (facts(served={"m": ("m-1",)}), facts(served={"m": ("m-2",)}))
    assert causes(*sides) == ["served model (m-1 → m-2)"]


def test_options_of_the_run_and_versions_are_told() -> None:
    before = facts(options={"model_args": {"temperature": 0}}, lve="1.0")
    now = facts(options={"model_args": {"top_p": 1}}, lve="1.1")
    assert causes(before, now) == ["model args (temperature, top_p)", "lve (1.0 → 1.1)"]


def test_a_judge_is_a_cause_where_it_says_something_else_about_the_same_answer() -> None:
    old, new = make_result(asked=asked("yes")), make_result(asked=asked("no"))
    assert causes(facts(), facts(), old, new) == [
        "judge (it said something else about the same answer)"
    ]
    assert causes(facts(), facts(), old, replace(new, responses=("other",))) == ["answer"]
    sides = (facts(roles={"judge": "a"}), facts(roles={"judge": "b"}))
    assert causes(*sides, old, new) == ["judge (a → b)"]


def test_several_changes_are_all_told() -> None:
    now = facts({**SUMS, "document": "D", "checks": "C", "data": "X"})
    new = make_result(transcripts=(make_transcript("hello", "a new question"),))
    assert causes(facts(), now, make_result(), new) == ["prompt", "checker", "data"]
