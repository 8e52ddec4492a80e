"""Agreement of a checker's verdicts with people's labels."""

from __future__ import annotations

import random

import pytest

from lve.extensions.calibration.confusion import (
    Confusion,
    Labelled,
    kappa,
    kappa_error,
    kappa_interval,
    label_agreement,
)
from lve.verdicts.rates.statistics import pass_rate

TABLES = [
    (20, 5, 10, 15),
    (45, 15, 25, 15),
    (40, 0, 0, 40),
    (3, 1, 0, 96),
    (1, 7, 9, 2),
    (0, 5, 6, 0),
]


def rows(table: tuple[int, ...], *, per_instance: int = 1) -> list[Labelled]:
    kinds = ((True, True), (True, False), (False, True), (False, False))
    said = [kind for kind, count in zip(kinds, table, strict=True) for _ in range(count)]
    return [Labelled(index // per_instance, *one) for index, one in enumerate(said)]


def test_kappa_is_that_of_published_examples() -> None:
    """Two examples that textbooks share: the same agreement, of which chance explains different
    parts."""
    assert kappa(Confusion(20, 5, 10, 15)) == pytest.approx(0.4)
    assert kappa(Confusion(45, 15, 25, 15)) == pytest.approx(0.1304347826, abs=1e-9)
    assert kappa(Confusion(25, 35, 5, 35)) == pytest.approx(0.2592592593, abs=1e-9)


@pytest.mark.parametrize("table", TABLES)
def test_kappa_and_its_error_are_those_of_statsmodels(table: tuple[int, int, int, int]) -> None:
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    known = raters.cohens_kappa([table[:2], table[2:]])
    assert kappa(Confusion(*table)) == pytest.approx(known.kappa, abs=1e-9)
    assert kappa_error(Confusion(*table)) == pytest.approx(known.std_kappa, abs=1e-9)


def test_shares_have_exact_intervals_where_each_instance_has_one_label() -> None:
    found = label_agreement(rows((48, 2, 5, 45)))
    for share, hits, labels in (
        (found.tpr, 48, 50),
        (found.tnr, 45, 50),
        (found.precision, 48, 53),
        (found.accuracy, 93, 100),
    ):
        exact = pass_rate(hits, labels)
        assert share is not None
        assert (share.hits, share.labels, share.number) == (hits, labels, labels)
        assert share.estimate[:3] == pytest.approx((hits / labels, exact.low, exact.high))
    assert found.instances == 100


def test_labels_of_one_instance_count_less() -> None:
    alone, together = (label_agreement(rows((40, 10, 10, 40), per_instance=n)) for n in (1, 10))
    for one, other in ((alone.tpr, together.tpr), (alone.accuracy, together.accuracy)):
        assert one is not None
        assert other is not None
        assert other.estimate.value == one.estimate.value
        assert other.number < one.number / 3
        assert other.estimate.low < one.estimate.low - 0.05
    assert alone.kappa is not None
    assert together.kappa is not None
    assert together.kappa.low < alone.kappa.low - 0.1


def test_what_labels_cannot_tell_is_left_out() -> None:
    only_good = label_agreement(rows((9, 1, 0, 0)))
    assert only_good.tnr is None
    assert only_good.kappa is not None
    assert only_good.kappa.value == 0
    one_word = label_agreement(rows((9, 0, 0, 0)))
    assert one_word.kappa is None
    assert label_agreement([]).accuracy is None


def test_few_labels_that_all_agree_do_not_prove_agreement() -> None:
    found = kappa_interval(Confusion(5, 0, 0, 5))
    assert found is not None
    assert found.value == found.high == 1.0
    assert found.low < 0.6


@pytest.mark.parametrize(
    ("labels", "passing", "tpr", "tnr"),
    [(20, 0.5, 0.98, 0.98), (40, 0.2, 0.9, 0.9), (100, 0.05, 0.9, 0.9), (100, 0.5, 0.7, 0.7)],
)
def test_the_interval_covers_kappa(labels: int, passing: float, tpr: float, tnr: float) -> None:
    """Wald's, without what is added to the cells, covers 33 % in the first of these cases."""
    shares = (
        passing * tpr, passing * (1 - tpr), (1 - passing) * (1 - tnr), (1 - passing) * tnr
    )  # fmt: skip
    true = kappa(Confusion(*(round(share * 10**9) for share in shares)))
    assert true is not None
    source, covered, rounds = random.Random(3), 0, 1000
    for _ in range(rounds):
        drawn = source.choices(range(4), shares, k=labels)
        found = kappa_interval(Confusion(*(drawn.count(kind) for kind in range(4))))
        covered += found is None or found.low <= true <= found.high
    assert covered >= 0.93 * rounds
