"""Turns the results of an item's instances into its outcome in pytest, and a failure into text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

# pytest's own, not documented, there in 8.2 to 9.x: only these survive the way from an xdist worker
# with the line for the summary.
from _pytest._code.code import (
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from lve.checkers.contract import Outcome
from lve.conventions import RATE_PROPERTY, place_of_row
from lve.escape import escape, escape_line, excerpt
from lve.redaction import own_redactor
from lve.reporting.figures import correction_lines, figure_lines
from lve.reporting.transcript import Cuts, transcript_lines
from lve.results.records import InstanceResult
from lve.spec.model import Expectation, Spec
from lve.verdicts.calibration_status import CalibrationStatus
from lve.verdicts.rates.corrected import JudgeErrors
from lve.verdicts.tally import Tally
from lve.workspace import display_path

KNOWN_WEAKNESS = "a known weakness (expect: fail)"
SHOWN_ROWS = 20
SHOWN_ARGS = 50
"""Of one instance."""
SHOWN_NAME = 200
"""Characters of an arg's name."""
SHOWN_VALUE = 1_000
"""Characters of an arg."""
SHOWN_REASON = 4_000
"""Characters of a reason."""


class InstanceFailed(Exception):
    """The model didn't behave."""


class UnexpectedPass(Exception):
    """The model behaved, and the test documents a weakness (`expect: fail`)."""


class InfrastructureError(Exception):
    """There is no verdict: no completion, or a crashed checker."""


class Undecided(Exception):
    """It could not be decided whether the model behaved. No `InstanceFailed`: a known weakness
    (`expect: fail`) must not count as shown by it."""


class InconclusiveWarning(UserWarning):
    """It could not be decided whether a test passed, and that is allowed."""


@dataclass(frozen=True)
class ItemVerdict:
    """The aggregate over an item's instances and repeats."""

    outcome: Outcome
    reason: str
    results: tuple[InstanceResult, ...] = ()
    properties: list[tuple[str, object]] = field(default_factory=list)
    errors: int = 0
    """Results without a verdict beside an outcome that is `passed` all the same."""
    figures: tuple[str, ...] = ()
    """What its repeats say beside the verdict, as lines."""
    is_advisory: bool = False
    """Whether the outcome is only reported, and fails nothing."""


def item_verdict(
    spec: Spec,
    results: Sequence[InstanceResult],
    *,
    expect: Expectation,
    sequential: bool = False,
    errors: JudgeErrors | None = None,
    facts: Sequence[tuple[str, object]] = (),
) -> ItemVerdict:
    """Return the aggregate over the results of an item.

    Args:
        spec: the test.
        results: at least one.
        expect: what makes it pass.
        sequential: whether its repeats ended with the decision about its pass rate.
        errors: what is known of the errors in the verdicts.
        facts: more properties for the report.
    """
    tally = Tally(
        spec.path,
        results[0].model,
        expect,
        is_sequential=sequential,
        calibration=CalibrationStatus(errors),
    )
    for result in results:
        tally.add(result)
    tally.complete()
    outcome, reason = tally.verdict()
    if len(results) == 1 and expect.kind != "rate":
        reason = reason if expect.kind == "fail" else results[0].reason
    broken = tally.counts["error"]
    if broken and outcome == "inconclusive":  # more than a warning
        outcome, reason = "error", f"{broken} of {tally.total} ended in an error; {reason}"
    broken = broken if outcome == "passed" else 0
    properties = [*_properties(tally), *facts]
    if expect.kind == "rate":
        properties.append((RATE_PROPERTY, "; ".join([reason, *correction_lines(tally)])))
    return ItemVerdict(
        outcome,
        reason,
        tuple(results),
        properties,
        broken,
        tuple(figure_lines(tally)),
        tally.is_advisory,
    )


def _properties(tally: Tally) -> list[tuple[str, object]]:
    """Return what the JUnit report says of an item."""
    rate = tally.rate
    properties: list[tuple[str, object]] = [
        ("model", tally.model),
        ("repeats", tally.total),
        ("pass_rate", rate.rate if rate.rate is not None else ""),
        ("pass_rate_low", round(rate.low, 4)),
        ("pass_rate_high", round(rate.high, 4)),
        ("tokens", tally.usage.total_tokens),
    ]
    properties += _figure_properties(tally)
    properties += [("advisory", True)] if tally.is_advisory else []
    if (corrected := tally.corrected()) is not None:
        properties.append(("corrected_rate", round(corrected.value, 4)))
        properties.append(("corrected_rate_low", round(corrected.low, 4)))
        properties.append(("corrected_rate_high", round(corrected.high, 4)))
    if tally.cost is not None:
        properties.append(("cost", round(tally.cost, 8)))
    return properties


