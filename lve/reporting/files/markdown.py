"""`.md`: a summary of limited length, for a comment on a pull request or the page of a CI run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import BinaryIO

from lve.checkers.contract import Outcome
from lve.extension_table import extension_part
from lve.files.file_text import file_text
from lve.plurals import amount
from lve.reporting.files.markdown_text import (
    MAX_BYTES,
    NOTE_BYTES,
    Page,
    code,
    code_cell,
    details,
    fenced,
    html_code,
    row,
    table_head,
)
from lve.reporting.files.plain_text import cut, prompt_text, response_text
from lve.reporting.files.session_report import session_report
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_file import seconds_of
from lve.spec.prompt_sources import by_variant
from lve.verdicts.recorded_session import RecordedSession
from lve.verdicts.replayed import replay_remarks
from lve.verdicts.short_result import ShortResult
from lve.verdicts.tally import Tally
from lve.verdicts.wording import percent, short_range, spread_text

MARK = "<!-- lve report -->\n"
"""A marker by which a script finds its comment again."""
TABLE_SHARE = 0.5
"""The share of the length that tables may take."""
SHOWN = 3
"""Instances of a test that are shown."""
MAX_TEXT = 1500
"""Characters of a prompt or an answer that are shown."""
MAX_REMARK = 400
"""Columns of a sentence about a replay."""
MARKS: dict[Outcome, str] = {"passed": "✅", "failed": "❌", "error": "⚠️", "inconclusive": "❔"}
ADVISORY = "💬"
_WORST_FIRST: tuple[Outcome, ...] = ("failed", "error", "inconclusive", "passed")


def write_markdown(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write the summary."""
    file.write(markdown(sessions).encode("utf-8"))


def markdown(sessions: Sequence[RecordedSession], max_bytes: int = MAX_BYTES) -> str:
    """Return the summary of sessions.

    Args:
        sessions: at least one.
        max_bytes: the most bytes of the text in UTF-8. Parts that don't fit are left out.
    """
    page = Page(max_bytes - NOTE_BYTES)
    page.add(MARK)
    for session in sessions:
        page.add(_head(session))
    for session in sessions:
        _add_table(page, session, int(max_bytes * TABLE_SHARE / len(sessions)))
        if session.summary.is_broken_down:
            for part in extension_part("breakdown as Markdown")(session.summary):
                page.add(part)
    missing = 0
    for session in sessions:
        for tally in _worst_first(session):
            if tally.verdict()[0] != "passed" and not page.add(_failures(session, tally)):
                missing += 1
        page.add("".join(_refused(session)))
    if missing and page.text:
        page.end(f"\n_The failures of {amount(missing, 'more test')} don't fit here._\n")
    return file_text(page.text)


def _head(session: RecordedSession) -> str:
    report, summary = session_report(session), session.summary
    mark = "✅" if report.exit_code == 0 else "❌"
    facts = [code(session.id), session.status, summary.results_text()]
    facts += [] if session.cost is None else [f"${session.cost:.4f}"]
    facts += [_duration(seconds_of(session.info) or 0.0)]
    lines = [f"### {mark} {summary.tests_text()}\n", f"{' · '.join(filter(None, facts))}\n"]
    kinds = summary.error_kinds().most_common(10)
    if kinds:
        causes = ", ".join(f"{code(kind)} {count:,}" for kind, count in kinds)
        lines.append(f"Errors: {causes}\n")
    if remarks := [*replay_remarks(summary)]:
        lines.append("".join(f"* {code(remark.text, MAX_REMARK)}\n" for remark in remarks))
    lines.append(f"`lve show {session.id}` shows it again.\n")
    return "\n".join(lines) + "\n"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds else ""
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _add_table(page: Page, session: RecordedSession, max_bytes: int) -> None:
    """Add the table of tests by models, or by variants of prompts: failed tests first, and as many
    as fit."""
    in_order = {(tally.test, tally.model): tally for tally in _worst_first(session)}
    tallies = by_variant(in_order)
    models = sorted({model for _, model in tallies})
    if not models:
        return
    head = table_head(["test", *(code_cell(model, 60) for model in models)], ":--")
    table = Page(max_bytes)
    if not table.add(head):
        page.add(f"A table of {len(models):,} models doesn't fit here.\n\n")
        return
    tests = list(dict.fromkeys(test for test, _ in tallies))
    rows = 0
    for test in tests:
        cells = [_cell(tallies.get((test, model))) for model in models]
        if not table.add(row([code_cell(test or ".", 100), *cells])):
            break
        rows += 1
    more = f"\nand {amount(len(tests) - rows, 'more test')}\n" if rows < len(tests) else ""
    page.add(f"{table.text}{more}\n")


