"""The special functions agree with those of scipy."""

from __future__ import annotations

import random
from typing import Any

import pytest

from lve.verdicts.rates import beta
from lve.verdicts.rates.beta import beta_quantile, incomplete_beta, t_quantile


@pytest.fixture(scope="module")
def stats() -> Any:
    """scipy takes most of a second: only the process that runs these tests imports it."""
    return pytest.importorskip("scipy.stats")


@pytest.fixture(scope="module")
def special() -> Any:
    return pytest.importorskip("scipy.special")


def test_the_beta_function_and_its_quantiles_are_scipys(stats: Any, special: Any) -> None:
    source = random.Random(1)
    for _ in range(500):
        a, b = (10 ** source.uniform(-0.3, 6) for _ in range(2))
        tail = source.choice([0.001, 0.025, 0.05, 0.5, 0.975, 0.999])
        x = stats.beta.ppf(tail, a, b)
        assert incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), abs=1e-9)
        assert beta_quantile(tail, a, b) == pytest.approx(x, abs=1e-9)


@pytest.mark.parametrize("freedom", [1, 2, 3.5, 9, 10, 29, 100, 10_000, 1_000_000])
@pytest.mark.parametrize("probability", [0.6, 0.9, 0.95, 0.975, 0.9995])
def test_students_quantiles_are_scipys(stats: Any, probability: float, freedom: float) -> None:
    known = stats.t.ppf(probability, freedom)
    assert t_quantile(probability, freedom) == pytest.approx(known, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("tail", "a", "b"),
    [(0.025, 401, 100), (0.975, 1, 1e6), (0.05, 3, 30), (0.5, 0.5, 0.5), (0.995, 5000, 8)],
)
def test_a_quantile_takes_few_steps(
    monkeypatch: pytest.MonkeyPatch, tail: float, a: float, b: float
) -> None:
    steps: list[float] = []

    def counted(x: float, *shape: float) -> float:
        steps.append(x)
        return incomplete_beta(x, *shape)

    monkeypatch.setattr(beta, "incomplete_beta", counted)
    x = beta_quantile.__wrapped__(tail, a, b)
    assert len(steps) <= 12, "halvings take 60"
    assert incomplete_beta(x, a, b) == pytest.approx(tail, rel=1e-12)
