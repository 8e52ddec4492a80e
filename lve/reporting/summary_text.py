"""The summary at the end of a text report: results, cost and time, how to continue the session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lve.escape import one_line
from lve.models.error_kinds import CHECKER_ERROR, NOT_RECORDED, STALE_RECORDING
from lve.pipeline.result import RunResult
from lve.plurals import amount
from lve.reporting.reporter import SessionReport
from lve.reporting.terminal import Colour, Terminal
from lve.spec.recorded_row import REMOVED_ROWS
from lve.verdicts.replayed import NOTHING_SENT, changed_verdicts, sent_nothing, uncertain_remarks
from lve.verdicts.summary import Summary
from lve.verdicts.wording import judge_again

BUDGET_OPTIONS = {
    " requests": "--max-requests N",
    " tokens": "--max-tokens-total N",
    "$": "--max-cost DOLLARS",
}
"""Sign of a limit in the reason for which a session stopped -> the option that sets it."""

FEWEST_TESTS = 5
"""With fewer tests, the interval of the pass rate of tests like these is too wide to be of use."""


def summary_lines(
    report: SessionReport, terminal: Terminal, *, is_verbose: bool = False
) -> Iterator[str]:
    """Yield the lines of the summary of a session.

    Args:
        report: the session.
        terminal: that they are for.
        is_verbose: whether to say what the results mean for tests like these.
    """
    summary = report.summary
    if not (summary.tallies or summary.skipped or summary.invalid):
        yield report.why_empty
        return
    yield from _invalid_lines(summary, terminal)
    for test, why in summary.skipped.items():
        first, *rest = terminal.fold(f"skipped: {test}: {why}", 4)
        yield from (first, *(f"    {line}" for line in rest))
    yield _tests_line(summary, terminal)
    yield summary.results_text()
    if is_verbose:
        yield from _population_lines(summary)
    yield from _error_lines(report)
    yield from _agreement_lines(summary, terminal)
    yield from (remark.text for remark in uncertain_remarks(summary))
    yield _effort_line(report, terminal)
    if sent_nothing(summary) and not report.result.gated:
        yield REMOVED_ROWS
    yield from _asked_lines(summary, terminal)
    yield from _gate_lines(report, terminal)
    yield from _session_lines(report, summary.results()["error"])


def _tests_line(summary: Summary, terminal: Terminal) -> str:
    verdicts = summary.verdicts()
    is_good = not (verdicts["failed"] or verdicts["error"] or summary.invalid)
    good: Colour = "cyan" if verdicts["inconclusive"] else "green"
    return terminal.paint(summary.tests_text(), good if is_good else "red")


def _invalid_lines(summary: Summary, terminal: Terminal) -> Iterator[str]:
    for test, problems in summary.invalid.items():
        yield terminal.paint(f"invalid: {one_line(test)}{_ran(summary, test)}", "red")
        yield from (f"    {one_line(problem)}" for problem in problems)


def _ran(summary: Summary, test: str) -> str:
    """Return how many other results of an invalid test ran, in words."""
    ran = sum(tally.total for tally in summary.tallies.values() if tally.test == test)
    return f" ({amount(ran, 'other result')} ran)" if ran else ""


def _population_lines(summary: Summary) -> Iterator[str]:
    """Yield the estimated pass rate of tests like these, if there are enough tests."""
    rate = summary.population()
    if rate is not None and rate.clusters >= FEWEST_TESTS:
        yield f"tests like these: pass rate {rate} from {amount(rate.clusters, 'test')}"


def _error_lines(report: SessionReport) -> Iterator[str]:
    kinds = report.summary.error_kinds()
    if kinds:
        yield f"errors: {_kinds(dict(kinds.most_common()))}"
    retried = sum(report.result.failed_attempts.values())
    if retried:
        yield f"failed attempts: {_kinds(report.result.failed_attempts)}"


def _kinds(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {one_line(kind)}" for kind, count in kinds.items())


def _agreement_lines(summary: Summary, terminal: Terminal) -> Iterator[str]:
    agreement = summary.agreement()
    if not agreement.compared:
        return
    yield str(agreement)
    for change in changed_verdicts(summary):
        yield from (f"    {line}" for line in terminal.fold(change, 4))


def _effort_line(report: SessionReport, terminal: Terminal) -> str:
    tallies = report.summary.tallies.values()
    if sent_nothing(report.summary):
        parts = [NOTHING_SENT, f"{report.result.seconds:.1f} s"]
        return (" · " if terminal.has_symbols else ", ").join(parts)
    usage = report.summary.usage()
    parts = [f"{amount(usage.prompt_tokens, 'token')} in, {usage.completion_tokens:,} out"]
    cost = report.cost
    if cost is not None:
        unknown = ", ".join(report.result.unpriced)
        parts.append(
            f"${cost:.4f}" + (f" without {one_line(unknown)} (no price)" if unknown else "")
        )
    parts.append(_requests(report.result))
    cached = sum(tally.answers.cached for tally in tallies)
    if cached:
        parts.append(f"{cached} from the cache")
    first_token_s = report.summary.first_token_s()
    if first_token_s is not None:
        parts.append(f"first token after {first_token_s:.2f} s")
    parts.append(f"{report.result.seconds:.1f} s")
    return (" · " if terminal.has_symbols else ", ").join(parts)


def _requests(result: RunResult) -> str:
    """Return how many requests the session took, as its tokens and its cost are those of all its
    runs, and how many of them this one."""
    total = amount(result.requests_before + result.requests, "request")
    return f"{total} ({result.requests:,} now)" if result.requests_before else total


def _asked_lines(summary: Summary, terminal: Terminal) -> Iterator[str]:
    """Yield the usage of judges and other roles. The line before includes it, except the tokens."""
    of_roles = summary.asked()
    if not of_roles.answers:
        return
    usage = of_roles.usage
    parts = [f"other roles: {amount(of_roles.answers, 'answer')}"]
    parts.append(f"{amount(usage.prompt_tokens, 'token')} in, {usage.completion_tokens:,} out")
    parts += [f"${of_roles.cost:.4f}"] if of_roles.cost is not None else []
    yield (" · " if terminal.has_symbols else ", ").join(parts)


def _gate_lines(report: SessionReport, terminal: Terminal) -> Iterator[str]:
    """Yield the comparison of the session with its baseline."""
    gated = report.result.gated
    if gated is None:
        return
    if gated.comparison is None:
        yield terminal.paint(f"not compared: {one_line(gated.problem)}", "red")
        return
    from lve.reporting.compared_text import gated_lines  # few runs need it; it costs start-up time

    comparison = gated.comparison
    yield f"compared with {one_line(comparison.before.name)}:"
    yield from (f"    {line}" for line in gated_lines(comparison, terminal))


def _session_lines(report: SessionReport, errors: int) -> Iterator[str]:
    if report.result.stopped_by:
        yield f"stopped early: {one_line(report.result.stopped_by)}"
    elif report.result.status not in ("complete", "running"):
        yield f"stopped early: {report.result.status}"
    if report.result.left:
        yield f"not run: about {amount(report.result.left, 'result')}"
    if report.folder is None:
        return
    yield f"session: {one_line(report.folder)} (lve show {report.session_args})"
    if hint := how_to_go_on(report):
        yield hint
    elif errors > checker_crashes(report) + _unchanged_by_asking(report):
        yield f"run the errors again with: lve run --retry-errors {_resume_args(report)}"
    if hint := how_to_judge_again(report):
        yield hint


def how_to_go_on(report: SessionReport) -> str | None:
    """Return the hint with the command that continues a session; None if it is complete."""
    if report.folder is None or (report.result.status == "complete" and not report.result.left):
        return None
    # If errors of a complete session were run again, only errors can be left.
    tallies = report.summary.tallies.values()
    is_whole = all(tally.coverage.is_complete for tally in tallies)
    has_errors = any(tally.counts["error"] for tally in tallies)
    option = "--retry-errors" if is_whole and has_errors else "--resume"
    command = f"lve run {option} {_resume_args(report)}"
    if report.result.spent_role is not None:
        return f"raise the role's limit in lve.yaml, and go on with: {command}"
    if report.result.status == "budget":
        reason = report.result.stopped_by or ""
        options = [option for sign, option in BUDGET_OPTIONS.items() if sign in reason]
        first, *others = options or BUDGET_OPTIONS.values()
        more = f" (or {', '.join(others)})" if others else ""
        return f"go on with a higher limit: {command} {first}{more}"
    return f"go on with: {command}"


def _unchanged_by_asking(report: SessionReport) -> int:
    """Return how many errors stay the same until something is recorded; they say so themselves."""
    kinds = report.summary.error_kinds()
    return kinds[STALE_RECORDING] + kinds[NOT_RECORDED]


def checker_crashes(report: SessionReport) -> int:
    """Return how many instances have an answer but no verdict, because a checker crashed."""
    return report.summary.error_kinds()[CHECKER_ERROR]


def how_to_judge_again(report: SessionReport) -> str | None:
    """Return the hint for answers whose checker crashed; None if there are none."""
    if report.folder is None or not checker_crashes(report):
        return None
    trust = " --trust" if "--trust" in report.resume_args.split() else ""
    return judge_again(report.session_args + trust)


def _resume_args(report: SessionReport) -> str:
    return f"{report.result.session} {one_line(report.resume_args)}".rstrip()
