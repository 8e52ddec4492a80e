"""Runs against a target that yields to each attack at its own rate: the intervals have the rates.

`LVE_ATTACK_RUNS=1000` makes as many runs; a few are enough to find a mistake.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from support.folders import write_test

import lve
from lve.extensions.attacks.by_name import attacked
from lve.extensions.breakdown.rates import rate_tables

RUNS = int(os.environ.get("LVE_ATTACK_RUNS", "60"))
ROWS = [f"row {number}" for number in range(20)]
RATES = {"none": 0.0, "rot13": 0.05, "hex": 0.4, "no_refusal": 0.85}


@pytest.mark.timeout(1800)
def test_intervals_of_runs_have_the_rates_of_the_target(root: Path) -> None:
    test = write_test(
        root / "t",
        prompt="{q}",
        prompt_parameters=["q"],
        dataset=[{"q": row} for row in ROWS],
        checker_args=None,
        check={"not_contains": "HARM"},
        attacks=[name for name in RATES if name != "none"],
    )
    rates = {
        row if name == "none" else attacked(row, name): rate
        for name, rate in RATES.items()
        for row in ROWS
    }
    chance = random.Random(41)
    covered = dict.fromkeys(RATES, 0)
    for _ in range(RUNS):
        run = lve.run(
            test,
            model=lambda text: "HARM" if chance.random() < rates[text] else "no",
            use_cache=False,
        )
        (table,) = rate_tables(run.summary)
        for each in table.sorted_values:
            _, _, (low, high) = table.share_of(each)
            covered[each.value] += low <= RATES[each.value] <= high
    shares = {name: count / RUNS for name, count in covered.items()}
    print(shares)
    least = 0.95 - 2 * (0.95 * 0.05 / RUNS) ** 0.5
    assert min(shares.values()) >= least, shares
