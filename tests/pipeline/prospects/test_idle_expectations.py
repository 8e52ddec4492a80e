"""Expectations that no results can fail, and a 1 that isn't 100 %, are warnings at every door."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import write_test

from lve.pipeline.prospects.idle_expectations import idle_expectation, rows_to_tell
from lve.settings.settings import Settings
from lve.spec.load import load_spec

NONE = "can't fail: it is met even if no result passes"
ALL = "can't fail: it is met even if all results pass"
ONE = "1 is one result, whatever the number of rows"
ERRORS = "every result may be an error: there are 3 results"
SILENT: list[str] = []
HOT = {"default_model_args": {"temperature": 1}}

CASES = [
    ({"at_least": 0}, {}, ["at_least", NONE]),
    ({"at_least": -0.0}, {}, ["at_least", NONE]),
    ({"at_least": "0%"}, {}, ["at_least", NONE]),
    ({"at_least": 1e-9}, {}, ["at_least", NONE]),
    ({"at_least": 0.01}, {}, SILENT),
    ({"at_most": 1.0}, {}, ["at_most", ALL]),
    ({"at_most": "100%"}, {}, ["at_most", ALL]),
    ({"at_most": 3}, {}, ["at_most", "tells nothing: there are 3 results, so no more can pass"]),
    ({"at_most": 30}, {}, ["at_most", "tells nothing: there are 3 results, so no more can pass"]),
    ({"at_most": 2}, {}, SILENT),
    ({"at_most": 0}, {}, SILENT),
    ({"at_most": 1}, {}, SILENT),
    ({"at_least": 1}, {}, ["at_least", ONE]),
    ({"at_least": 1.0}, {}, SILENT),
    ({"at_least": "100%"}, {}, SILENT),
    ({"at_least": 3}, {}, SILENT),
    ({"at_least": 0.9, "max_errors": 3}, {}, ["max_errors", ERRORS]),
    ({"at_least": 0.9, "max_errors": 2}, {}, SILENT),
    ({"pass_rate": 0}, {}, ["pass_rate", NONE]),
    ({"pass_rate": ">=0"}, HOT, ["pass_rate", NONE]),
    ({"pass_rate": "<=1"}, HOT, ["pass_rate", ALL]),
    ({"pass_rate": "<=1", "claim": "population"}, HOT, ["pass_rate", ALL]),
    ({"pass_rate": "<=0.9"}, HOT, SILENT),
    ({"at_most": 3}, {"repeats": 2}, SILENT),
    ({"at_most": 6}, {"repeats": 2}, ["at_most", "tells nothing: there are 6 results"]),
    ("pass", {}, SILENT),
]


def write(folder: Path, expect: object, rows: int = 3, **more: Any) -> Path:
    """Write a test of some rows."""
    return write_test(
        folder,
        prompt=[{"content": "Say hello to {name}."}],
        prompt_parameters=["name"],
        dataset=[{"name": f"n{number}"} for number in range(rows)],
        **{"default_model_args": {"temperature": 0}, **more},
        expect=expect,
    )


@pytest.mark.parametrize(("expect", "more", "wanted"), CASES)
def test_what_can_not_fail_is_a_warning_at_its_value(
    tmp_path: Path, expect: object, more: dict[str, Any], wanted: list[str]
) -> None:
    spec = load_spec(write(tmp_path / "t", expect, **more), tmp_path)
    warnings = list(idle_expectation(spec, 3, Settings()))
    said = [part for one in warnings for part in (f"{one.path}: ", one.message)]
    assert len(said) == len(wanted)
    assert all(part in text for part, text in zip(wanted, said, strict=True)), said
    assert all(one.line and one.column and one.severity == "warning" for one in warnings)


def test_one_of_one_result_is_all_of_them(tmp_path: Path) -> None:
    spec = load_spec(write(tmp_path / "t", {"at_least": 1}, rows=1), tmp_path)
    assert not list(idle_expectation(spec, 1, Settings()))
    assert rows_to_tell(spec, Settings()) == 2
    assert not list(idle_expectation(spec, 0, Settings()))


@pytest.mark.parametrize("rows", [2, 3])
def test_every_door_says_so(root: Path, rows: int) -> None:
    """Only as many rows are read as it takes: with a third one, two don't meet `at_most: 2`."""
    write(root / "t", {"at_most": 2}, rows=rows)
    for door in (("check", "t"), ("run", "t"), ("run", "t", "--dry-run")):
        result = lve(*door, code=None)
        count = result.output.count("t/test.json:") + result.output.count("t\\test.json:")
        assert count == (1 if rows == 2 else 0), result.output
        assert ("tells nothing" in result.output) == (rows == 2)


def test_a_run_against_two_models_says_it_once(root: Path) -> None:
    write(root / "t", {"at_least": 1})
    result = lve("run", "t", "--model", "dummy/a", "--model", "dummy/b")
    assert result.output.count(ONE) == 1
    assert "1.0 or 100% is every result" in result.output


def test_a_part_of_the_rows_is_not_judged_by_it(root: Path) -> None:
    write(root / "t", {"at_most": 2})
    result = lve("run", "t", "--limit", "2", code=4)
    assert "tells nothing" not in result.output
    assert "expected at most 2: too few results to tell" in result.output


def test_the_expectation_of_a_model_alone_counts(root: Path) -> None:
    models = [{"model": "dummy/a"}, {"model": "dummy/b", "expect": {"at_least": 0}}]
    write(root / "t", {"at_least": 0.9}, model=None, models=models)
    said = lve("check", "t").output
    assert said.count("can't fail") == 1
    assert "$.models[1].expect.at_least" in said
