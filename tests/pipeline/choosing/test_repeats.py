"""How often an instance runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums
from support.results import make_result

from lve.options.run_options import RunOptions
from lve.pipeline.choosing.repeats import RepeatPlan, Rounds, repeats_of
from lve.settings.settings import Caps, Settings
from lve.spec.load import load_spec
from lve.spec.spec import Expectation

VERDICTS = ("passed", "failed", "passed")


@pytest.mark.parametrize(
    ("document", "options", "cap", "expected"),
    [
        ({}, {}, 100, 1),
        ({"repeats": 5}, {}, 100, 5),
        ({"repeats": 5}, {}, 3, 3),
        ({"repeats": 5}, {"repeats": 7}, 3, 7),
    ],
)
def test_repeats(
    tmp_path: Path, document: dict[str, Any], options: dict[str, Any], cap: int, expected: int
) -> None:
    spec = load_spec(write_sums(workspace(tmp_path) / "sums", 1, **document))
    assert repeats_of(spec, RunOptions(**options), Settings(caps=Caps(repeats=cap))) == expected


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_a_round_is_about_as_large_as_those_before_it(tmp_path: Path, rows: int) -> None:
    spec = load_spec(write_sums(workspace(tmp_path) / "s", 1, expect={"pass_rate": ">= 0.5"}))
    rounds = Rounds(spec.expect, RepeatPlan(30, is_sequential=True))
    first = rounds.begin()
    assert (first.start, rounds.ahead) == (0, 0), "nobody knows yet how many rows there are"
    turns = 0
    while True:
        for repeat in range(first.start, first.stop):
            for line in range(rows):
                rounds.count(make_result(line=line + 1, repeat=repeat, verdict=VERDICTS[line % 3]))
        if not rounds.needs_more():
            break
        following = rounds.begin()
        assert following.start == first.stop
        assert rounds.ahead == len(following) * rows
        first, turns = following, turns + 1
    assert turns or rows == 1
    assert first.stop <= 30


@pytest.mark.parametrize("most", [1, 5])
def test_repeats_that_decide_nothing_are_one_round(most: int) -> None:
    rounds = Rounds(Expectation(), RepeatPlan(most))
    assert rounds.begin() == range(most)
    assert not rounds.needs_more()
    assert len(rounds.begin()) == 0
