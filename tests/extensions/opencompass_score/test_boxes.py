"""Answers in boxes."""

from __future__ import annotations

from lve.extensions.opencompass_score.boxes import boxed_answer, same_answer


def test_boxes_and_plain_writing() -> None:
    assert boxed_answer("\\boxed{1} \\boxed{{2}}", unwrap=True) == "2"
    assert boxed_answer("\\boxed{1", unwrap=True) is None
    assert same_answer("\\frac12", "\\frac{1}{2}", version="v1")
    assert not same_answer("1", None, version="v1")
