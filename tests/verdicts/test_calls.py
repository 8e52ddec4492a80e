"""Rates, their bounds and their words at every boundary (cases/recorded_calls/verdicts.json).

The slow tests compare the statistics with scipy's; these hold the same numbers in milliseconds.
"""

from __future__ import annotations

from itertools import product

from support.recorded_calls import Calls, changed, grid, record, rows_of
from support.results import tally_of

from lve.plurals import amount
from lve.spec.spec import Expectation
from lve.verdicts import wording
from lve.verdicts.coverage import Coverage, NotRecorded
from lve.verdicts.expectations.counted_expectation import (
    always_met,
    can_be_met,
    decide_count,
    has_failed_for_good,
)
from lve.verdicts.expectations.interim import next_interim_analysis
from lve.verdicts.expectations.power import (
    instances_for_power,
    outcome_probabilities,
    rates_around_threshold,
    repeats_for_power,
)
from lve.verdicts.expectations.rate_verdict import decide_despite_missing
from lve.verdicts.expectations.sample_size import (
    best_case,
    instances_needed,
    repeats_needed,
    what_would_decide,
)
from lve.verdicts.per_instance import flakiness
from lve.verdicts.rates.at_k import at_k, chance_of
from lve.verdicts.rates.beta import (
    beta_quantile,
    exact_bounds,
    incomplete_beta,
    log_beta,
    normal_quantile,
    t_quantile,
)
from lve.verdicts.rates.betting_bounds import log_wealth, mean_bounds
from lve.verdicts.rates.clusters import (
    Means,
    effective_sample_size,
    equivalent_sample_size,
    mean_interval,
    population_rate,
    share_interval,
)
from lve.verdicts.rates.corrected import (
    JudgeErrors,
    corrected_for_clusters,
    corrected_for_results,
    corrected_rate,
    equivalent_fixed_sample,
)
from lve.verdicts.rates.detectable import min_detectable_drop, min_significant_changes
from lve.verdicts.rates.difference import difference_interval
from lve.verdicts.rates.paired import holm, mcnemar, paired_test, sign_flip_test
from lve.verdicts.rates.population import (
    decide_about_population,
    decide_by_bounds,
    observed_rate,
    population_text,
)
from lve.verdicts.rates.statistics import (
    decide_despite_errors,
    judge_rate,
    log_e_value,
    pass_rate,
    rate_bounds,
)
from lve.verdicts.wording import (
    bound,
    percent,
    points_text,
    range_text,
    results_text,
    share_text,
    short_range,
    spread_text,
    stale_count_text,
    unbound_text,
    unwanted_text,
)

COMPARISONS = (">=", ">", "<=", "<")
RATES = [Expectation("rate", sign, limit) for sign in COMPARISONS for limit in (0.0, 0.5, 1.0)]
SOME_RATES = [Expectation("rate", ">=", 0.9), Expectation("rate", "<", 0.2, 0.9)]
COUNTED = [
    *(Expectation("rate", sign, 0.7, claim="results", max_errors=1) for sign in COMPARISONS),
    *(Expectation("rate", sign, number=7, claim="results") for sign in COMPARISONS),
    Expectation("rate", ">=", 0.5, has_alike_repeats=True),
    Expectation("rate", ">=", 0.0, claim="population"),
]
SHARES = (0, 0.0004, 0.0005, 0.00999, 0.01, 0.199, 0.2, 0.5, 0.98999, 0.99, 0.991, 0.9995, 1)
CLUSTERS: tuple[dict[tuple[int, int], int], ...] = (
    {},
    {(1, 1): 1},
    {(0, 1): 3, (1, 1): 5},
    {(2, 4): 1},
    {(4, 4): 2, (0, 4): 1},
    {(3, 4): 9, (1, 2): 4, (0, 0): 2},
)
DIFFERENCES = (
    {},
    {(0, 1): 4},
    {(-1, 1): 1, (1, 1): 5, (0, 1): 9},
    {(-1, 1): 12, (1, 1): 1, (0, 1): 30},
    {(-3, 4): 5, (1, 2): 3, (0, 2): 2},
    {(-1, 2): 9, (-2, 2): 3, (1, 2): 1},
    {(-1, 1): 9, (0, 1): 230},
)
JUDGES = (
    JudgeErrors(0.9, 50, 0.8, 40),
    JudgeErrors(0.6, 3, 0.6, 2),
    JudgeErrors(0.5, 50, 0.5, 50),
    JudgeErrors(0.9, 0, 0.9, 9),
    JudgeErrors(0.9, 9, 0.9, 0),
)


def passes_below_2(missing: int) -> str:
    return "passed" if missing < 2 else "failed"


