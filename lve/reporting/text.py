"""The report for people: a line per test, and a summary at the end."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from lve.checkers.contract import Outcome
from lve.escape import columns, one_line
from lve.extension_table import extension_part
from lve.pipeline.result import RunResult
from lve.plurals import amount
from lve.reporting.figures import correction_lines, figure_lines
from lve.reporting.reporter import Detail, SessionReport, is_verbose
from lve.reporting.summary_text import summary_lines
from lve.reporting.terminal import Terminal, mark_of
from lve.reporting.transcript import Cuts, transcript_lines
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.spec.spec import Expectation
from lve.verdicts.agreement import RECORDED_VERDICTS
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.short_result import ShortResult
from lve.verdicts.tally import Tally
from lve.verdicts.wording import range_text, share_text, spread_text

LINES_AT_ONCE = 1000
"""Lines of a transcript that are written at once."""
SHOWN = 3
"""Instances whose transcripts `explain` shows."""


class TextReporter:
    """Writes the report for people. Everything from a model or a test is escaped."""

    def __init__(
        self, terminal: Terminal, *, detail: Detail = "normal", is_cut: bool | None = None
    ) -> None:
        """Args:
        terminal: the stream to write to.
        detail: how much is shown.
        is_cut: whether long transcripts are shortened; None: only on a terminal.
        """
        self._terminal = terminal
        self._detail = detail
        is_wanted = terminal.is_terminal if is_cut is None else is_cut
        self._cuts = Cuts(is_wanted)
        self._reported: set[tuple[str, str]] = set()
        """Tests and models that were reported."""
        self._left_out = 0
        """The number of failures that were not shown."""

    def on_result(self, result: InstanceResult, expect: Expectation) -> None:
        """Write an instance, if the level of detail includes it."""
        if self._detail in ("quiet", "normal"):
            return
        if self._detail == "failures" and result.verdict == expect.wanted:
            return
        terminal = self._terminal
        place = one_line(f"{result.test}/{ShortResult.of(result).row}")
        outcome = f"{result.model}{_meaning(result, expect)}"
        reason = f": {result.reason}" if result.reason else ""
        marked = _marked_outcome(result, expect)
        mark = mark_of(marked, self._terminal, is_advisory=result.advisory)
        terminal.write(f"  {mark} {place} {one_line(outcome + reason)}")
        is_good = result.verdict == "passed" == expect.wanted
        if self._detail == "whole" or not is_good:
            lines = transcript_lines(result, self._cuts)
            # In parts, because the stream searches each write for secrets, and an answer may have a
            # million lines.
            while some := list(islice(lines, LINES_AT_ONCE)):
                terminal.write("\n".join(f"      {line}" for line in some))
        terminal.flush()

    def on_tally(self, tally: Tally) -> None:
        """Write the line of a test, and the reason if it didn't pass."""
        if self._detail == "quiet":
            return
        self._reported.add((tally.test, tally.model))
        verdict, reason = tally.verdict()
        for line in self._test_lines(tally, verdict):
            self._terminal.write(line)
        for text in self._reasons(tally, verdict, reason):
            for line in self._terminal.fold(text, 4):
                self._terminal.write(f"    {line}")
        width = self._terminal.columns - 4 if self._terminal.is_terminal else None
        for text in self._statistics(tally):
            for line in self._terminal.fold(text, 4):
                self._terminal.write(f"    {line}")
        score = tally.figures().score if tally.numbers.is_scale else None
        for line in number_lines(tally.numbers, width=width, score=score):
            self._terminal.write(f"    {line}")
        self._terminal.flush()

    def _statistics(self, tally: Tally) -> Iterator[str]:
        yield from correction_lines(tally)
        if is_verbose(self._detail):
            yield from figure_lines(tally)

    def finish(self, report: SessionReport) -> None:
        """Write the tests that have results but are not finished, and the summary."""
        for key, tally in report.summary.tallies.items():
            if tally.total and key not in self._reported:
                self.on_tally(tally)
        if self._detail != "quiet" and report.summary.tallies:
            self._terminal.write()
        summary = summary_lines(report, self._terminal, is_verbose=is_verbose(self._detail))
        for line in chain(self._matrix(report), summary):
            self._terminal.write(line)
        for hint in self._hints(report):
            self._terminal.write(hint)
        self._terminal.flush()

    def _matrix(self, report: SessionReport) -> Iterator[str]:
        """Yield the table of tests by models or variants, if there are several; then the rates by
        column and tag, and the labels, if there are any."""
        tallies = report.summary.tallies
        if len({model for _, model in tallies}) > 1 or any("@" in test for test, _ in tallies):
            yield from extension_part("tests by models as text")(report.summary, self._terminal)
        if report.summary.is_broken_down and self._detail != "quiet":
            lines = extension_part("breakdown as text")
            yield from lines(report.summary, self._terminal, has_all=is_verbose(self._detail))

    def _hints(self, report: SessionReport) -> Iterator[str]:
        """Yield commands that show what was left out here."""
        if report.result.session is None:
            return
        if self._cuts.were_made:
            command = f"lve show {report.session_args} --failures | less"
            yield f"transcripts are shortened here; all of them: {command}"
        elif self._left_out:
            yield f"all failures, with transcripts: lve show {report.session_args} --failures"

    def _test_lines(self, tally: Tally, verdict: Outcome) -> Iterator[str]:
        """Yield the verdict, the count and the rate with its interval: in one line, unless it would
        be wider than the terminal. Then the rate of a test of which all is as expected is left to
        `-v`, so that what failed isn't lost among what passed."""
        dot = " · " if self._terminal.has_symbols else " - "
        test, model = one_line(tally.test or "."), one_line(tally.model)
        mark = mark_of(verdict, self._terminal, is_advisory=tally.is_advisory)
        score, sure = _score(tally, verdict), _surety(tally)
        left = self._terminal.columns - 2 - columns(test + model + score) - 2 * len(dot)
        is_whole = len(sure) + 3 <= left
        if sure and is_whole:
            score = f"{score} ({sure})"
        if left >= 0:
            yield f"{mark} {test}{dot}{model}{dot}{score}"
        else:
            yield f"{mark} {test}"
            yield f"    {model}{dot}{score}"
        is_all = tally.judged == tally.total == tally.counts[tally.expect.wanted]
        if not is_whole and not (is_all and tally.repeats == 1 and self._detail == "normal"):
            yield from (f"    {line}" for line in self._terminal.fold(sure, 4))

    def _reasons(self, tally: Tally, verdict: Outcome, reason: str) -> Iterator[str]:
        if verdict == "passed":
            if tally.expect.kind == "rate":
                yield reason
            return
        # For a plain test, the score already says how many failed.
        is_in_score = tally.expect.kind == "pass" and verdict != "inconclusive"
        if reason and not (is_in_score and tally.coverage.is_complete):
            yield reason
        if self._detail in ("failures", "whole"):  # the instances were printed before
            return
        yield from map(_explain, tally.examples)
        more = tally.unexpected - len(tally.examples)
        if more > 0:
            self._left_out += more
            yield f"and {more:,} more"


