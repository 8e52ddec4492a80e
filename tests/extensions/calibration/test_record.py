"""Calibrations as JSON and back."""

from __future__ import annotations

from extensions.calibration.labels import judged_labels

from lve.documents.validation.schema import explain_value
from lve.extensions.calibration.measure import JudgedLabel, calibration_content, measure
from lve.extensions.calibration.record import Binding, calibration_from_json

BINDING = Binding("a/b", "judge-2", "0" * 64, "openai/j", "1.0")


def content_of(rows: list[JudgedLabel]) -> dict[str, object]:
    return calibration_content(
        measure(rows), BINDING, {"judge": "polite"}, labels_sum="f" * 64, day="2026-11-22"
    )


def test_a_calibration_comes_back_as_it_was_written() -> None:
    content = content_of(judged_labels(18, 2, 1, 19))
    assert explain_value(content, "calibration") == []
    found = calibration_from_json(content, "x.json")
    assert found.binding == BINDING
    assert (found.tpr, found.tnr, found.labels) == (0.9, 0.95, 40)
    assert found.errors is not None
    assert (found.errors.good, found.errors.bad) == (20, 20)
    assert found.kappa is not None
    assert abs(found.kappa - 0.85) < 1e-6


def test_what_is_not_known_is_null() -> None:
    content = content_of(judged_labels(5, 0, 0, 0))
    assert explain_value(content, "calibration") == []
    found = calibration_from_json(content, "x.json")
    assert (found.kappa, found.tnr, found.errors) == (None, None, None)


def test_values_of_zero_are_not_unknown() -> None:
    found = calibration_from_json(content_of(judged_labels(0, 3, 3, 0)), "x.json")
    assert (found.tpr, found.tnr) == (0.0, 0.0)
    assert found.kappa == -1.0
    flat = calibration_from_json(content_of(judged_labels(5, 0, 5, 0)), "x.json")
    assert flat.kappa == 0.0
    assert flat.errors is not None
    assert not flat.errors.is_informative
