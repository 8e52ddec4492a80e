"""The Markdown report of a comparison, short enough for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from lve.comparison.compared import ComparedTest, Comparison, Difference, Flip
from lve.comparison.gate_verdict import GateVerdict, decide_gate
from lve.data.row_places import place_of_row
from lve.plurals import amount
from lve.reporting.answer_diff import answer_text
from lve.reporting.files.markdown_text import (
    MAX_BYTES,
    NOTE_BYTES,
    Page,
    code,
    code_cell,
    details,
    fenced,
    row,
    table_head,
)
from lve.reporting.files.plain_text import cut
from lve.reporting.gate_text import changes_of_tests, passed_text

MARK = "<!-- lve compare -->\n"
"""A marker by which a script finds its comment again."""
MOST_ROWS = 100
MAX_FLIPS = 20
MAX_TEXT = 800
"""Characters of an answer."""
MAX_CHANGES = 600
"""Columns of what changed of the tests."""
MARKS = {"worse": "❌", "better": "✅", "undecided": "=", "blind": "❔"}


def comparison_markdown(comparison: Comparison, max_bytes: int = MAX_BYTES) -> str:
    """Return a comparison as Markdown. Flips that don't fit are left out.

    Args:
        comparison: the comparison.
        max_bytes: the most bytes of the text in UTF-8.

    Raises:
        SessionError: the answers of a flip can't be read any more.
    """
    page, flips = Page(max_bytes - NOTE_BYTES), 0
    for is_flip, part in _parts(comparison):
        if not page.add(part):
            break
        flips += is_flip
    if more := comparison.broken + comparison.fixed - flips:
        page.end(f"\n_{amount(more, 'more flip')}: `lve compare -v` has them._\n")
    return page.text


def _parts(comparison: Comparison) -> Iterator[tuple[bool, str]]:
    """Yield the parts of the text, each with whether it is a flip."""
    verdict = _verdict(comparison)
    sides = f"{code(comparison.before.name)} → {code(comparison.now.name)}"
    changes = changes_of_tests(comparison)
    changed = f"{code(changes, MAX_CHANGES)}\n\n" if changes else ""
    yield False, f"{MARK}### {verdict}\n\n{sides}\n\n{changed}{_table(comparison)}\n"
    for flip in comparison.flips[:MAX_FLIPS]:
        yield True, _flip(flip, comparison)


def _verdict(comparison: Comparison) -> str:
    decision = decide_gate(comparison)
    reasons = "; ".join(decision.reasons)
    match decision.verdict:
        case GateVerdict.regressed:
            return f"❌ regressed: {reasons}"
        case GateVerdict.unjudged | GateVerdict.undecided:
            return f"❔ can't tell: {reasons}"
        case GateVerdict.passed:
            return f"✅ {passed_text(comparison, decision)}"


def _table(comparison: Comparison) -> str:
    changed = [
        test for test in comparison.tests if test.difference is None or _has_flips(test.difference)
    ]
    rows = [_row(test) for test in changed[:MOST_ROWS]]
    if comparison.overall is not None:
        rows.append(_cells("**all tests together**", comparison.overall))
    quiet = len(comparison.tests) - len(rows) + (comparison.overall is not None)
    note = f"\n{amount(quiet, 'test')} without a flip, or not shown\n" if quiet else ""
    if not rows:
        return note.lstrip()
    heads = ("", "test", "before", "now", "change", "broken", "fixed", "p (adjusted)")
    return table_head(heads) + "".join(rows) + note


def _has_flips(difference: Difference) -> bool:
    return bool(difference.counts.broken or difference.counts.fixed)


def _row(test: ComparedTest) -> str:
    name = code_cell(test.test or ".", 100) + (" (advisory)" if test.is_advisory else "")
    if test.difference is None:
        return row(("", name, "", "", "nothing to compare", "", "", ""))
    return _cells(name, test.difference)


def _cells(name: str, difference: Difference) -> str:
    change = difference.change
    interval = f"{100 * change.low:+.1f} to {100 * change.high:+.1f}"
    return row(
        (
            MARKS[difference.standing],
            name,
            f"{difference.before.value:.1%}",
            f"{difference.now.value:.1%}",
            f"{100 * change.value:+.1f} ({interval})",
            f"{difference.counts.broken:,}",
            f"{difference.counts.fixed:,}",
            f"{difference.adjusted:.2g}",
        )
    )


def _flip(flip: Flip, comparison: Comparison) -> str:
    place = f"{flip.test}/{place_of_row(flip.source, flip.line)}" if flip.source else flip.test
    changed = code(", ".join(map(str, flip.causes)))
    answers = "".join(
        f"{title}:\n\n{fenced(cut(answer_text(result), MAX_TEXT))}\n"
        for title, result in zip(("Before", "Now"), comparison.results_of(flip), strict=True)
        if result is not None
    )
    return details(flip.kind, f"{code(place)}, changed: {changed}\n\n{answers}")
