"""Pass rates by the values of columns and tags (`by` in settings, suites and tests)."""

from __future__ import annotations

from collections.abc import Iterator

from lve.data_classes import dataclass, field
from lve.extensions.breakdown.codes import spelled_out
from lve.verdicts.breakdown import NONE, REST
from lve.verdicts.rates.statistics import pass_rate, rate_bounds
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

CONFIDENCE = 0.95
ATTACK = "attack"
"""The tag of the variants of a test that are attacks on it."""
BESIDE_ATTACKS = {"none": "(no attack)", "benign": "over-refusal (benign rows)"}
"""Values of it that are no attacks -> what they are called. They come last."""
OTHER_ROWS = {None: "", "none": "", "benign": " (benign rows)"}
"""Values of it -> what tables of other columns and tags add to their names: attacked rows and
benign ones have tables of their own."""


@dataclass(slots=True)
class ValueRate:
    """The results of one model whose row or test has a value."""

    value: str
    passed: int = 0
    failed: int = 0
    errors: int = 0
    inconclusive: int = 0
    counted: float = 0.0
    """Of the judged results, how many count for the interval: of repeats that are alike, one."""
    ended_early: bool = False
    """Whether a test among them ended its repeats as soon as its rate was decided."""

    @property
    def name(self) -> str:
        """The value; of a code, with its name."""
        return spelled_out(self.value)

    @property
    def judged(self) -> int:
        return self.passed + self.failed

    @property
    def rate(self) -> float | None:
        """The share of judged results that passed; None if none was judged."""
        return self.passed / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float]:
        """The ends of the interval of the rate: the exact one, or one that holds although the
        number of results depends on them."""
        if self.ended_early:
            each = (1 + CONFIDENCE) / 2
            rate = rate_bounds(self.passed, self.judged, confidence=each, sequential=True)
            return rate.low, rate.high
        return interval_of(self.passed, self.judged, self.counted)

    def to_json(self, name: str) -> dict[str, object]:
        """Return it as in schemas/report.schema.json, under a name."""
        low, high = self.interval
        return {
            "value": self.value,
            "name": name,
            "passed": self.passed,
            "judged": self.judged,
            "errors": self.errors,
            "inconclusive": self.inconclusive,
            "rate": self.rate,
            "low": low,
            "high": high,
            "confidence": CONFIDENCE,
        }


@dataclass(slots=True)
class RateTable:
    """The rates of one model by the values of one column or tag."""

    by: str
    model: str
    values: dict[str, ValueRate] = field(default_factory=dict)

    @property
    def is_of_attacks(self) -> bool:
        """Whether the values are attacks, whose success is that rows fail."""
        return self.by == ATTACK

    def name_of(self, each: ValueRate) -> str:
        """Return what a value is called."""
        return BESIDE_ATTACKS.get(each.value, each.name) if self.is_of_attacks else each.name

    def share_of(self, each: ValueRate) -> tuple[float | None, int, tuple[float, float]]:
        """Return the share of a value's judged results that the table shows, their number, and the
        ends of the share's interval: what passed; of attacks and benign rows, what failed."""
        low, high = each.interval
        if not self.is_of_attacks:
            return each.rate, each.passed, (low, high)
        return None if each.rate is None else 1 - each.rate, each.failed, (1 - high, 1 - low)

    @property
    def sorted_values(self) -> list[ValueRate]:
        """The values in their order, those that stand for no value or for others last. Of attacks,
        the easiest comes first."""
        if self.is_of_attacks:
            return sorted(self.values.values(), key=_attack_order)
        return sorted(
            self.values.values(), key=lambda each: (each.value in (NONE, REST), each.value)
        )

    def first_values(self, most: int) -> list[ValueRate]:
        """Return at most so many of the sorted values: with those that are no attacks, by which
        attacks are judged."""
        values = self.sorted_values
        beside = [each for each in values if self.is_of_attacks and each.value in BESIDE_ATTACKS]
        others = [each for each in values if each not in beside]
        return values if len(values) <= most else [*others[: most - len(beside)], *beside]

    @property
    def attacked(self) -> ValueRate | None:
        """The results of all attacks together; None if there are none."""
        attacks = [each for each in self.values.values() if _attack_order(each)[0] == 0]
        if not (self.is_of_attacks and attacks):
            return None
        return ValueRate(
            ATTACK,
            passed=sum(each.passed for each in attacks),
            failed=sum(each.failed for each in attacks),
            errors=sum(each.errors for each in attacks),
            inconclusive=sum(each.inconclusive for each in attacks),
            counted=sum(each.counted for each in attacks),
            ended_early=any(each.ended_early for each in attacks),
        )

    @property
    def is_without_values(self) -> bool:
        """Whether no row has the column, and no test the tag."""
        return set(self.values) <= {NONE}

    def to_json(self) -> dict[str, object]:
        """Return it as in schemas/report.schema.json."""
        values = [each.to_json(self.name_of(each)) for each in self.sorted_values]
        attacked = self.attacked
        pooled = {} if attacked is None else {"attacked": attacked.to_json("all attacks")}
        return {"by": self.by, "model": self.model, "values": values, **pooled}


