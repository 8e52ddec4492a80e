"""The text report of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from lve.comparison.compared import (
    ANSWER,
    CAUSES,
    NOTHING,
    UNKNOWN,
    ComparedTest,
    Comparison,
    Difference,
    Flip,
    Kind,
    Standing,
)
from lve.comparison.gate_verdict import GateVerdict, decide_gate
from lve.comparison.side import SideFacts
from lve.errors import LveError
from lve.escape import one_line
from lve.reporting.answer_diff import diff_lines
from lve.reporting.compared_changes import causes_of_flips, changes_of_tests
from lve.reporting.gate_text import gate_line
from lve.reporting.terminal import Colour, Terminal
from lve.verdicts.rates.detectable import min_significant_changes
from lve.verdicts.wording import amount, points_text

SHOWN_FLIPS = 5
SHOWN_TESTS = 50
"""Tests with flips that are shown; `-v` shows all."""
SHOWN_MODELS = 3
MARKS: dict[Standing, tuple[str, str, Colour]] = {
    "worse": ("✗", "WORSE ", "red"),
    "better": ("✓", "BETTER", "green"),
    "undecided": ("=", "=", "dim"),
    "blind": ("?", "?", "yellow"),
}
"""Standing -> symbol, a word for encodings that lack the symbol, colour."""


def comparison_lines(found: Comparison, terminal: Terminal, *, shows_all: bool) -> Iterator[str]:
    """Yield the lines of a comparison.

    Args:
        found: the comparison.
        terminal: where it is shown.
        shows_all: whether to show tests without a flip, and all flips.

    Raises:
        SessionError: the answers of a flip can't be read any more.
    """
    yield f"before: {_side(found.before)}"
    yield f"now:    {_side(found.now)}"
    if left_out := found.before.left_out + found.now.left_out:
        yield f"left out: {amount(left_out, 'answer')} that people wrote, not a model"
    yield ""
    yield from _test_lines(found, terminal, shows_all)
    yield from _flip_lines(found, terminal, ("broken", "fixed"), shows_all=shows_all)
    yield from summary_lines(found, terminal)


def summary_lines(found: Comparison, terminal: Terminal) -> Iterator[str]:
    """Yield the lines of the summary, without single tests."""
    if found.overall is not None:
        tests = len({one.test for one in found.tests if one.difference and not one.is_advisory})
        yield f"all {amount(tests, 'test')} together: {_change(found.overall)}"
        yield f"    {_evidence(found.overall)}"
    standings = Counter(one.difference.standing for one in found.tests if one.difference)
    if names := _names_with(found, "worse"):
        yield terminal.paint(f"worse: {names}", "red")
    if names := _names_with(found, "better"):
        yield terminal.paint(f"better: {names}", "green")
    if standings["undecided"]:
        yield f"not significant: {amount(standings['undecided'], 'test')}; {_unseen(found)}"
    if standings["blind"]:
        yield f"too few rows to tell: {amount(standings['blind'], 'test')}; {_too_few(found)}"
    yield from _not_compared(found)
    yield from filter(None, (changes_of_tests(found), causes_of_flips(found)))
    yield gate_line(found, terminal)


def gated_lines(found: Comparison, terminal: Terminal) -> Iterator[str]:
    """Yield the lines about a run that was compared with its baseline: what broke, unless the gate
    lets it pass, and the summary.

    Args:
        found: the comparison.
        terminal: where it is shown.
    """
    if decide_gate(found).verdict is not GateVerdict.passed:
        try:
            yield from _flip_lines(found, terminal, ("broken",), shows_all=False)
        except LveError as error:  # the run is over, and the verdict must still be said
            yield f"what broke can't be shown: {one_line(str(error))}"
    yield from summary_lines(found, terminal)


def _side(facts: SideFacts) -> str:
    models = ", ".join(one_line(name) for name in facts.models[:SHOWN_MODELS])
    more = len(facts.models) - SHOWN_MODELS
    parts = [_local(facts.started), models + (f" and {more} more" if more > 0 else "")]
    known = ", ".join(part for part in parts if part)
    return f"{one_line(facts.name)}{f' ({known})' if known else ''}"


def _local(started: str) -> str:
    try:
        return f"{datetime.fromisoformat(started).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):  # unknown, forged, or out of range
        return ""


def _test_lines(found: Comparison, terminal: Terminal, shows_all: bool) -> Iterator[str]:
    shown = [one for one in found.tests if shows_all or _is_interesting(one)]
    shown.sort(key=_urgency)
    cut = shown if shows_all else shown[:SHOWN_TESTS]
    several_models = len({(one.model_before, one.model_now) for one in found.tests}) > 1
    for one in cut:
        yield from _lines_of(one, terminal, several_models)
    quiet, more = len(found.tests) - len(shown), len(shown) - len(cut)
    if more:
        yield f"and {amount(more, 'test')} more with flips (-v shows all)"
    if quiet:
        yield f"{amount(quiet, 'test')} without a flip{'' if shows_all else ' (-v shows all)'}"
    yield ""


def _is_interesting(one: ComparedTest) -> bool:
    counts = one.difference.counts if one.difference else None
    return counts is None or bool(counts.fixed or counts.broken)


def _urgency(one: ComparedTest) -> tuple[int, float]:
    order = ("worse", "undecided", "blind", "better")
    if one.difference is None:
        return len(order), 0.0
    return order.index(one.difference.standing), one.difference.change.value


def _lines_of(one: ComparedTest, terminal: Terminal, names_model: bool) -> Iterator[str]:
    name = one_line(one.test or ".") + (f"  {one_line(one.model)}" if names_model else "")
    advice = " (advisory)" if one.is_advisory else ""
    rest = [
        f"{count:,} {word}"
        for count, word in (
            (one.no_verdict, "without a verdict"),
            (one.new, "new"),
            (one.gone, "gone"),
        )
        if count
    ]
    if one.difference is None:
        yield f"- {name}{advice}"
        yield f"    nothing to compare: {', '.join(rest)}"
        return
    symbol, word, colour = MARKS[one.difference.standing]
    mark = terminal.paint(symbol if terminal.has_symbols else word, colour)
    yield f"{mark} {name}{advice}"
    yield f"    {_change(one.difference)}"
    yield f"    {'; '.join([_evidence(one.difference), *([', '.join(rest)] if rest else [])])}"


def _change(found: Difference) -> str:
    low, high = found.change.low, found.change.high
    percent = f"{found.change.confidence * 100:g} %"
    return (
        f"{found.before.value:.1%} -> {found.now.value:.1%}: {_points(found.change.value)} points "
        f"({percent} interval {_points(low)} to {_points(high)})"
    )


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _evidence(found: Difference) -> str:
    p = f"p {_p(found.p.p)}"
    if found.adjusted != found.p.p:
        p += f", adjusted for all tests {_p(found.adjusted)}"
    counts = found.counts
    return f"{amount(counts.pairs, 'pair')}: {counts.broken:,} broken, {counts.fixed:,} fixed; {p}"


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"= {value:.2g}"


def _flip_lines(
    found: Comparison, terminal: Terminal, kinds: Sequence[Kind], *, shows_all: bool
) -> Iterator[str]:
    counts = {"broken": found.broken, "fixed": found.fixed}
    for kind in kinds:
        count = counts[kind]
        flips = [flip for flip in found.flips if flip.kind == kind]
        shown = flips if shows_all else flips[:SHOWN_FLIPS]
        for flip in shown:
            yield from _lines_of_flip(flip, found, terminal)
        if count > len(shown):
            hint = "" if shows_all else " (`lve compare -v` or --json has more)"
            yield f"and {count - len(shown):,} more {kind}{hint}"
        if shown:
            yield ""


def _lines_of_flip(flip: Flip, found: Comparison, terminal: Terminal) -> Iterator[str]:
    before, now = found.results_of(flip)
    colour: Colour = "red" if flip.kind == "broken" else "green"
    where = f"/{one_line(flip.source)}:{flip.line}" if flip.source else ""
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


def _names_with(found: Comparison, standing: Standing) -> str:
    names = [
        one_line(one.test or ".")
        for one in found.tests
        if one.difference is not None and one.difference.standing == standing
    ]
    return _some(names)


def _some(names: Sequence[str]) -> str:
    more = len(names) - SHOWN_FLIPS
    return ", ".join(names[:SHOWN_FLIPS]) + (f" and {more} more" if more > 0 else "")


def _unseen(found: Comparison) -> str:
    """Return, in words, the smallest drop that would be found in every undecided test."""
    undecided = [
        (one.difference.detectable, one.difference.clusters)
        for one in found.tests
        if one.difference is not None
        and one.difference.standing == "undecided"
        and one.difference.detectable is not None
    ]
    if not undecided:
        return "too little passed before for a drop to be noticed"
    drop, rows = max(undecided)
    return (
        f"with {amount(rows, 'row')}, a drop of {points_text(drop)} or more would be noticed "
        "4 times in 5"
    )


def _too_few(found: Comparison) -> str:
    compared = sum(one.difference is not None for one in found.tests)
    share = found.alpha if found.overall is None else found.alpha / 2
    fewest = min_significant_changes(share / compared)
    return f"it takes {fewest} rows that change, all in one direction"


def _not_compared(found: Comparison) -> Iterator[str]:
    """Yield a line with the numbers of results that weren't compared, if there are any."""
    rows = decide_gate(found).rows
    why = [f"not chosen ({', '.join(found.now.picked)})"] if found.now.picked else []
    why += [f"not run ({found.now.ended})"] if found.now.ended else []
    gone = f", {' or '.join(why)}" if why else ""
    parts = [
        text
        for number, text in (
            (rows.no_verdict, f"{rows.no_verdict:,} without a verdict"),
            (rows.lost, f"{rows.lost:,} of them had one before"),
            (rows.gone, f"{rows.gone:,} gone{gone}"),
            (rows.new, f"{rows.new:,} new"),
        )
        if number
    ]
    if parts:
        yield f"not compared, in results: {', '.join(parts)}"