def never_decides(_missing: int) -> None:
    return None


def some_clusters() -> dict[tuple[int, int], int]:
    return CLUSTERS[4]


def statistics() -> Calls:
    """Beta functions on both sides of each branch, and what is made of them."""
    both = (False, True)
    return {
        **grid(incomplete_beta, (0, 0.001, 0.3, 0.6, 0.999, 1), (0.5, 9, 40), (1, 9.5, 80)),
        **grid(log_beta, (0.5, 9, 10, 400), (1, 9.5, 10, 90)),
        **grid(beta_quantile, (0.025, 0.5, 0.975), (1, 30), (0.5, 12)),
        **grid(exact_bounds, (0, 1, 9, 10), (10,), (0.05, 0.01)),
        **grid(t_quantile, (0.9, 0.975), (1, 9, 10, 200)),
        **grid(normal_quantile, (0.1, 0.975)),
        **grid(mean_bounds, ([(1, 3)], [(0, 2), (0.5, 1)], [(1 / 3, 9), (1, 40)]), (0.05, 0.01)),
        **grid(log_wealth, ([(1, 3)], [(0, 2), (0.5, 1)]), (0.2, 0.9)),
        **grid(log_e_value, (0, 3, 12.5), (0, 2), (0, 0.5, 0.9, 1)),
        **grid(pass_rate, (-1, 0, 4, 5, 6), (5,), confidence=(0, 0.9, 1)),
        **grid(rate_bounds, (-1, 0, 4, 5, 6), (5,), confidence=(0.4, 0.5, 0.9, 1), sequential=both),
        **grid(chance_of, (0, 1, 3, 5), (5,), (2, 3), (1, 2)),
        **grid(at_k, CLUSTERS, (1, 2, 4), share=(0.5, 1.0)),
        **grid(flakiness, CLUSTERS),
    }


def of_clusters() -> Calls:
    """Rates of populations, differences of pairs, and rates of judges with errors."""
    return {
        **grid(Means.of, ([], [(2.0, 1)], [(1.0, 2), (4.0, 3)])),
        **grid(mean_interval, (Means(1, 2.0, 0.0), Means(2, 2.0, 0.5), Means(9, 2.0, 1e999))),
        **grid(population_rate, CLUSTERS, confidence=(0.9,), has_bounds=(False, True)),
        **grid(share_interval, ([], [(0.5, 1)], [(0.0, 2), (1.0, 3)]), has_bounds=(False, True)),
        **grid(effective_sample_size, CLUSTERS),
        **rows_of(
            equivalent_sample_size,
            [(0.5, 0.2, 0.8, 0.95, 40), (0.9, 0.89, 0.91, 0.9, 50), (1.0, 0.1, 1.0, 0.95, 30)],
            ("most",),
        ),
        **grid(corrected_rate, (0.0, 0.7, 1.0), (0, 20.5), JUDGES, confidence=(0.9,)),
        **grid(corrected_for_results, (0, 7), (10,), JUDGES[:2], sequential=(False, True)),
        **grid(corrected_for_clusters, CLUSTERS, JUDGES[:2], confidence=(0.9,)),
        **grid(equivalent_fixed_sample, (0, 3, 10), (10,), confidence=(0.9,)),
        **grid(mcnemar, (0, 1, 5, 9), (0, 1, 4)),
        **grid(paired_test, DIFFERENCES),
        **grid(sign_flip_test, ({(-1, 2): 9, (-2, 2): 3}, {(i, 499): 9 for i in range(200, 260)})),
        **grid(holm, ([], [0.04, 0.01, 0.03], [0.5, 0.9])),
        **grid(difference_interval, DIFFERENCES, (0.04, 0.2), confidence=(0.95,)),
        **grid(min_significant_changes, (0.05, 0.01)),
        **grid(min_detectable_drop, DIFFERENCES, before=(0.3, 0.9), alpha=(0.05,)),
        **grid(decide_about_population, SOME_RATES, CLUSTERS, (0, 1)),
        **grid(decide_by_bounds, (0.0, 0.5, 0.6), (0.4, 0.5, 1.0), RATES),
        **rows_of(population_text, product([population_rate(c) for c in CLUSTERS], (None, "a\nb"))),
    }


