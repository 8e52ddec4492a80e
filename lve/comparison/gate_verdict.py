"""Decides whether a comparison lets a change pass (`--gate`, `--baseline`).

A gate is green only if it would have seen a loss. A large suite is judged by significance, because
models vary. A small one can't be: five rows that all break have p = 0.06. There, by default, every
row that breaks counts; the suites that people begin with have a few rows that don't vary.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from lve.comparison.compared import ComparedTest, Comparison
from lve.exit_code import ExitCode
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.verdicts.rates.detectable import min_detectable_drop
from lve.verdicts.wording import points_text


class GateVerdict(Enum):
    """What a gate says; the value is the exit code."""

    passed = ExitCode.as_expected
    regressed = ExitCode.failed
    unjudged = ExitCode.errors
    """Rows that had a verdict have none now, which may hide a regression."""
    undecided = ExitCode.inconclusive
    """Rows are gone, or there are too few to see a loss."""


class RowCounts(NamedTuple):
    """Counts of the results of a comparison, without those of advisory tests."""

    compared: int
    broken: int
    lost: int
    """Results that had a verdict before and have none now."""
    gone: int
    new: int
    no_verdict: int

    @classmethod
    def of(cls, tests: tuple[ComparedTest, ...]) -> RowCounts:
        """Add up the counts of tests."""
        binding = [test for test in tests if not test.is_advisory]
        counts = [test.difference.counts for test in binding if test.difference is not None]
        return cls(
            sum(count.pairs for count in counts),
            sum(count.broken for count in counts),
            *(
                sum(getattr(test, name) for test in binding)
                for name in ("lost", "gone", "new", "no_verdict")
            ),
        )


class GateDecision(NamedTuple):
    """A gate's verdict, with its reasons."""

    verdict: GateVerdict
    reasons: tuple[str, ...]
    """One clause each, without the names of tests."""
    max_broken: int | None
    """How many results may break; None if significance decided."""
    rows: RowCounts


def decide_gate(comparison: Comparison) -> GateDecision:
    """Return what the gate says of a comparison."""
    rows = RowCounts.of(comparison.tests)
    most = _most_broken(comparison)
    verdict, reasons = _verdict(comparison, rows, most)
    return GateDecision(verdict, reasons, most, rows)


def _verdict(
    comparison: Comparison, rows: RowCounts, most: int | None
) -> tuple[GateVerdict, tuple[str, ...]]:
    if most is not None and rows.broken > most:
        allowed = f", and {most:,} may" if most else ""
        reason = f"{rows.broken:,} of {amount(rows.compared, 'result')} broke{allowed}"
        return GateVerdict.regressed, (reason,)
    if most is None and comparison.has_significant_drop:
        return GateVerdict.regressed, ("significantly worse",)
    if reasons := tuple(_unjudged(rows, comparison)):
        return GateVerdict.unjudged if rows.lost else GateVerdict.undecided, reasons
    if not rows.compared:
        return GateVerdict.unjudged, ("nothing was compared",)
    if most is None and (blind := _why_blind(comparison)):
        return GateVerdict.undecided, (blind,)
    return GateVerdict.passed, ()


def _most_broken(comparison: Comparison) -> int | None:
    """Return how many results may break; None if significance decides."""
    settings = comparison.settings
    if settings.max_broken is not None or settings.gate == "any":
        return settings.max_broken or 0
    counts_rows = settings.gate == "auto" and not comparison.has_repeats
    return 0 if counts_rows and _is_small(comparison) else None


def _is_small(comparison: Comparison) -> bool:
    """Whether there are too few rows to see a loss even if no answer varies."""
    whole, settings = comparison.whole, comparison.settings
    if whole is None:
        return True
    detectable = min_detectable_drop({(0, 1): whole.clusters}, before=1.0, alpha=settings.alpha)
    return detectable is None or detectable > settings.resolution


def _unjudged(rows: RowCounts, comparison: Comparison) -> Iterator[str]:
    now = comparison.now
    if comparison.settings.allow_missing:
        return
    if rows.lost:
        have = "has" if rows.lost == 1 else "have"
        yield f"{amount(rows.lost, 'result')} had a verdict before and {have} none now"
    if now.ended:
        yield f"not everything has run ({now.ended})"
    if rows.gone and (now.ended or not now.picked):
        be = "was" if rows.gone == 1 else "were"
        fate = f"{be} not compared" if now.ended else "is gone" if rows.gone == 1 else "are gone"
        yield f"{amount(rows.gone, 'result')} of before {fate} (`allow_missing` lets that pass)"


def _why_blind(comparison: Comparison) -> str:
    """Return why the comparison couldn't have seen a loss; empty if it could."""
    whole, resolution = comparison.whole, comparison.settings.resolution
    if whole is None:
        return "nothing was compared"
    rows = amount(whole.clusters, "row")
    if whole.detectable is None:
        if whole.before.value < resolution and not _is_small(comparison):
            return ""  # So few passed before that no drop of this size is possible.
        return f"too few rows to tell: with {rows}, no drop would be noticed 4 times in 5"
    if whole.detectable > resolution:
        return (
            f"too few rows to tell: with {rows}, only a drop of {points_text(whole.detectable)} "
            f"or more would be noticed 4 times in 5, and one of {100 * resolution:g} points "
            "should be (`resolution`)"
        )
    return ""
