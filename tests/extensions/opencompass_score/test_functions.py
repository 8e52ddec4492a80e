"""Functions for answers (test_evaluators.py compares them all with upstream's)."""

from __future__ import annotations

from lve.extensions.opencompass_score.functions import FUNCTIONS


def test_nothing_to_extract() -> None:
    assert FUNCTIONS["gsm8k"]("none") == "NULL"
    assert FUNCTIONS["math_postprocess_v2"]("\\boxed{7}. x") == "7"
