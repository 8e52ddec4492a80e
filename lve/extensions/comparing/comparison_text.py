"""The text report of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from lve.comparison.compared import ComparedTest, Comparison, Standing
from lve.comparison.side import SideFacts
from lve.escape import first_names, one_line
from lve.plurals import amount
from lve.reporting.compared_text import change_text, evidence_text, flip_lines, summary_lines
from lve.reporting.terminal import Colour, Terminal

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


def comparison_lines(
    comparison: Comparison, terminal: Terminal, *, shows_all: bool
) -> Iterator[str]:
    """Yield the lines of a comparison.

    Args:
        comparison: the comparison.
        terminal: where it is shown.
        shows_all: whether to show tests without a flip, and all flips.

    Raises:
        SessionError: the answers of a flip can't be read any more.
    """
    yield f"before: {_side(comparison.before)}"
    yield f"now:    {_side(comparison.now)}"
    if left_out := comparison.before.left_out + comparison.now.left_out:
        yield f"left out: {amount(left_out, 'answer')} that people wrote, not a model"
    yield ""
    yield from _test_lines(comparison, terminal, shows_all)
    yield from flip_lines(comparison, terminal, ("broken", "fixed"), shows_all=shows_all)
    yield from summary_lines(comparison, terminal)


def _side(facts: SideFacts) -> str:
    models = first_names([*map(one_line, facts.models)], SHOWN_MODELS)
    parts = [_local(facts.started), models]
    origin = ", ".join(part for part in parts if part)
    return f"{one_line(facts.name)}{f' ({origin})' if origin else ''}"


def _local(started: str) -> str:
    try:
        return f"{datetime.fromisoformat(started).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):  # unknown, forged, or out of range
        return ""


def _test_lines(comparison: Comparison, terminal: Terminal, shows_all: bool) -> Iterator[str]:
    tests = [test for test in comparison.tests if shows_all or _is_interesting(test)]
    tests.sort(key=_urgency)
    cut = tests if shows_all else tests[:SHOWN_TESTS]
    several_models = len({(test.model_before, test.model_now) for test in comparison.tests}) > 1
    for test in cut:
        yield from _lines_of(test, terminal, several_models)
    quiet, more = len(comparison.tests) - len(tests), len(tests) - len(cut)
    if more:
        yield f"and {amount(more, 'test')} more with flips (-v shows all)"
    if quiet:
        yield f"{amount(quiet, 'test')} without a flip{'' if shows_all else ' (-v shows all)'}"
    yield ""


def _is_interesting(test: ComparedTest) -> bool:
    counts = test.difference.counts if test.difference else None
    return counts is None or bool(counts.fixed or counts.broken)


def _urgency(test: ComparedTest) -> tuple[int, float]:
    order = ("worse", "undecided", "blind", "better")
    if test.difference is None:
        return len(order), 0.0
    return order.index(test.difference.standing), test.difference.change.value


def _lines_of(test: ComparedTest, terminal: Terminal, names_model: bool) -> Iterator[str]:
    name = one_line(test.test or ".") + (f"  {one_line(test.model)}" if names_model else "")
    advice = " (advisory)" if test.is_advisory else ""
    rest = [
        f"{count:,} {word}"
        for count, word in (
            (test.no_verdict, "without a verdict"),
            (test.new, "new"),
            (test.gone, "gone"),
        )
        if count
    ]
    if test.difference is None:
        yield f"- {name}{advice}"
        yield f"    nothing to compare: {', '.join(rest)}"
        return
    symbol, word, colour = MARKS[test.difference.standing]
    mark = terminal.paint(symbol if terminal.has_symbols else word, colour)
    yield f"{mark} {name}{advice}"
    yield f"    {change_text(test.difference)}"
    yield f"    {'; '.join([evidence_text(test.difference), *([', '.join(rest)] if rest else [])])}"