def decisions() -> Calls:
    """Expectations at and beside their limits."""
    both = (False, True)
    counts = ((0, 0), (0, 1), (1, 1), (0, 9), (9, 9), (5, 9), (60, 99))
    coverages = (
        NotRecorded(),
        NotRecorded(1, ["a:2"], 0, "a"),
        NotRecorded(2, ["a:2", "a:1"], 3),
        NotRecorded(0, [], 2),
    )
    return {
        **rows_of(
            judge_rate, ((e, *c, s) for e in RATES for c in counts for s in both), ("sequential",)
        ),
        **grid(decide_despite_errors, SOME_RATES, (0, 50), (50,), (0, 1, 9), sequential=both),
        **grid(decide_count, COUNTED, (0, 6, 7, 8), (8, 10), (0, 1, 2), (0, 1)),
        **grid(decide_count, COUNTED, (0,), (0,), (0, 2), (0,)),
        **grid(can_be_met, COUNTED, (1, 6, 7, 8)),
        **grid(always_met, [*COUNTED, *RATES], (1, 7)),
        **grid(has_failed_for_good, COUNTED, (6, 7, 8)),
        **grid(best_case, [*SOME_RATES, *RATES[:3]], (3,), (1, 30), sequential=both),
        **grid(repeats_needed, SOME_RATES, (1, 9), sequential=both),
        **grid(instances_needed, [*SOME_RATES, RATES[2]], (1, 3), sequential=both),
        **grid(what_would_decide, SOME_RATES, CLUSTERS[1:], both),
        **grid(rates_around_threshold, RATES),
        **grid(outcome_probabilities, SOME_RATES, (3,), (2, 30), sequential=both, rate=(0.0, 0.8)),
        **grid(repeats_for_power, SOME_RATES, (5,), (40,), rate=(0.8, 1.0), power=(0.5, 0.8)),
        **grid(instances_for_power, SOME_RATES, (2,), rate=(0.8, 1.0), power=(0.5, 0.8)),
        **rows_of(
            next_interim_analysis,
            product(SOME_RATES, (0, 3, 9), (0, 9), (0, 1), (3, 8), (8, 100)),
            ("errors", "repeats_done", "max_repeats"),
        ),
        **grid(observed_rate, SOME_RATES, (3,), (5,), (some_clusters,), sequential=both),
        **grid(
            decide_despite_missing,
            (passes_below_2, never_decides),
            coverages,
            (0, 1, 2),
        ),
        **grid(NotRecorded.__str__, coverages),
        **grid(NotRecorded.why_undecided, coverages),
        **grid(Coverage.unfinished_text, (Coverage(), Coverage(why_incomplete="stopped")), (3,)),
    }


def words() -> Calls:
    """Texts of counts and rates on both sides of each rounding."""
    verdicts = [
        dict(zip(("passed", "failed", "error", "inconclusive"), n, strict=True))
        for n in ((0, 0, 0, 0), (1, 0, 0, 0), (2, 1, 0, 0), (0, 0, 1, 1), (1200, 34, 2, 1))
    ]
    return {
        **grid(amount, (0, 1, 2, 2000), ("row",)),
        **grid(unbound_text, (1, 2)),
        **grid(stale_count_text, (1, 2)),
        **grid(bound, SHARES),
        **grid(share_text, SHARES),
        **grid(percent, SHARES, (0, 1)),
        **grid(points_text, SHARES),
        **grid(range_text, SHARES[:5:2], SHARES[6::2], (0.95,), has_bounds=(False, True)),
        **grid(short_range, (0.1,), (0.995,), has_bounds=(False, True)),
        **grid(spread_text, (1, 6), rows=(1, 3, 6), models=(1, 2), repeats=(1, 2)),
        **grid(
            wording.tests_text,
            verdicts,
            advisory=verdicts[:4],
            tests=(3,),
            models=(1, 2),
            skipped=(0, 1),
            invalid=(0, 2),
        ),
        **grid(unwanted_text, ("passed", "failed"), (2,), (3,)),
        **grid(results_text, verdicts, expected_failures=(0, 1), rows=(1, 3), repeats=(1, 2)),
    }


def of_tests() -> Calls:
    """The verdict of a test over its results, and what says so."""
    expected = [Expectation(), Expectation("fail"), *SOME_RATES, *COUNTED[:2], COUNTED[4]]
    results = ("", "3p", "2p 1f", "3f", "9p 1e", "2p 1i", "8p 1f 1e 1i", "60p")

    def verdict(expect: Expectation, counts: str, complete: bool, left: int | None) -> object:
        tally = tally_of(counts, expect, complete=complete)
        tally.coverage.left = left
        return tally.verdict(), tally.unexpected, tally.rate

    rows = [
        (e, c, done, left)
        for e in expected
        for c in results
        for done, left in ((True, None), (False, None), (False, 0))
    ]
    return rows_of(verdict, rows)


def all_calls() -> Calls:
    return {**statistics(), **of_clusters(), **decisions(), **words(), **of_tests()}


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("verdicts", all_calls()) == {}


if __name__ == "__main__":
    record("verdicts", all_calls())
