"""Answers in boxes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lve.extensions.opencompass_score.boxes import (
    _plain_1,
    _plain_2,
    boxed_answer,
    normal_answer,
    same_answer,
)

PLAIN = json.loads(
    (Path(__file__).parents[2] / "cases/opencompass_score/plain.json").read_text("utf-8")
)
"""Answers, and what upstream's `_strip_string`, `_strip_string_v2` and `normalize_final_answer`
make of them: `ValueError` where they raise something."""


def test_boxes_and_plain_writing() -> None:
    assert boxed_answer("\\boxed{1} \\boxed{{2}}", unwrap=True) == "2"
    assert boxed_answer("\\boxed{1", unwrap=True) is None
    assert same_answer("\\frac12", "\\frac{1}{2}", version="v1")
    assert not same_answer("1", None, version="v1")


@pytest.mark.parametrize(("answer", "first", "second", "normal"), PLAIN)
def test_plain_writing_is_upstreams(answer: str, first: str, second: str, normal: str) -> None:
    assert plainly(_plain_1, answer) == first
    assert plainly(_plain_2, answer) == second
    assert normal_answer(answer) == normal


def plainly(write: Callable[[str], str], answer: str) -> str:
    try:
        return write(answer)
    except (ValueError, IndexError):
        return "ValueError"
