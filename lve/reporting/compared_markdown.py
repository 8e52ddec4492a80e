"""The Markdown report of a comparison, short enough for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from lve.comparison.compared import ComparedTest, Comparison, Difference, Flip
from lve.comparison.gate_verdict import GateVerdict, decide_gate
from lve.reporting.answer_diff import answer_text
from lve.reporting.compared_changes import changes_of_tests
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
from lve.reporting.gate_text import passed_text
from lve.verdicts.wording import amount

MARK = "<!-- lve compare -->\n"
"""A marker by which a script finds its comment again."""
MOST_ROWS = 100
MAX_FLIPS = 20
MAX_TEXT = 800
"""Characters of an answer."""
MAX_CHANGES = 600
"""Columns of what changed of the tests."""
MARKS = {"worse": "❌", "better": "✅", "undecided": "=", "blind": "❔"}


def comparison_markdown(found: Comparison, max_bytes: int = MAX_BYTES) -> str:
    """Return a comparison as Markdown. Flips that don't fit are left out.

    Args:
        found: the comparison.
        max_bytes: the most bytes of the text in UTF-8.

    Raises:
        SessionError: the answers of a flip can't be read any more.
    """
    page, shown = Page(max_bytes - NOTE_BYTES), 0
    for is_flip, part in _parts(found):
        if not page.add(part):
            break
        shown += is_flip
    if more := found.broken + found.fixed - shown:
        page.end(f"\n_{amount(more, 'more flip')}: `lve compare -v` has them._\n")
    return page.text


def _parts(found: Comparison) -> Iterator[tuple[bool, str]]:
    """Yield the parts of the text, each with whether it is a flip."""
    verdict = _verdict(found)
    sides = f"{code(found.before.name)} → {code(found.now.name)}"
    changes = changes_of_tests(found)
    changed = f"{code(changes, MAX_CHANGES)}\n\n" if changes else ""
    yield False, f"{MARK}### {verdict}\n\n{sides}\n\n{changed}{_table(found)}\n"
    for flip in found.flips[:MAX_FLIPS]:
        yield True, _flip(flip, found)


def _verdict(found: Comparison) -> str:
    decision = decide_gate(found)
    reasons = "; ".join(decision.reasons)
    match decision.verdict:
        case GateVerdict.regressed:
            return f"❌ regressed: {reasons}"
        case GateVerdict.unjudged | GateVerdict.undecided:
            return f"❔ can't tell: {reasons}"
        case GateVerdict.passed:
            return f"✅ {passed_text(found, decision)}"


def _table(found: Comparison) -> str:
    changed = [one for one in found.tests if one.difference is None or _has_flips(one.difference)]
    rows = [_row(one) for one in changed[:MOST_ROWS]]
    if found.overall is not None:
        rows.append(_cells("**all tests together**", found.overall))
    quiet = len(found.tests) - len(rows) + (found.overall is not None)
    note = f"\n{amount(quiet, 'test')} without a flip, or not shown\n" if quiet else ""
    if not rows:
        return note.lstrip()
    heads = ("", "test", "before", "now", "change", "broken", "fixed", "p (adjusted)")
    return table_head(heads) + "".join(rows) + note


def _has_flips(found: Difference) -> bool:
    return bool(found.counts.broken or found.counts.fixed)


def _row(one: ComparedTest) -> str:
    name = code_cell(one.test or ".", 100) + (" (advisory)" if one.is_advisory else "")
    if one.difference is None:
        return row(("", name, "", "", "nothing to compare", "", "", ""))
    return _cells(name, one.difference)


def _cells(name: str, found: Difference) -> str:
    change = found.change
    interval = f"{100 * change.low:+.1f} to {100 * change.high:+.1f}"
    return row(
        (
            MARKS[found.standing],
            name,
            f"{found.before.value:.1%}",
            f"{found.now.value:.1%}",
            f"{100 * change.value:+.1f} ({interval})",
            f"{found.counts.broken:,}",
            f"{found.counts.fixed:,}",
            f"{found.adjusted:.2g}",
        )
    )


def _flip(flip: Flip, found: Comparison) -> str:
    place = f"{flip.test}/{flip.source}:{flip.line}" if flip.source else flip.test
    changed = code(", ".join(map(str, flip.causes)))
    answers = "".join(
        f"{title}:\n\n{fenced(cut(answer_text(result), MAX_TEXT))}\n"
        for title, result in zip(("Before", "Now"), found.results_of(flip), strict=True)
        if result is not None
    )
    return details(flip.kind, f"{code(place)}, changed: {changed}\n\n{answers}")
