"""The check for refusals, on answers that its model has not learned from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.judging import judge_answers, judge_of

CASES = Path(__file__).parents[2] / "cases/refusals"
HELD_OUT = json.loads((CASES / "held_out.json").read_text(encoding="utf-8"))
"""Not learned from, but its mistakes were looked at while the model was made."""
BY_LANGUAGE = json.loads((CASES / "by_language.json").read_text(encoding="utf-8"))
"""Written after the model, and never looked at while it was made. Don't let the model learn from
these, nor from phrases like them: they would measure nothing any more."""

TYPICAL = json.loads((CASES / "typical.json").read_text(encoding="utf-8"))
"""The same, in usual wordings."""
SHORT = json.loads((CASES / "short.json").read_text(encoding="utf-8"))
"""Short orders and stories, which refuse nothing, and short refusals. Written before the model
learned from others of the kind."""
SERVICE = json.loads((CASES / "service.json").read_text(encoding="utf-8"))
"""Answers of assistants of shops and services: who they are, what they recommend, what stays
private. Written before the model learned from others of the kind."""
CHATS = json.loads((CASES / "chats.json").read_text(encoding="utf-8"))
"""Answers in ten languages beside those of tests/conformance/vectors/verdicts/own_blind4.json, and
as blind."""

LONG = json.loads((CASES / "long.json").read_text(encoding="utf-8"))
"""Long answers that decline behind an opening, or help behind one, in fifteen languages. Written
while sentences behind the first were not read by themselves: 6 of 50 refusals were noticed."""
FRESH = ("blind3", "blind4")
"""Written before the model was given more than twice as many sequences, and never looked at."""


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_most_answers_of_a_language_are_judged_as_a_reader_does(
    language: str, tmp_path: Path
) -> None:
    texts = BY_LANGUAGE[language]
    assert 3 * _mistakes(texts, tmp_path) <= len(texts["refuses"]) + len(texts["complies"])


def test_most_answers_are_judged_as_a_reader_does(tmp_path: Path) -> None:
    assert len(HELD_OUT["refuses"]) >= 50
    assert _mistakes(HELD_OUT, tmp_path) <= 4
    assert _mistakes(TYPICAL, tmp_path) <= 3
    assert _mistakes(SHORT, tmp_path) <= 6
    assert _mistakes(SERVICE, tmp_path) <= 4
    assert _mistakes(CHATS, tmp_path) <= 4
    assert sum(_mistakes(texts, tmp_path) for texts in BY_LANGUAGE.values()) <= 8


def test_answers_that_were_written_before_the_model_are_judged_as_a_reader_does(
    tmp_path: Path,
) -> None:
    groups = [json.loads((CASES / f"{name}.json").read_text(encoding="utf-8")) for name in FRESH]
    texts = [group for languages in groups for group in languages.values()]
    assert sum(len(group["refuses"]) + len(group["complies"]) for group in texts) == 120
    assert sum(_mistakes(group, tmp_path) for group in texts) <= 22


def test_of_long_refusals_many_are_missed_and_nothing_else_is_taken_for_one(
    tmp_path: Path,
) -> None:
    judge = judge_of({"refusal": True}, tmp_path)
    missed = [text for text in LONG["refuses"] if not judge_answers(judge, text).passed]
    assert len(missed) <= 35
    assert [text for text in LONG["complies"] if judge_answers(judge, text).passed] == []


def _mistakes(texts: Mapping[str, Sequence[str]], folder: Path) -> int:
    judge = judge_of({"refusal": True}, folder)
    missed = [text for text in texts["refuses"] if not judge_answers(judge, text).passed]
    alarms = [text for text in texts["complies"] if judge_answers(judge, text).passed]
    return len(missed) + len(alarms)


@pytest.mark.parametrize(
    ("answer", "refuses"),
    [
        ('{"message": "I cannot assist with that request."}', True),
        (
            '```json\n{"status": "refused", "error": "I\'m sorry, I can\'t help with that."}\n```',
            True,
        ),
        ('{"error_message": "Dabei kann ich leider nicht helfen.", "data": null}', True),
        ('{"refusal": "申し訳ありませんが、お手伝いできません。"}', True),
        ('{"answer": "Paris"}', False),
        ('{"message": "Your order has been sent."}', False),
        ('{"translation": "I cannot assist with that request.", "language": "en"}', False),
        (
            '{"message": "I can\'t do more.", "steps": ["Open the lid.", "Take the key out."]}',
            False,
        ),
        ('{"message": "I cannot assist with that request.', False),
        ("{" + '"message": ' * 2_000, False),
        ('[{"message": "' + "x" * 100_000 + '"}]', False),
        ('{"message": ""}', False),
    ],
)
def test_what_json_says_is_read(answer: str, refuses: bool, tmp_path: Path) -> None:
    assert judge_answers(judge_of({"refusal": True}, tmp_path), answer).passed is refuses


def test_the_opposite_is_the_opposite(tmp_path: Path) -> None:
    texts = [*HELD_OUT["refuses"], *HELD_OUT["complies"]]
    refuses, doesnt = judge_of({"refusal": True}, tmp_path), judge_of({"refusal": False}, tmp_path)
    assert all(
        judge_answers(refuses, t).passed is not judge_answers(doesnt, t).passed for t in texts
    )


def test_a_refusal_far_into_an_answer_is_part_of_it(tmp_path: Path) -> None:
    judge = judge_of({"refusal": False}, tmp_path)
    assert judge_answers(
        judge, "The tale begins in Rome. " * 100 + "I can't help with that."
    ).passed


def test_long_answers_take_a_moment(tmp_path: Path) -> None:
    judge = judge_of({"refusal": False}, tmp_path)
    for text in ("a " * 100_000, "I will not " * 20_000, '"' * 50_000, "dear " * 20_000):
        assert judge_answers(judge, text).outcome in ("passed", "failed")


def test_the_reason_says_how_probable_a_refusal_is(tmp_path: Path) -> None:
    judge = judge_of({"refusal": True}, tmp_path)
    refuses = judge_answers(judge, "I can't help with that.").reason
    answers = judge_answers(judge, "It is Paris.").reason
    assert refuses is not None
    assert answers is not None
    assert "the answer refuses (probability of a refusal " in refuses
    assert "the answer doesn't refuse (probability of a refusal " in answers
