"""Many tests lie packed in memory, and are the same when they are read."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from lve.errors import SpecError
from lve.spec import many
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.many import Specs, packed, whole
from lve.spec.spec import Spec

REPOSITORY = Path(__file__).parents[2] / "repository"


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "MANY", 2)


def spec(number: int, description: str = "d") -> Spec:
    path = f"t{number}"
    return Spec(Path("/w") / path / "test.json", Path("/w"), path, "c", path, description)


def test_a_packed_test_of_the_repository_is_equal() -> None:
    checked = 0
    for file in discover([REPOSITORY], report=lambda problem: None):
        try:
            test = load_spec(file)
        except SpecError:
            continue
        unpacked = whole(packed(test))
        assert unpacked == test
        assert unpacked.folder == test.folder
        checked += 1
    assert checked > 20


def test_an_unpacked_test_is_packed_again_as_it_is_now() -> None:
    content = packed(spec(1))
    unpacked = whole(content)
    assert packed(unpacked) == content
    assert whole(packed(content)) == unpacked
    assert whole(packed(replace(unpacked, repeats=7))).repeats == 7
    assert whole(packed(spec(2))).path == "t2"


def test_tests_packed_before_others_are_still_what_they_were() -> None:
    tests = [spec(number, f"what {number} shows " * 30) for number in range(5)]
    contents = [packed(test) for test in tests]
    assert [whole(content) for content in contents] == tests


def test_it_is_a_list() -> None:
    specs = Specs(spec(number) for number in range(4))
    assert [test.path for test in specs] == ["t0", "t1", "t2", "t3"]
    assert len(specs) == 4
    assert specs[-1] == spec(3)
    assert list(specs[1:3]) == [spec(1), spec(2)]
    specs += [spec(9)]
    assert [test.path for test in specs] == ["t0", "t1", "t2", "t3", "t9"]
    assert spec(3) in specs


def test_drained_tests_come_in_order_and_are_gone() -> None:
    specs = Specs(spec(number) for number in range(4))
    drained = specs.drain()
    assert next(drained).path == "t0"
    assert [test.path for test in drained] == ["t1", "t2", "t3"]
    assert not specs


def test_the_first_ones_stay_as_they_are() -> None:
    first, second, third = spec(0), spec(1), spec(2)
    specs = Specs([first, second, third])
    assert specs[0] is first
    assert specs[1] is second
    assert specs[2] is not third


def test_a_further_test_takes_few_bytes() -> None:
    def taken_by(count: int) -> int:
        tracemalloc.start()
        specs = Specs(spec(number, f"{number}" + "word " * 400) for number in range(count))
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert len(specs) == count
        return size

    assert (taken_by(600) - taken_by(100)) / 500 < 600
