from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lve.comparison.pairing import MISSING, NOWHERE, Pair, Pairing
from lve.comparison.side import FAILED, PASSED, Row

ONE = {"m": "m"}


def row(line: int = 1, args: int = 1, verdict: int = PASSED, **more: object) -> Row:
    fields = {"test": "t", "model": "m", "source": "s", "line": line, "repeat": 0, "args": args}
    return Row(**{**fields, "verdict": verdict, "where": 100 * line + args, **more})  # type: ignore[arg-type]


def pairs(before: list[Row], now: list[Row]) -> list[tuple[int, int]]:
    """Return where the results of each pair are."""
    return [(pair.before_at, pair.now_at) for pair in Pairing(before, now, ONE)]


def test_the_same_place_and_args_are_a_pair() -> None:
    (pair,) = Pairing([row(verdict=PASSED)], [row(verdict=FAILED, where=7)], ONE)
    assert pair == Pair(0, pair.instance, PASSED, FAILED, 101, 7, False)


def test_rows_that_have_moved_are_found_by_their_args() -> None:
    before, now = [row(1, 11), row(2, 12)], [row(1, 10), row(2, 11), row(3, 12)]
    assert pairs(before, now) == [(111, 211), (212, 312), (NOWHERE, 110)]


def test_recorded_answers_to_the_same_args_are_paired_in_their_order() -> None:
    before, now = [row(1, 5), row(2, 5), row(3, 5)], [row(2, 5), row(4, 5), row(5, 5)]
    assert pairs(before, now) == [(105, 405), (205, 205), (305, 505)]


def test_recorded_repeats_are_of_one_row_wherever_they_stand() -> None:
    asked = [row(1, 5, repeat=number, source="instances/x.jsonl") for number in range(3)]
    recorded = [
        row(number + 1, 5, repeat=number, source="instances/x.jsonl") for number in range(3)
    ]
    for before in (asked, recorded):
        found = list(Pairing(before, recorded, ONE))
        assert len(found) == 3
        assert len({pair.instance for pair in found}) == 1
    elsewhere = [row(number + 1, 5, repeat=number, source="rows.csv") for number in range(3)]
    assert len({pair.instance for pair in Pairing(elsewhere, elsewhere, ONE)}) == 3


def test_args_that_somebody_changed_are_found_by_their_place() -> None:
    assert pairs([row(1, 5), row(2, 6)], [row(1, 5), row(2, 7)]) == [(105, 105), (206, 207)]


def test_a_later_result_of_the_same_instance_counts() -> None:
    before = [row(verdict=FAILED, where=1), row(verdict=PASSED, where=2)]
    now = [row(verdict=FAILED, where=3), row(verdict=PASSED, where=4)]
    (pair,) = Pairing(before, now, ONE)
    assert (pair.before, pair.before_at, pair.now, pair.now_at) == (PASSED, 2, PASSED, 4)


def test_a_later_result_of_a_new_instance_counts() -> None:
    (pair,) = Pairing([], [row(verdict=FAILED, where=3), row(verdict=PASSED, where=4)], ONE)
    assert (pair.before, pair.now, pair.now_at) == (MISSING, PASSED, 4)


def test_tests_models_and_repeats_are_kept_apart() -> None:
    other = [row(test="u"), row(repeat=1), row(model="other")]
    assert [pair.now for pair in Pairing([row()], other, ONE)] == [MISSING, PASSED, PASSED]


def test_one_model_is_compared_with_another() -> None:
    before, now = [row(), row(model="n", verdict=FAILED)], [row(model="n", verdict=FAILED), row()]
    found = Pairing(before, now, {"n": "m"})
    assert [(pair.before, pair.now) for pair in found] == [(PASSED, FAILED)]
    assert found.groups == [("t", "m")]


def test_repeats_of_an_instance_have_it_in_common() -> None:
    rows = [row(1, repeat=0), row(1, repeat=1), row(2, repeat=0)]
    found = Pairing(rows, rows, ONE)
    assert sorted(Counter(pair.instance for pair in found).values()) == [1, 2]
    assert found.repeated == {0}


def test_repeats_of_one_side_alone_are_repeats() -> None:
    once, twice = [row(1)], [row(1), row(1, repeat=1)]
    assert Pairing(once, twice, ONE).repeated == Pairing(twice, once, ONE).repeated == {0}


rows = st.lists(
    st.builds(
        row,
        st.integers(1, 4),
        st.integers(1, 3),
        st.sampled_from((PASSED, FAILED)),
        repeat=st.integers(0, 1),
        test=st.sampled_from("tu"),
    ),
    max_size=14,
)


@given(rows, rows)
def test_every_instance_is_in_one_pair_and_none_is_left_over_that_fits(
    before: list[Row], now: list[Row]
) -> None:
    before = [one._replace(where=place) for place, one in enumerate(before)]
    now = [one._replace(where=place) for place, one in enumerate(now)]
    last = [{one._replace(where=0, verdict=0): one for one in side} for side in (before, now)]
    found = list(Pairing(before, now, ONE))
    seen = (
        sorted(pair.before_at for pair in found if pair.before != MISSING),
        sorted(pair.now_at for pair in found if pair.now != MISSING),
    )
    assert seen == tuple(sorted(one.where for one in side.values()) for side in last)
    for key, one in last[0].items():
        if key in last[1]:
            assert any(
                (pair.before_at, pair.now_at) == (one.where, last[1][key].where) for pair in found
            )
    gone = [before[pair.before_at] for pair in found if pair.now == MISSING]
    new = [now[pair.now_at] for pair in found if pair.before == MISSING]
    for one in gone:
        for other in new:
            same = (one.test, one.repeat) == (other.test, other.repeat)
            assert not (same and (one.args == other.args or one.line == other.line))
