"""What the results so far say of who judged them."""

from __future__ import annotations

from typing import Any

import pytest
from support.results import make_result

from lve.checkers.questions import Answer
from lve.messages import Completion
from lve.spec.check_names import JUDGE
from lve.verdicts.answer_counts import MAX_MODELS
from lve.verdicts.calibration_status import CalibrationStatus


def answer(model: str | None, role: str = JUDGE) -> Answer:
    return Answer("q", role, "alias", Completion("yes", model=model))


@pytest.mark.parametrize(
    ("answers", "judges"),
    [
        ([], set()),
        ([answer("m-1")], {"m-1"}),
        ([answer("m-1"), answer("m-1"), answer("m-2")], {"m-1", "m-2"}),
        ([answer(None), answer("")], set()),
        ([answer("m-1", role="similarity")], set()),
        ([Answer("q", JUDGE, "alias", problem="overloaded")], set()),
    ],
)
def test_judges_are_the_models_that_answered_as_judge(answers: Any, judges: set[str]) -> None:
    status = CalibrationStatus()
    status.add(make_result(asked=tuple(answers)))
    assert status.judged_by == judges


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_only_so_many_models_are_kept(more: int) -> None:
    status = CalibrationStatus()
    for number in range(MAX_MODELS + more):
        status.add(make_result(asked=(answer(f"m-{number}"),)))
    assert len(status.judged_by) == min(MAX_MODELS + more, MAX_MODELS)


def test_results_that_are_only_reported_are_counted() -> None:
    status = CalibrationStatus()
    for advisory in (True, False, True):
        status.add(make_result(advisory=advisory))
    assert status.advisory == 2
