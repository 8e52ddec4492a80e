"""How many rows, instances or clusters a pass rate counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lve.pipeline.prospects.row_count import RowCount
from lve.spec.spec import Expectation, Instance, Spec

RATE: dict[str, Any] = {"kind": "rate", "threshold": 0.9}
ROWS = [({"a": 1}, 0), ({"a": 1}, 1), ({"a": 2}, 0), ({"a": 2}, 1), ({"a": 3}, 0)]


@pytest.mark.parametrize(
    ("expect", "units", "words"),
    [
        ({}, 5, "5 rows"),
        ({"has_alike_repeats": True}, 3, "3 rows"),
        ({"claim": "population"}, 3, "3 rows"),
        ({"claim": "population", "cluster": "a"}, 3, "3 clusters by a"),
        ({"claim": "these", "cluster": "a"}, 5, "5 rows"),
    ],
)
def test_repeats_and_clusters_are_no_further_results(
    expect: dict[str, Any], units: int, words: str
) -> None:
    spec = Spec(
        Path("/w/t/test.json"),
        Path("/w"),
        "t",
        "c",
        "t",
        "d",
        expect=Expectation(**RATE, **expect),
    )
    instances = [Instance(args, args, {}, "a.jsonl", 1, repeat=repeat) for args, repeat in ROWS]
    size = RowCount.of(spec, [*instances, "no instance"])
    assert (size.instances, size.rows) == (5, 3)
    assert (size.units, str(size)) == (units, words)
    few = RowCount.of(spec)
    few.add_enough(iter(instances), 2)
    assert few.units == 2
