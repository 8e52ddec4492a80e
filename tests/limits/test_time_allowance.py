"""Instances that each stay within their limits are limited together."""

from __future__ import annotations

from lve.limits.effort import PER_INSTANCE_S, TOTAL_S, Allowance


def test_many_instances_use_up_what_one_may_take() -> None:
    allowance = Allowance()
    taken = 0
    while not allowance.is_used_up:
        allowance.take(0.05)
        taken += 1
    assert taken == 21  # each brings 0.2 ms along


def test_short_instances_never_use_it_up() -> None:
    allowance = Allowance()
    for _ in range(10_000):
        allowance.take(PER_INSTANCE_S / 2)
    assert allowance.left == TOTAL_S


def test_short_instances_give_back_what_a_long_one_took() -> None:
    allowance = Allowance()
    allowance.take(TOTAL_S + 0.001)
    assert allowance.is_used_up
    for _ in range(10):
        allowance.take(0)
    assert not allowance.is_used_up
