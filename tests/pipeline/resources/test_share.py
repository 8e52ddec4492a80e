"""Several processes together take what one may."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lve.execution.budgets.budget import BudgetCaps
from lve.options.run_options import RunOptions
from lve.pipeline.resources.share import Share
from lve.settings.model_settings import ModelSettings


@pytest.mark.parametrize(
    ("processes", "asked", "settings", "connections"),
    [
        (1, None, None, 64),
        (1, None, 200, 200),
        (1, 10, 200, 10),
        (1, 300, 200, 200),
        (4, None, None, 16),
        (4, None, 200, 50),
        (4, 10, None, 2),
        (4, 3, None, 1),
        (8, None, 4, 1),
    ],
)
def test_connections(
    processes: int, asked: int | None, settings: int | None, connections: int
) -> None:
    entry = ModelSettings(max_connections=settings)
    options = RunOptions(max_connections=asked)
    assert Share(processes).connections(entry, options) == connections


def test_rates_and_budget() -> None:
    share = Share(4)
    assert share.rate(60) == 15
    assert share.rate(None) is None
    whole = RunOptions(max_cost=1.0, max_tokens_total=1003, max_requests=10)
    assert share.budget(whole) == BudgetCaps(0.25, 250, 2)
    assert share.budget(RunOptions()) == BudgetCaps()


def test_a_small_budget_leaves_everybody_something() -> None:
    share = Share(4)
    assert share.budget(RunOptions(max_tokens_total=3, max_requests=2)) == BudgetCaps(None, 1, 1)
    assert share.budget(RunOptions(max_tokens_total=0, max_requests=0)) == BudgetCaps(None, 0, 0)


@pytest.mark.parametrize("total", [1, 3, 8])
def test_the_budgets_of_all_shards_are_the_budget(total: int) -> None:
    whole = RunOptions(max_cost=2.0, max_tokens_total=1003, max_requests=5)
    shards = [replace(whole, shard=f"{n}/{total}") for n in range(1, total + 1)]
    parts = [Share.of(options).budget(options) for options in shards]
    assert {part.cost for part in parts} == {2.0 / total}
    assert sum(part.tokens or 0 for part in parts) == 1003
    assert sum(part.requests or 0 for part in parts) == 5


def test_a_part_of_a_budget_is_called_so() -> None:
    assert Share().whose_budget == "the session's budget"
    assert Share.of(RunOptions(shard="2/4")).whose_budget == "the part of shard 2/4 of the budget"


def test_the_processes_of_a_shard_share_its_part() -> None:
    options = RunOptions(max_cost=2.0, max_tokens_total=800, shard="2/4")
    assert Share.of(options, Share(5)).budget(options) == BudgetCaps(0.1, 40)
    assert Share.of(options, Share(5)).rate(60) == 12
