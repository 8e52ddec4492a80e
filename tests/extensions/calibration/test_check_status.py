"""Which verdicts count, by the calibrations of a workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.calibration.labels import judged_labels
from support.folders import workspace, write_test

from lve.errors import UsageError
from lve.extensions.calibration.check_status import CalibratedChecks
from lve.extensions.calibration.measure import calibration_content, measure
from lve.extensions.calibration.record import binding_of, read_calibrations, write_calibration
from lve.spec.load import load_spec
from lve.spec.settings_file import load_workspace
from lve.spec.spec import Spec
from lve.workspace import Workspace

POLITE = {"judge": "The answer is polite."}
REQUIRED = "calibration: {required: true}"


class Place:
    """A workspace with a test."""

    def __init__(self, root: Path, settings: str, **document: Any) -> None:
        self.workspace: Workspace = load_workspace(workspace(root, settings))
        document = document or {"check": POLITE}
        self.spec: Spec = load_spec(write_test(root / "t", checker_args=None, **document), root)
        self.warnings: list[str] = []

    def measure(
        self, *table: int, index: int = 0, judge: str | None = "openai/j", **more: Any
    ) -> Path:
        binding = binding_of(self.spec, index, self.workspace.settings, judge)
        binding = binding._replace(**more)
        found = measure(judged_labels(*table))
        args = self.spec.checkers[index].args
        content = calibration_content(found, binding, args, labels_sum="0" * 64, day="2026-11-22")
        return write_calibration(self.workspace, content)

    def statuses(self, judge: str | None = "openai/j") -> CalibratedChecks:
        return CalibratedChecks(self.workspace, judge=judge, warn=self.warnings.append)

    def told(self, judge: str | None = "openai/j") -> list[str]:
        return self.statuses(judge).warnings(self.spec)

    def is_advisory(self, judge: str | None = "openai/j") -> bool:
        return bool(self.statuses(judge).advisory(self.spec))


def test_without_settings_and_calibrations_all_verdicts_count(tmp_path: Path) -> None:
    place = Place(tmp_path, "")
    assert place.statuses().of(place.spec) == ()
    assert place.statuses().errors(place.spec) is None


def test_a_judge_without_a_calibration_is_advisory_where_one_is_required(tmp_path: Path) -> None:
    place = Place(tmp_path, REQUIRED, checks=[{"contains": "x"}, POLITE])
    assert place.statuses().advisory(place.spec) == {1}
    (told,) = place.told()
    assert told == (
        "t: judge is advisory, its verdict fails nothing: it has no calibration "
        "(measure it: lve calibrate t LABELS)"
    )


def test_calibrations_of_a_workspace_seen_from_elsewhere_vouch_for_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path, "")
    place.measure(20, 0, 0, 20)
    assert place.statuses().errors(place.spec) is not None
    settings = place.workspace.settings._replace(is_own=False)
    place.workspace = place.workspace._replace(settings=settings)
    assert place.statuses().errors(place.spec) is None


def test_a_judge_inside_of_another_check_is_a_judge(tmp_path: Path) -> None:
    place = Place(tmp_path, REQUIRED, check={"not": POLITE})
    assert place.is_advisory()


def test_plain_checks_decide_beside_a_judge_and_not_within_its_check(tmp_path: Path) -> None:
    plain = {"contains": "x"}
    for checks, advisory in (([{"all": [POLITE, plain]}], {0}), ([POLITE, plain], {0})):
        place = Place(tmp_path, REQUIRED, checks=checks)
        assert place.statuses().advisory(place.spec) == advisory
        assert len(place.spec.checkers) == len(checks)


def test_a_calibration_that_holds_gives_the_errors(tmp_path: Path) -> None:
    place = Place(tmp_path, REQUIRED)
    place.measure(18, 2, 1, 19)
    assert place.told() == []
    errors = place.statuses().errors(place.spec)
    assert errors is not None
    assert errors[:4] == (0.9, 20, 0.95, 20)
    assert errors.is_required


@pytest.mark.parametrize(
    ("floor", "told"),
    [
        ("kappa: 0.9", "its kappa is 0.85, and the floor is 0.9"),
        ("tpr: 0.95", "its TPR is 0.9, and the floor is 0.95"),
        ("tnr: 0.96", "its TNR is 0.95, and the floor is 0.96"),
        ("labels: 21", "it has 20 independent labels of good answers and 20 of bad ones"),
        ("{kappa: 0.8, tpr: 0.9, tnr: 0.9, labels: 20}", None),
    ],
)
def test_below_the_floor_a_check_is_advisory(tmp_path: Path, floor: str, told: str | None) -> None:
    floor = floor if floor.startswith("{") else f"{{{floor}}}"
    place = Place(tmp_path, f"calibration: {{floor: {floor}}}")
    place.measure(18, 2, 1, 19)
    assert place.is_advisory() is (told is not None)
    assert told is None or told in place.told()[0]


def test_what_is_not_known_is_below_any_floor(tmp_path: Path) -> None:
    place = Place(tmp_path, "calibration: {floor: {tnr: 0.1}}")
    place.measure(20, 0, 0, 0)
    assert "its TNR isn't known, and the floor is 0.1" in place.told()[0]


@pytest.mark.parametrize("settings", ["", REQUIRED])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"sha256": "1" * 64}, "its rubric, its arguments or the judge's settings changed"),
        ({"judge": "openai/old"}, "the judge was openai/old and is openai/j"),
        ({"lve": "0.0.1"}, "lve was 0.0.1 and is "),
    ],
)
def test_a_calibration_is_bound_to_what_it_was_measured_with(
    tmp_path: Path, settings: str, change: dict[str, str], told: str
) -> None:
    place = Place(tmp_path, settings)
    place.measure(20, 0, 0, 20, **change)
    (said,) = place.told()
    assert told in said
    assert place.is_advisory() is (settings == REQUIRED)
    assert place.statuses().errors(place.spec) is None


def test_the_model_args_of_the_judge_are_part_of_what_was_measured(tmp_path: Path) -> None:
    models = "models: {openai/j: {args: {temperature: %s}}}"
    Place(tmp_path, models % 0).measure(20, 0, 0, 20)
    assert Place(tmp_path, models % 0).told() == []
    assert (
        "its rubric, its arguments or the judge's settings changed"
        in Place(tmp_path, models % 1).told()[0]
    )


@pytest.mark.parametrize("change", ["model: two", "provider: anthropic, model: one"])
def test_another_model_behind_the_judges_name_is_another_judge(tmp_path: Path, change: str) -> None:
    models = "models: {openai/j: {%s}}"
    Place(tmp_path, models % "model: one").measure(20, 0, 0, 20)
    assert Place(tmp_path, models % "model: one").told() == []
    assert "the judge's settings changed" in Place(tmp_path, models % change).told()[0]


def test_an_unknown_judge_is_taken_for_the_measured_one(tmp_path: Path) -> None:
    place = Place(tmp_path, REQUIRED)
    place.measure(20, 0, 0, 20)
    assert place.told(judge=None) == []


def test_a_calibration_without_a_test_holds_for_all(tmp_path: Path) -> None:
    place = Place(tmp_path, "", check={"refusal": True})
    place.measure(20, 0, 0, 20, judge=None, test=None)
    assert place.statuses().errors(place.spec) is not None
    other = Place(tmp_path, "", check={"refusal": False})
    assert other.statuses().errors(other.spec) is None
    assert other.told() == []


def test_checks_of_one_name_have_calibrations_of_their_own(tmp_path: Path) -> None:
    place = Place(tmp_path, REQUIRED, checks=[POLITE, {"judge": "The answer is short."}])
    place.measure(20, 0, 0, 20, index=1)
    assert place.statuses().advisory(place.spec) == {0}
    assert [one.check for one in place.statuses().of(place.spec)] == ["judge", "judge-2"]
    assert place.statuses().errors(place.spec) is None, "two checks decide together"


def test_a_new_measurement_replaces_the_old_one(tmp_path: Path) -> None:
    place = Place(tmp_path, "")
    old = place.measure(20, 0, 0, 20, sha256="1" * 64)
    assert place.measure(20, 0, 0, 20) == old
    assert place.told() == []
    text = old.read_text(encoding="ascii")
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"


def test_what_has_to_be_said_is_warned_of_once(tmp_path: Path) -> None:
    place = Place(tmp_path, REQUIRED)
    statuses = place.statuses()
    statuses.of(place.spec)
    statuses.of(place.spec)
    assert len(place.warnings) == 1


def test_calibrations_that_cannot_be_used_are_left_out(tmp_path: Path) -> None:
    place = Place(tmp_path, REQUIRED)
    folder = place.measure(20, 0, 0, 20).parent
    (folder / "broken.json").write_text("{", encoding="utf-8")
    (folder / "other.json").write_text('{"version": 2}', encoding="utf-8")
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    (folder / "link.json").symlink_to("/dev/zero")
    found = read_calibrations(place.workspace, place.warnings.append)
    assert len(found) == 1
    assert len(place.warnings) == 3
    assert all("this calibration is left out: " in one for one in place.warnings)


def test_nothing_is_written_outside_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    place = Place(tmp_path / "ws", "")
    (tmp_path / "ws" / "lve.calibrations").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="leads out of the workspace"):
        place.measure(1, 0, 0, 1)
    assert read_calibrations(place.workspace, place.warnings.append) == ()


def test_a_key_never_stands_in_a_calibration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    place = Place(tmp_path, "", check={"judge": f"It doesn't say {key}."})
    assert key not in place.measure(5, 0, 0, 5).read_text(encoding="ascii")