def _marked_outcome(result: InstanceResult, expect: Expectation) -> Outcome:
    """Return `passed` for the expected verdict, `failed` for its opposite, else the verdict."""
    if result.verdict == expect.wanted:
        return "passed"
    return "failed" if result.verdict == expect.unwanted else result.verdict


def _meaning(result: InstanceResult, expect: Expectation) -> str:
    """Return words that explain a mark: the test says `expect: fail`, or the failure was
    recorded."""
    if expect.kind == "fail" and result.verdict in ("passed", "failed"):
        return " failed, as expected" if result.verdict == "failed" else " passed, and should fail"
    return " failed, as recorded" if result.failed_as_recorded else ""


def _score(tally: Tally, verdict: Outcome) -> str:
    if verdict == "passed" and tally.expect.kind == "fail":
        advice = ", advisory" if tally.is_advisory else ""
        return f"{tally.counts['failed']:,}/{tally.total:,} failed, as expected{advice}"
    score = f"{tally.counts['passed']:,}/{tally.total:,} passed"
    if tally.counts["error"]:
        score += f", {amount(tally.counts['error'], 'error')}"
    agreement = tally.agreement
    is_recorded = tally.model == REPLAY and agreement.earlier == RECORDED_VERDICTS
    if verdict == "failed" and is_recorded and agreement.same == tally.total:
        score += ", as recorded"
    return f"{score}, advisory" if tally.is_advisory else score


def _surety(tally: Tally) -> str:
    """Return the pass rate with its interval, and of what a test's results are; an empty text for a
    single result. Where the rate decides, the reason has it."""
    parts = [spread_text(tally.total, rows=tally.instances.rows(), repeats=tally.repeats)]
    is_in_reason = tally.expect.kind == "rate" and not tally.expect.counts_results
    if tally.judged > 1 and not (is_in_reason or tally.coverage.has_failures_only):
        rate = tally.rate
        assert rate.rate is not None
        judged = "" if tally.judged == tally.total else f"{rate.passed:,}/{rate.total:,} = "
        sure = range_text(rate.low, rate.high, rate.confidence, has_bounds=rate.has_bounds)
        parts.append(f"pass rate {judged}{share_text(rate.rate)}, {sure}")
    return "; ".join(filter(None, parts))


def _explain(note: ShortResult) -> str:
    reason = note.reason or f"{note.verdict}, no reason given"
    return f"{note.row}: {reason}"


def number_lines(
    numbers: Breakdown, *, width: int | None, score: Estimate | None = None
) -> Iterator[str]:
    """Yield a line for the mean score, unless it equals the pass rate, and one for each category.

    Args:
        numbers: the breakdown of a test's results.
        width: the most characters of a line; None: no limit.
        score: the estimated mean score of rows like these, if known.
    """
    if numbers.is_scale:
        these = f"mean {numbers.metric} {numbers.whole.score:.3f} over {numbers.whole.scored:,}"
        yield these if score is None else f"{these}; rows like these {score}"
    if numbers.categories:
        yield from extension_part("categories as text")(numbers, width)


def explain(result: RunResult) -> str:
    """Return the text of an `AssertionError` about a run: its verdicts, and the transcripts of the
    first unexpected results."""
    stream = io.StringIO()
    terminal = Terminal(stream)
    reporter = TextReporter(terminal, detail="verbose", is_cut=True)
    # Without a folder, because the command for resuming doesn't belong in an error.
    report = SessionReport(replace(result, folder=None))
    verdicts = result.summary.tests_text()
    terminal.write(f"{verdicts} (exit code {report.exit_code})")
    for tally in result.summary.tallies.values():
        reporter.on_tally(tally)
    for line in summary_lines(report, terminal):
        if line != verdicts:
            terminal.write(line)
    count = 0
    for instance in result.iter_results():
        expect = result.summary.tallies[instance.test, instance.model].expect
        if instance.verdict != expect.wanted and count < SHOWN:
            reporter.on_result(instance, expect)
            count += 1
    return stream.getvalue()