def _figure_properties(tally: Tally) -> Iterator[tuple[str, object]]:
    """Yield what repeats say beside the rate, where there are any."""
    if tally.total < 2:
        return
    figures = tally.figures()
    if (found := figures.population) is not None:
        yield "population_rate_low", round(found.low, 4)
        yield "population_rate_high", round(found.high, 4)
    yield "flaky_instances", figures.flakiness.flaky
    for one in figures.at_k[-1:]:
        yield f"pass_at_{one.k}", round(one.any_passes.value, 4)
        yield f"pass_hat_{one.k}", round(one.all_pass.value, 4)
        yield f"majority_at_{one.k}", round(one.majority.value, 4)
        yield f"g_pass_at_{one.k}", round(one.share_passes.value, 4)


def describe_failure(spec: Spec, verdict: ItemVerdict, *, unwanted: Outcome = "failed") -> str:
    """Return the text that explains a failure: checker and its place, reason, transcript.

    Args:
        spec: the test.
        verdict: of the item.
        unwanted: the verdict of an instance that has to be explained, beside errors.
    """
    lines = [f"{_who_says_so(spec, verdict)}: {_indented(verdict.reason)}"]
    lines += [f"  {_indented(line)}" for line in verdict.figures]
    known = {result.verdict for result in verdict.results}
    wanted = ("error",) if verdict.outcome == "error" and "error" in known else ("error", unwanted)
    shown = [result for result in verdict.results if result.verdict in wanted]
    shown = shown or list(verdict.results)
    if len(verdict.results) > 1:
        lines += [_row_line(result) for result in shown[:SHOWN_ROWS]]
        if len(shown) > SHOWN_ROWS:
            lines.append(f"  ... and {len(shown) - SHOWN_ROWS} more")
    lines += _instance_lines(shown[0])
    return "\n".join(lines)


_OF_CHECKERS = (None, "checker", "redacted")


def _who_says_so(spec: Spec, verdict: ItemVerdict) -> str:
    """Return the checkers and their place, or the test if no answer was judged."""
    if verdict.results and all(r.error_kind not in _OF_CHECKERS for r in verdict.results):
        return escape_line(str(display_path(spec.file)))
    names = ", ".join(checker.name for checker in spec.checkers)
    return f"{place_of(spec)}: {names}"


def place_of(spec: Spec) -> str:
    """Return `file:line` of the checker in the test document."""
    place = spec.checkers[0].position if spec.checkers else None
    return f"{place.file}:{place.line}" if place and place.line else str(spec.file)


def _indented(text: str, most: int = SHOWN_REASON) -> str:
    """Return a text's beginning escaped, its further lines deeper than any of ours."""
    return escape(_part(text, most)).replace("\n", "\n      ")


def _part(text: str, most: int) -> str:
    """Return a text's beginning. Secrets go before it is cut: pieces of them aren't known."""
    return excerpt(own_redactor()(text), most)


def _row_line(result: InstanceResult) -> str:
    repeat = f", repeat {result.repeat + 1}" if result.repeat else ""
    place = f"{place_of_row(result.source, result.line)}{repeat}"
    return f"  {place}: {result.verdict}: {_indented(result.reason)}"


def _instance_lines(result: InstanceResult) -> Iterator[str]:
    recorded = ", failed as recorded" if result.failed_as_recorded else ""
    place = place_of_row(result.source, result.line)
    yield f"  model {result.model}, {place}{recorded}"
    for name, value in islice(result.args.items(), SHOWN_ARGS):
        yield f"  {escape_line(_part(name, SHOWN_NAME))} = {_indented(str(value), SHOWN_VALUE)}"
    if len(result.args) > SHOWN_ARGS:
        yield f"  ... and {len(result.args) - SHOWN_ARGS:,} more"
    for line in transcript_lines(result, Cuts(are_wanted=True, redact=own_redactor())):
        yield f"  {line}"


def failure(spec: Spec, reason: str, text: str) -> ReprExceptionInfo:
    """Return what pytest shows of a failed item, without the secrets of this process.

    Args:
        spec: the test; the place of its checker is the place of the failure.
        reason: for the summary; its first line is shown.
        text: for the report.
    """
    redact = own_redactor()
    reason, text = redact(reason), redact(text)
    place = spec.checkers[0].position if spec.checkers else None
    line = place.line if place and place.line else 1
    file, first = escape_line(str(spec.file)), escape_line(reason.partition("\n")[0])
    crash = ReprFileLocation(file, line, first)
    entries = [ReprEntryNative([escape(text), "\n"])]
    trace = ReprTraceback(entries, extraline=None, style="native")
    return ReprExceptionInfo(reprtraceback=trace, reprcrash=crash)