def _attack_order(each: ValueRate) -> tuple[int, float, str]:
    beside = [NONE, REST, *BESIDE_ATTACKS]
    place = 1 + beside.index(each.value) if each.value in beside else 0
    return place, 2.0 if each.rate is None else each.rate, each.value


def interval_of(part: int, whole: int, counted: float) -> tuple[float, float]:
    """Return the exact 95 % interval of a share.

    Args:
        part: results, from 0 to `whole`.
        whole: all results.
        counted: how many of them are independent, from 0 to `whole`.
    """
    total = min(whole, max(1, round(counted))) if whole else 0
    rate = pass_rate(round(part * total / whole) if whole else 0, total, confidence=CONFIDENCE)
    return rate.low, rate.high


def counted_share(tally: Tally) -> float:
    """Return which share of a test's results are independent: of repeats that are alike, one."""
    whole = tally.numbers.whole
    total = sum(whole.counts.values())
    return whole.rows / total if tally.expect.has_alike_repeats and whole.rows and total else 1.0


def rate_tables(summary: Summary) -> list[RateTable]:
    """Return the rates of a session, by name and then by model, summed over its tests."""
    tables: dict[tuple[str, str], RateTable] = {}
    for by, rows, tally in _grouped(summary):
        name = f"{by}{rows}"
        table = tables.setdefault((name, tally.model), RateTable(name, tally.model))
        share = counted_share(tally)
        if by == ATTACK and (attack := tally.numbers.by[by]) is not None:
            table.values.setdefault(attack, ValueRate(attack))  # also if nothing of it was run
        for value, group in tally.numbers.groups.get(by, {}).items():
            rate = table.values.setdefault(value, ValueRate(value))
            rate.passed += group.counts["passed"]
            rate.failed += group.counts["failed"]
            rate.errors += group.counts["error"]
            rate.inconclusive += group.counts["inconclusive"]
            rate.counted += group.judged * share
            rate.ended_early |= tally.ended_early
    names = [*dict.fromkeys(by for by, _ in tables)]
    return [
        table
        for name in names
        for (by, _), table in sorted(tables.items())
        if by == name and not (name.endswith(")") and table.is_without_values)
    ]


def _grouped(summary: Summary) -> Iterator[tuple[str, str, Tally]]:
    """Yield a column or tag, the rows that a table of it is of, and a test's results."""
    for _, tally in sorted(summary.tallies.items()):
        rows = OTHER_ROWS.get(tally.numbers.by.get(ATTACK), " (attacks)")
        for by in tally.numbers.by:
            yield by, "" if by == ATTACK else rows, tally
