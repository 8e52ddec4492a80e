"""What a test's pass rate can decide under the maintainer's settings."""

from __future__ import annotations

from pathlib import Path

from support.folders import write_sums

from lve.options.run_options import DEFAULTS, RunOptions
from lve.pipeline.prospects.rate_prospects import (
    POWER,
    prospect,
    rate_problems,
    unmeetable_rate,
)
from lve.pipeline.prospects.row_count import RowCount
from lve.settings.settings import Caps, Settings
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec

SETTINGS = Settings(caps=Caps(repeats=50))


def spec(folder: Path, expect: object) -> Spec:
    return load_spec(write_sums(folder / "t", 1, expect=expect), folder)


def test_what_is_suggested_is_within_the_caps(tmp_path: Path) -> None:
    few = spec(tmp_path, {"pass_rate": ">=0.9", "max_repeats": 10})
    found, tight = (
        unmeetable_rate(few, RowCount(1), Settings(caps=Caps(repeats=n))) for n in (50, 20)
    )
    assert found is not None
    assert tight is not None
    assert found.hint == "`max_repeats: 43`, or 5 rows would do"
    assert tight.hint == "5 rows would do"


def test_the_caps_hold_for_the_default_of_max_repeats(tmp_path: Path) -> None:
    default = spec(tmp_path, {"pass_rate": ">=0.9"})
    found = unmeetable_rate(default, RowCount(1), Settings(caps=Caps(repeats=20)))
    assert found is not None
    assert "at most 20 repeats" in found.message


def test_a_rate_that_shall_be_low_is_told_of_failures(tmp_path: Path) -> None:
    low = spec(tmp_path, {"pass_rate": "<=0.1", "max_repeats": 10})
    found = unmeetable_rate(low, RowCount(1), SETTINGS)
    assert found is not None
    assert "even if all 10 runs fail, the true rate could be as high as 0.3" in found.message


def test_a_smaller_run_is_not_refused(tmp_path: Path) -> None:
    few = spec(tmp_path, {"pass_rate": ">=0.9", "max_repeats": 10})
    assert rate_problems(few, RowCount(1), DEFAULTS, SETTINGS)
    assert rate_problems(few, RowCount(1), RunOptions(models=("replay",)), SETTINGS)
    assert rate_problems(few, RowCount(1), RunOptions(limit=1), SETTINGS) == []


def test_tests_without_a_rate_or_instances_are_not_refused(tmp_path: Path) -> None:
    assert unmeetable_rate(spec(tmp_path, "pass"), RowCount(1), SETTINGS) is None
    assert (
        unmeetable_rate(
            spec(tmp_path, {"pass_rate": ">=0.9", "max_repeats": 1}), RowCount(), SETTINGS
        )
        is None
    )


def test_the_suggested_repeats_or_instances_decide_often_enough(tmp_path: Path) -> None:
    test = spec(tmp_path, {"pass_rate": ">=0.5", "max_repeats": 20})
    found = prospect(test, RowCount(1), SETTINGS)
    assert found.chances[1].passed < POWER
    assert found.enough_repeats is not None
    more = spec(tmp_path, {"pass_rate": ">=0.5", "max_repeats": found.enough_repeats})
    assert prospect(more, RowCount(1), SETTINGS).chances[1].passed >= POWER
    tight = prospect(test, RowCount(1), Settings(caps=Caps(repeats=20)))
    assert (tight.enough_repeats, tight.enough_instances) == (None, 3)
    assert prospect(test, RowCount(3), SETTINGS).chances[1].passed >= POWER


CLUSTERED = {"pass_rate": ">=0.9", "claim": "population", "cluster": "a"}


def instances(count: int, clusters: int) -> list[Instance]:
    return [Instance({"a": n % clusters}, {}, {}, "x", n + 1) for n in range(count)]


def test_a_claim_about_clusters_needs_enough_clusters(tmp_path: Path) -> None:
    test = spec(tmp_path, CLUSTERED)
    found = unmeetable_rate(test, RowCount.of(test, instances(60, 3)), SETTINGS)
    assert found is not None
    assert "can't be met with 3 clusters by a" in found.message
    assert "even if all runs pass, the true rate could be as low as 0.368" in found.message
    assert found.hint == "29 clusters would do; repeats say nothing about others"
    assert unmeetable_rate(test, RowCount.of(test, instances(60, 29)), SETTINGS) is None


def test_all_instances_of_clusters_are_run(tmp_path: Path) -> None:
    test = spec(tmp_path, CLUSTERED)
    found = prospect(test, RowCount.of(test, instances(60, 30)), SETTINGS, RunOptions(repeats=2))
    assert (found.best_case.instances, {one.runs for one in found.chances}) == (30, {120})


def test_a_bound_near_1_is_not_rounded_to_it(tmp_path: Path) -> None:
    high = spec(tmp_path, {"pass_rate": ">=0.9999", "max_repeats": 1})
    found = unmeetable_rate(high, RowCount(10_000), SETTINGS)
    assert found is not None
    assert "the true rate could be as low as 0.999700" in found.message
