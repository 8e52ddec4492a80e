"""Which instances belong to a shard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums, write_test

from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import select_instances
from lve.pipeline.row_totals import estimate_total
from lve.settings.settings import Settings
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec


def args_of(spec: Spec, shard: str, model: str = "replay", **options: Any) -> list[str]:
    found = select_instances(spec, RunOptions(shard=shard, **options), Settings(), model=model)
    return [str(one.args) for one in found if isinstance(one, Instance)]


def sums(root: Path, count: int, **document: Any) -> Spec:
    return load_spec(write_sums(workspace(root) / "sums", count, **document))


def test_shards_are_disjoint_whole_and_balanced(tmp_path: Path) -> None:
    spec = sums(tmp_path, 800)
    parts = [args_of(spec, f"{number}/8") for number in range(1, 9)]
    together = [one for part in parts for one in part]
    assert len(together) == len(set(together)) == 800
    assert all(70 <= len(part) <= 130 for part in parts)


def test_a_shard_is_the_same_on_all_machines(tmp_path: Path) -> None:
    expected = [2, 9, 13, 16, 18, 23, 25, 33, 37, 38]
    args = [str({"a": str(a), "b": str(a * 7 % 10)}) for a in expected]
    assert args_of(sums(tmp_path, 40), "1/4") == args


def test_the_order_and_other_rows_dont_matter(tmp_path: Path) -> None:
    spec = sums(tmp_path, 50)
    before = set(args_of(spec, "2/3"))
    file = spec.folder / "instances" / "main.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:25:-1], lines[25], lines[0]]) + "\n")
    now = args_of(spec, "2/3")
    assert now
    assert set(now) <= before


def test_the_same_rows_of_other_tests_are_dealt_otherwise(tmp_path: Path) -> None:
    workspace(tmp_path)
    first, second = (load_spec(write_sums(tmp_path / name, 50)) for name in "ab")
    assert args_of(first, "1/2") != args_of(second, "1/2")


def test_the_same_rows_for_another_model_are_dealt_otherwise(tmp_path: Path) -> None:
    spec = load_spec(write_test(workspace(tmp_path) / "one"))
    homes = {
        number
        for model in map(str, range(20))
        for number in range(1, 5)
        if args_of(spec, f"{number}/4", model)
    }
    assert homes == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("rate", "options", "is_whole"),
    [
        ({"pass_rate": ">= 0.5"}, {}, True),
        ({"pass_rate": ">= 0.5"}, {"repeats": 3}, False),
        ({"pass_rate": ">= 0.5", "claim": "population"}, {}, False),
    ],
)
def test_what_decides_when_it_ends_stays_whole(
    tmp_path: Path, rate: dict[str, Any], options: dict[str, Any], is_whole: bool
) -> None:
    spec = sums(tmp_path, 40, expect=rate, default_model_args={"temperature": 1})
    found = [len(args_of(spec, shard, **options)) for shard in ("1/3", "2/3", "3/3")]
    assert sum(found) == 40
    assert (sorted(found) == [0, 0, 40]) == is_whole


def test_a_test_of_one_instance_is_in_one_shard(tmp_path: Path) -> None:
    spec = load_spec(write_test(workspace(tmp_path) / "one"))
    assert sorted(len(args_of(spec, f"{n}/5")) for n in range(1, 6)) == [0, 0, 0, 0, 1]


def test_the_limit_is_taken_before_the_shard(tmp_path: Path) -> None:
    spec = sums(tmp_path, 40)
    assert sum(len(args_of(spec, f"{n}/3", limit=10)) for n in (1, 2, 3)) == 10


def test_the_total_of_the_progress_is_that_of_the_shard(tmp_path: Path) -> None:
    spec, options = sums(tmp_path, 40), RunOptions(shard="1/4")
    total = estimate_total([(spec, "replay")], options, Settings())
    assert total == len(args_of(spec, "1/4"))
