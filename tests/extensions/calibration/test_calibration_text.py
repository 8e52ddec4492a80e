"""What `lve calibrate` prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from extensions.calibration.labels import judged_labels
from support.folders import workspace
from support.results import make_result

from lve.extensions.calibration.calibration_text import SHOWN, Report, lines, to_json
from lve.extensions.calibration.judging import JudgedLabels
from lve.extensions.calibration.label_targets import target_of_check
from lve.extensions.calibration.labels import Label
from lve.extensions.calibration.measure import JudgedLabel, calibration_content, measure
from lve.extensions.calibration.record import Binding
from lve.spec.settings_file import load_workspace

BINDING = Binding(None, "refusal", "0" * 64, None, "1.0")


def report(
    root: Path, rows: list[JudgedLabel], *below: str, stopped_by: str | None = None
) -> Report:
    target = target_of_check("{refusal: true}", [], load_workspace(workspace(root)))
    found = measure(rows)
    content = calibration_content(found, BINDING, {}, labels_sum="0" * 64, day="2026-11-22")
    judged = JudgedLabels(tuple(rows), 7, 0.25, stopped_by)
    return Report(target, Path("labels.jsonl"), judged, found, content, below, None)


def text(one: Report, *, is_verbose: bool = False) -> str:
    return "\n".join(lines(one, is_verbose=is_verbose))


def test_what_labels_cannot_tell_is_said(tmp_path: Path) -> None:
    shown = text(report(tmp_path, judged_labels(0, 3, 0, 0)))
    assert "kappa      0 (95 % interval" in shown
    assert "TNR        not known: no answer fails, say the labels" in shown
    assert "precision  not known: the check passed none" in shown
    flat = text(report(tmp_path, judged_labels(3, 0, 0, 0)))
    assert "kappa      not known: only one verdict was ever given" in flat
    bad = text(report(tmp_path, judged_labels(0, 0, 0, 3)))
    assert "TPR        not known: no answer passes, say the labels" in bad


@pytest.mark.parametrize(("args", "is_said"), [({}, True), (None, False)])
def test_labels_of_one_instance_are_said_to_be_worth_little(
    tmp_path: Path, args: dict[str, Any] | None, is_said: bool
) -> None:
    rows = judged_labels(20, 0, 0, 20)
    if args is not None:
        rows = [
            replace(one, label=replace(one.label, args=args, responses=(str(number),)))
            for number, one in enumerate(rows)
        ]
    assert ("all answers are to one row, so" in text(report(tmp_path, rows))) is is_said


def test_some_labels_are_shown_and_all_on_request(tmp_path: Path) -> None:
    one = report(tmp_path, judged_labels(50, 12, 0, 50))
    assert text(one).count(": the label says passed, the check failed: ") == SHOWN
    assert "  and 2 more (-v shows all)" in text(one)
    whole = text(one, is_verbose=True)
    assert whole.count(": the label says passed, the check failed: ") == 12
    assert "more (-v" not in whole


def test_long_texts_are_shortened(tmp_path: Path) -> None:
    label = Label(1, "passed", "a" * 500, "c" * 5000, args={}, responses=("x",))
    result = make_result(verdict="failed", reason="r" * 5000, responses=("x" * 10**6, {"v": "y"}))
    one = report(tmp_path, [JudgedLabel(label, result)])
    assert max(map(len, text(one).splitlines())) < 500
    (row,) = to_json(one)["disagreements"]
    assert len(row["answer"]) == 1000


def test_the_end_says_what_it_took_and_what_became_of_it(tmp_path: Path) -> None:
    rows = judged_labels(10, 0, 0, 10)
    done = text(report(tmp_path, rows, "its kappa is 0.4, and the floor is 0.6"))
    assert "7 requests, $0.2500" in done
    assert "below the floor, so the check is advisory: its kappa is 0.4" in done
    assert "stopped early, so nothing is kept: budget" in text(
        report(tmp_path, rows, stopped_by="budget")
    )
    broken = [replace(one, result=make_result(verdict="error")) for one in rows]
    nothing = text(report(tmp_path, broken))
    assert "20 labels that the check couldn't judge:" in nothing
    assert "nothing is kept: too many labels couldn't be judged" in nothing
    assert "check passes" not in nothing
