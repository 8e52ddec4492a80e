from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.verdicts.rates import paired
from lve.verdicts.rates.paired import holm, mcnemar, paired_test, sign_flip_test

changes = st.integers(1, 4).flatmap(
    lambda pairs: st.tuples(st.integers(-pairs, pairs), st.just(pairs))
)
few_clusters = st.lists(changes, min_size=1, max_size=9).map(Counter)


@pytest.mark.parametrize(
    ("broken", "fixed"), [(0, 1), (6, 0), (8, 1), (3, 3), (10, 12), (40, 21), (900, 1001)]
)
def test_mcnemar_is_that_of_statsmodels(broken: int, fixed: int) -> None:
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    theirs = tables.mcnemar([[5, broken], [fixed, 7]], exact=True).pvalue
    assert mcnemar(broken, fixed) == pytest.approx(theirs, abs=1e-9)


def test_without_a_flip_there_is_no_difference() -> None:
    assert mcnemar(0, 0) == 1
    assert sign_flip_test({(0, 3): 10}).p == 1
    assert paired_test({}).p == 1


@pytest.mark.parametrize("seed", range(4))
def test_the_permutation_test_is_that_of_scipy(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    numpy = pytest.importorskip("numpy")
    source = random.Random(seed)
    clusters = [(source.randint(-4, 3), source.choice((4, 8))) for _ in range(10)]
    values = numpy.array([change / pairs for change, pairs in clusters])
    theirs = stats.permutation_test(
        (values, numpy.zeros_like(values)),
        lambda one, other, axis: numpy.mean(one - other, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=numpy.inf,
    )
    found = sign_flip_test(Counter(clusters))
    assert found.method == "permutation"
    assert found.p == pytest.approx(theirs.pvalue, abs=1e-9)


@given(few_clusters)
def test_the_exact_p_value_counts_all_signs(clusters: Counter[tuple[int, int]]) -> None:
    values = [24 * change // pairs for change, pairs in clusters.elements()]  # whole: pairs < 5
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, values, strict=True)))
        for signs in product((-1, 1), repeat=len(values))
    ]
    expected = sum(one >= abs(sum(values)) for one in sums) / len(sums)
    assert sign_flip_test(clusters).p == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 50))
def test_single_pairs_give_the_same_by_both_tests(broken: int, fixed: int, same: int) -> None:
    pairs = {(-1, 1): broken, (1, 1): fixed, (0, 1): same}
    assert paired_test(pairs) == (mcnemar(broken, fixed), "mcnemar")
    assert sign_flip_test(pairs).p == pytest.approx(mcnemar(broken, fixed), abs=1e-9)


def test_many_clusters_are_drawn_and_always_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    clusters = {(-2, 3): 30, (1, 3): 25, (2, 3): 18, (0, 3): 5}
    exact = sign_flip_test(clusters)
    monkeypatch.setattr(paired, "MAX_EXACT_WORK", 0)
    drawn = sign_flip_test(clusters)
    assert (exact.method, drawn.method) == ("permutation", "monte carlo")
    assert drawn.p == pytest.approx(exact.p, abs=0.01)
    assert drawn == sign_flip_test(clusters)


def test_a_drawn_p_value_is_never_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paired, "MAX_EXACT_WORK", 0)
    assert sign_flip_test({(3, 3): 500}).p == pytest.approx(1 / (paired.DRAWS + 1))


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_that_of_statsmodels(values: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    theirs = multitest.multipletests(values, method="holm")[1] if values else []
    assert holm(values) == pytest.approx(list(theirs), abs=1e-9)


def simulated(
    drop: float, *, repeats: int, samples: int = 400
) -> list[Counter[tuple[int, int, int]]]:
    """Return samples of 60 instances that differ much, as (pairs, passed before, passed now)."""
    source = random.Random(11)
    found = []
    for _ in range(samples):
        clusters: Counter[tuple[int, int, int]] = Counter()
        for _ in range(60):
            rate = source.betavariate(0.7, 0.3)
            before, now = (
                sum(source.random() < chance for _ in range(repeats))
                for chance in (rate, rate * (1 - drop))
            )
            clusters[repeats, before, now] += 1
        found.append(clusters)
    return found


def is_found(clusters: Counter[tuple[int, int, int]]) -> bool:
    differences: Counter[tuple[int, int]] = Counter()
    for (pairs, before, now), times in clusters.items():
        differences[now - before, pairs] += times
    return paired_test(differences).p <= 0.05


def is_found_unpaired(clusters: Counter[tuple[int, int, int]]) -> bool:
    """By Fisher's exact test, which takes both runs for different instances."""
    stats = pytest.importorskip("scipy.stats")
    pairs, before, now = (
        sum(key[index] * times for key, times in clusters.items()) for index in range(3)
    )
    return bool(stats.fisher_exact([[before, pairs - before], [now, pairs - now]])[1] <= 0.05)


@pytest.mark.parametrize("repeats", [1, 4])
def test_false_alarms_are_no_more_frequent_than_alpha(repeats: int) -> None:
    samples = simulated(0.0, repeats=repeats)
    assert sum(map(is_found, samples)) / len(samples) <= 0.065  # 0.05, and what chance adds


@pytest.mark.parametrize("repeats", [1, 4])
def test_a_drop_is_found_more_often_than_by_the_unpaired_test(repeats: int) -> None:
    samples = simulated(0.25, repeats=repeats, samples=200)
    found, unpaired = (sum(map(test, samples)) for test in (is_found, is_found_unpaired))
    assert found > unpaired
    assert found > 100
