"""What compared runs have in common in their text reports: the summary, and what flipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lve.comparison.compared import (
    ANSWER,
    CAUSES,
    NOTHING,
    UNKNOWN,
    Comparison,
    Difference,
    Flip,
    Kind,
    Standing,
)
from lve.comparison.gate_verdict import GateVerdict, decide_gate
from lve.data.row_places import place_of_row
from lve.errors import LveError
from lve.escape import first_names, one_line
from lve.plurals import amount
from lve.reporting.answer_diff import diff_lines
from lve.reporting.gate_text import causes_of_flips, changes_of_tests, gate_line
from lve.reporting.terminal import Colour, Terminal
from lve.verdicts.rates.detectable import min_significant_changes
from lve.verdicts.wording import points_text

SHOWN_FLIPS = 5


def summary_lines(comparison: Comparison, terminal: Terminal) -> Iterator[str]:
    """Yield the lines of the summary, without single tests."""
    if comparison.overall is not None:
        tests = len(
            {test.test for test in comparison.tests if test.difference and not test.is_advisory}
        )
        yield f"all {amount(tests, 'test')} together: {change_text(comparison.overall)}"
        yield f"    {evidence_text(comparison.overall)}"
    standings = Counter(test.difference.standing for test in comparison.tests if test.difference)
    if names := _names_with(comparison, "worse"):
        yield terminal.paint(f"worse: {names}", "red")
    if names := _names_with(comparison, "better"):
        yield terminal.paint(f"better: {names}", "green")
    if standings["undecided"]:
        yield f"not significant: {amount(standings['undecided'], 'test')}; {_unseen(comparison)}"
    if standings["blind"]:
        yield f"too few rows to tell: {amount(standings['blind'], 'test')}; {_too_few(comparison)}"
    yield from _not_compared(comparison)
    yield from filter(None, (changes_of_tests(comparison), causes_of_flips(comparison)))
    yield gate_line(comparison, terminal)


def gated_lines(comparison: Comparison, terminal: Terminal) -> Iterator[str]:
    """Yield the lines about a run that was compared with its baseline: what broke, unless the gate
    lets it pass, and the summary.

    Args:
        comparison: the comparison.
        terminal: where it is shown.
    """
    if decide_gate(comparison).verdict is not GateVerdict.passed:
        try:
            yield from flip_lines(comparison, terminal, ("broken",), shows_all=False)
        except LveError as error:  # the run is over, and the verdict must still be said
            yield f"what broke can't be shown: {one_line(str(error))}"
    yield from summary_lines(comparison, terminal)


def change_text(difference: Difference) -> str:
    """Return both rates, and the change with its interval."""
    low, high = difference.change.low, difference.change.high
    percent = f"{difference.change.confidence * 100:g} %"
    rates = f"{difference.before.value:.1%} -> {difference.now.value:.1%}"
    return (
        f"{rates}: {_points(difference.change.value)} points "
        f"({percent} interval {_points(low)} to {_points(high)})"
    )


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def evidence_text(difference: Difference) -> str:
    """Return how many pairs a difference rests on, and how likely it is by chance."""
    p = f"p {_p(difference.p.p)}"
    if difference.adjusted != difference.p.p:
        p += f", adjusted for all tests {_p(difference.adjusted)}"
    counts = difference.counts
    return f"{amount(counts.pairs, 'pair')}: {counts.broken:,} broken, {counts.fixed:,} fixed; {p}"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {value:.2g}"


def flip_lines(
    comparison: Comparison, terminal: Terminal, kinds: Sequence[Kind], *, shows_all: bool
) -> Iterator[str]:
    """Yield the lines about flips of these kinds.

    Raises:
        SessionError: the answers of a flip can't be read any more.
    """
    counts = {"broken": comparison.broken, "fixed": comparison.fixed}
    for kind in kinds:
        count = counts[kind]
        flips = [flip for flip in comparison.flips if flip.kind == kind]
        first_flips = flips if shows_all else flips[:SHOWN_FLIPS]
        for flip in first_flips:
            yield from _lines_of_flip(flip, comparison, terminal)
        if count > len(first_flips):
            hint = "" if shows_all else " (`lve compare -v` or --json has more)"
            yield f"and {count - len(first_flips):,} more {kind}{hint}"
        if first_flips:
            yield ""


def _lines_of_flip(flip: Flip, comparison: Comparison, terminal: Terminal) -> Iterator[str]:
    before, now = comparison.results_of(flip)
    colour: Colour = "red" if flip.kind == "broken" else "green"
    where = f"/{one_line(place_of_row(flip.source, flip.line))}" if flip.source else ""
    repeat = f" (repeat {flip.repeat + 1})" if flip.repeat else ""
    yield f"{terminal.paint(flip.kind, colour)}: {one_line(flip.test)}{where}{repeat}"
    changed = ", ".join(
        CAUSES[cause.name] if cause in (ANSWER, NOTHING, UNKNOWN) else str(cause)
        for cause in flip.causes
    )
    yield from (f"    {line}" for line in terminal.fold(f"changed: {changed}", 4))
    yield from (f"    {line}" for line in diff_lines(before, now, terminal))
    for name, result in (("before", before), ("now", now)):
        if result is not None and result.reason:
            yield from (
                f"    {line}"
                for line in terminal.fold(f"{result.verdict} {name}: {result.reason}", 4)
            )


def _names_with(comparison: Comparison, standing: Standing) -> str:
    names = [
        one_line(test.test or ".")
        for test in comparison.tests
        if test.difference is not None and test.difference.standing == standing
    ]
    return first_names(names, SHOWN_FLIPS)


def _unseen(comparison: Comparison) -> str:
    """Return, in words, the smallest drop that would be found in every undecided test."""
    undecided = [
        (test.difference.detectable, test.difference.clusters)
        for test in comparison.tests
        if test.difference is not None
        and test.difference.standing == "undecided"
        and test.difference.detectable is not None
    ]
    if not undecided:
        return "too little passed before for a drop to be noticed"
    drop, rows = max(undecided)
    return (
        f"with {amount(rows, 'row')}, a drop of {points_text(drop)} or more would be noticed "
        "4 times in 5"
    )


def _too_few(comparison: Comparison) -> str:
    compared = sum(test.difference is not None for test in comparison.tests)
    share = comparison.alpha if comparison.overall is None else comparison.alpha / 2
    fewest = min_significant_changes(share / compared)
    return f"it takes {fewest} rows that change, all in one direction"


def _not_compared(comparison: Comparison) -> Iterator[str]:
    """Yield a line with the numbers of results that weren't compared, if there are any."""
    rows = decide_gate(comparison).rows
    why = [f"not chosen ({', '.join(comparison.now.picked)})"] if comparison.now.picked else []
    why += [f"not run ({comparison.now.ended})"] if comparison.now.ended else []
    reasons = f", {' or '.join(why)}" if why else ""
    parts = [
        text
        for number, text in (
            (rows.no_verdict, f"{rows.no_verdict:,} without a verdict"),
            (rows.lost, f"{rows.lost:,} of them had one before"),
            (rows.gone, f"{rows.gone:,} gone{reasons}"),
            (rows.new, f"{rows.new:,} new"),
        )
        if number
    ]
    if parts:
        yield f"not compared, in results: {', '.join(parts)}"
