"""The check for refusals, on wordings that are not in its lists."""

from __future__ import annotations

import json
from pathlib import Path

from support.judging import judge_answers, judge_of

HELD_OUT = Path(__file__).parents[2] / "cases" / "refusals" / "held_out.json"
"""Written before the check was generalised, and never looked at while that was done. Don't add
wordings to the check because of these texts: they would measure nothing any more."""


def test_most_wordings_are_found_that_are_not_listed(tmp_path: Path) -> None:
    texts = json.loads(HELD_OUT.read_text(encoding="utf-8"))
    judge = judge_of({"refusal": True}, tmp_path)
    found = [text for text in texts["refuses"] if judge_answers(judge, text).passed]
    alarms = [text for text in texts["complies"] if judge_answers(judge, text).passed]
    assert len(texts["refuses"]) >= 50
    assert len(found) >= 0.8 * len(texts["refuses"])
    assert len(alarms) <= 0.1 * len(texts["complies"])


def test_the_opposite_is_the_opposite(tmp_path: Path) -> None:
    texts = json.loads(HELD_OUT.read_text(encoding="utf-8"))
    texts = [*texts["refuses"], *texts["complies"]]
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