def _worst_first(session: RecordedSession) -> list[Tally]:
    def rank(tally: Tally) -> tuple[bool, int]:
        return tally.is_advisory, _WORST_FIRST.index(tally.verdict()[0])

    return sorted(session.tallies, key=rank)


def _cell(tally: Tally | None) -> str:
    if tally is None:
        return "-"
    if not tally.judged:
        return f"{_mark(tally)} {tally.counts['passed']:,}/{tally.total:,}"
    rate = tally.rate
    assert rate.rate is not None
    parts = [f"{rate.passed:,}/{rate.total:,}"]
    parts += [amount(tally.counts["error"], "error")] if tally.counts["error"] else []
    parts += [spread_text(tally.total, rows=tally.instances.rows(), repeats=tally.repeats)]
    if tally.judged > 1:
        sure = f"{100 * rate.confidence:g} %{'' if rate.has_bounds else ' interval'}"
        parts.append(f"{sure} {short_range(rate.low, rate.high, has_bounds=rate.has_bounds)}")
    return f"{_mark(tally)} {percent(rate.rate)} ({', '.join(filter(None, parts))})"


def _mark(tally: Tally) -> str:
    verdict = tally.verdict()[0]
    return ADVISORY if tally.is_advisory and verdict != "error" else MARKS[verdict]


def _failures(session: RecordedSession, tally: Tally) -> str:
    """Return a collapsed section with the first unexpected instances of a test."""
    pair = (tally.test, tally.model)
    reason = tally.verdict()[1]
    head = f"{_mark(tally)} {html_code(tally.test or '.', 100)} {html_code(tally.model, 60)}"
    parts = [f"{code(reason)}\n\n"] if reason else []
    unexpected = session.results(pair, without=tally.expect.wanted)
    parts += map(_instance, islice(unexpected, SHOWN))
    if tally.unexpected > SHOWN:
        parts.append(f"and {tally.unexpected - SHOWN:,} more\n\n")
    return details(head, "".join(parts))


def _instance(result: InstanceResult) -> str:
    verdict = f"{code(ShortResult.of(result).row)} {result.verdict}: {code(result.reason)}\n\n"
    prompt_in, answer = prompt_text(result), response_text(result)
    prompt = f"{fenced(cut(prompt_in, MAX_TEXT))}\n" if prompt_in else ""
    return f"{verdict}{prompt}" + (
        f"The answer:\n\n{fenced(cut(answer, MAX_TEXT))}\n" if answer else ""
    )


def _refused(session: RecordedSession) -> Iterator[str]:
    """Yield lists of the first invalid and the first skipped tests."""
    refused = {
        test: problems[0] if problems else "" for test, problems in session.summary.invalid.items()
    }
    for title, reasons in (("Invalid", refused), ("Skipped", session.summary.skipped)):
        if reasons:
            yield f"**{title}**\n\n"
            for test, why in islice(sorted(reasons.items()), 20):
                yield f"* {code(test or '.', 100)}: {code(why)}\n"
            yield f"* and {len(reasons) - 20:,} more\n" if len(reasons) > 20 else ""
            yield "\n"
