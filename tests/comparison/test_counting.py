from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lve.comparison.counting import KEPT_FLIPS, count_pairs
from lve.comparison.pairing import Pairing
from lve.comparison.side import FAILED, NO_VERDICT, PASSED, Row
from lve.verdicts.rates.clusters import population_rate

ONE = {"m": "m"}
VERDICTS = (PASSED, FAILED, NO_VERDICT)


def rows(verdicts: list[list[int]], test: str = "t") -> list[Row]:
    """Return the results of some instances, each with its repeats."""
    return [
        Row(test, "m", "s", line, repeat, line, verdict, 1000 * line + repeat)
        for line, repeats in enumerate(verdicts, 1)
        for repeat, verdict in enumerate(repeats)
    ]


sides = st.lists(
    st.lists(st.tuples(st.sampled_from(VERDICTS), st.sampled_from(VERDICTS)), max_size=3),
    max_size=8,
)


@given(sides)
def test_pairs_are_counted_by_instance(both: list[list[tuple[int, int]]]) -> None:
    before = rows([[old for old, _ in one] for one in both])
    now = rows([[new for _, new in one] for one in both])
    judged = [[pair for pair in one if NO_VERDICT not in pair] for one in both]
    judged = [one for one in judged if one]
    found = count_pairs(Pairing(before, now, ONE))
    if not found.groups:
        assert not any(both)
        return
    (group,) = found.groups
    pairs = group.by_instance()
    flat = [pair for one in judged for pair in one]
    assert pairs.counts == (len(flat), flat.count((0, 1)), flat.count((1, 0)))
    assert pairs.clusters == len(judged)
    expected = Counter((sum(new - old for old, new in one), len(one)) for one in judged)
    assert Counter(pairs.differences) == expected
    for counts, index in ((pairs.before, 0), (pairs.now, 1)):
        rate = Counter((sum(pair[index] for pair in one), len(one)) for one in judged)
        assert population_rate(counts) == population_rate(rate)


def test_all_tests_together_are_compared_row_by_row() -> None:
    before = [*rows([[1], [1], [0]]), *rows([[1, 1], [0, 1]], "u"), *rows([[2]], "error")]
    now = [*rows([[0], [0], [1]]), *rows([[1, 0], [1, 1]], "u"), *rows([[1]], "error")]
    pairs = count_pairs(Pairing(before, now, ONE)).together()
    assert pairs.counts == (7, 2, 3)
    assert pairs.clusters == 5
    assert pairs.differences == {(-1, 1): 2, (1, 1): 1, (-1, 2): 1, (1, 2): 1}
    assert pairs.before == {(1, 1): 2, (0, 1): 1, (2, 2): 1, (1, 2): 1}
    assert pairs.now == {(0, 1): 2, (1, 1): 1, (1, 2): 1, (2, 2): 1}


def test_the_first_flips_are_kept_and_all_are_counted() -> None:
    many = KEPT_FLIPS + 5
    found = count_pairs(Pairing(rows([[1]] * many), rows([[0]] * many), ONE))
    assert len(found.broken) == KEPT_FLIPS
    assert found.broken[0] == (0, 1000, 1000)
    assert found.groups[0].broken == many


def test_tests_that_only_advise_are_no_part_of_all_together() -> None:
    advice = [row._replace(is_advisory=True) for row in rows([[0], [0]], "advice")]
    before, now = [*rows([[1]]), *rows([[1], [1]], "advice")], [*rows([[0]]), *advice]
    found = count_pairs(Pairing(before, now, ONE))
    assert found.together().counts == (1, 0, 1)
