"""Sums up the results of an item to its outcome in pytest, and writes the text of a failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice

# Not documented, but present in pytest 8.2 to 9.x. pytest-xdist can send only these classes from a
# worker to its controller without losing the line for the summary.
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from lve.checkers.contract import Outcome
from lve.data.row_places import place_of_row
from lve.data_classes import dataclass, field
from lve.escape import escape, escape_line, excerpt
from lve.pytest_plugin.item_protocol import RATE_PROPERTY
from lve.reporting.figures import correction_lines, figure_lines
from lve.reporting.transcript import Cuts, transcript_lines
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation, Spec
from lve.verdicts.calibration_status import CalibrationStatus
from lve.verdicts.coverage import Coverage, NotRecorded
from lve.verdicts.rates.corrected import JudgeErrors
from lve.verdicts.replayed import remarks_of_test
from lve.verdicts.short_result import ShortResult
from lve.verdicts.tally import Tally
from lve.workspace import display_path

KNOWN_WEAKNESS = "a known weakness (expect: fail)"
SHOWN_ROWS = 20
SHOWN_ARGS = 50
"""Args of one instance that are shown."""
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
    """There is no verdict: no completion, or a checker crashed."""


class Undecided(Exception):
    """The verdict is inconclusive. It is no `InstanceFailed`, which would confirm a known weakness
    (`expect: fail`)."""


class InconclusiveWarning(UserWarning):
    """The verdict is inconclusive, and `--lve-allow-inconclusive` is given."""


@dataclass(frozen=True)
class ItemVerdict:
    """The verdict over all instances and repeats of an item."""

    outcome: Outcome
    reason: str
    results: tuple[InstanceResult, ...] = ()
    properties: list[tuple[str, object]] = field(default_factory=list)
    errors: int = 0
    """The number of results that are errors, if the outcome is `passed` in spite of them and the
    test doesn't allow so many."""
    figures: tuple[str, ...] = ()
    """Lines with the pass rate corrected for the check's errors."""
    statistics: tuple[str, ...] = ()
    """Lines with the statistics of its repeats, for pytest's `-v`."""
    is_advisory: bool = False
    """Whether the outcome is only reported and never fails the item."""

    @property
    def cause(self) -> str:
        """Identifies what went wrong: equal for all items with the same error, however often it was
        tried. It is a hash, because reports of other plugins show it, and it isn't redacted."""
        text = self.reason
        for result in self.results:
            if result.cause is not None:
                text = text.replace(result.reason, result.cause)
        return sha256(text.encode("utf-8", "replace")).hexdigest()


def item_verdict(
    spec: Spec,
    results: Sequence[InstanceResult],
    *,
    expect: Expectation,
    sequential: bool = False,
    errors: JudgeErrors | None = None,
    facts: Sequence[tuple[str, object]] = (),
    left_out: NotRecorded | None = None,
) -> ItemVerdict:
    """Return the verdict over the results of an item.

    Args:
        spec: the test.
        results: the results of its instances and repeats; at least one.
        expect: the expectation that they have to meet.
        sequential: whether repeats stopped as soon as the pass rate was decided.
        errors: the known error rates of the checker, from its calibration.
        facts: further properties for the report.
        left_out: its rows that a replay left out.
    """
    tally = Tally(
        spec.path,
        results[0].model,
        expect,
        is_sequential=sequential,
        calibration=CalibrationStatus(errors),
        coverage=Coverage(not_recorded=left_out or NotRecorded()),
    )
    for result in results:
        tally.add(result)
    tally.coverage.complete()
    outcome, reason = tally.verdict()
    if len(results) == 1 and expect.kind != "rate":
        reason = reason if expect.kind == "fail" else results[0].reason
    broken = 0 if expect.allows_errors(tally.counts["error"]) else tally.counts["error"]
    if broken and outcome == "inconclusive":  # worse than a warning
        outcome, reason = "error", f"{broken} of {tally.total} ended in an error; {reason}"
    broken = broken if outcome == "passed" else 0
    properties = [*_properties(tally), *facts, *remarks_of_test(tally)]
    if expect.kind == "rate":
        properties.append((RATE_PROPERTY, "; ".join([reason, *correction_lines(tally)])))
    return ItemVerdict(
        outcome,
        reason,
        tuple(results),
        properties,
        broken,
        tuple(correction_lines(tally)),
        tuple(figure_lines(tally)),
        tally.is_advisory,
    )


def _properties(tally: Tally) -> list[tuple[str, object]]:
    """Return the properties of an item in the JUnit report."""
    rate = tally.rate
    properties: list[tuple[str, object]] = [
        ("model", tally.model),
        ("rows", tally.instances.rows()),
        ("results", tally.total),
        ("repeats", tally.repeats),
        ("pass_rate", rate.rate if rate.rate is not None else ""),
        ("pass_rate_low", round(rate.low, 4)),
        ("pass_rate_high", round(rate.high, 4)),
        ("tokens", tally.answers.usage.total_tokens),
    ]
    properties += _figure_properties(tally)
    properties += [("advisory", True)] if tally.is_advisory else []
    if (corrected := tally.corrected()) is not None:
        properties.append(("corrected_rate", round(corrected.value, 4)))
        properties.append(("corrected_rate_low", round(corrected.low, 4)))
        properties.append(("corrected_rate_high", round(corrected.high, 4)))
    if tally.answers.cost is not None:
        properties.append(("cost", round(tally.answers.cost, 8)))
    return properties


def _figure_properties(tally: Tally) -> Iterator[tuple[str, object]]:
    """Yield the statistics of repeats, if there are any."""
    if tally.total < 2:
        return
    figures = tally.figures()
    if (population := figures.population) is not None:
        yield "population_rate_low", round(population.low, 4)
        yield "population_rate_high", round(population.high, 4)
    yield "flaky_instances", figures.flakiness.flaky
    for figure in figures.at_k[-1:]:
        yield f"pass_at_{figure.k}", round(figure.any_passes.value, 4)
        yield f"pass_hat_{figure.k}", round(figure.all_pass.value, 4)
        yield f"majority_at_{figure.k}", round(figure.majority.value, 4)
        yield f"g_pass_at_{figure.k}", round(figure.share_passes.value, 4)


def describe_failure(
    spec: Spec, verdict: ItemVerdict, *, unwanted: Outcome = "failed", is_verbose: bool = False
) -> str:
    """Return the text that explains a failure: the checker and its place, reason, transcript.

    Args:
        spec: the test.
        verdict: the item's verdict.
        unwanted: the verdict of the instances to explain, in addition to errors.
        is_verbose: whether to write the statistics of its repeats.
    """
    lines = [f"{_source_of(spec, verdict)}: {_indented(verdict.reason)}"]
    figures = (*verdict.figures, *(verdict.statistics if is_verbose else ()))
    lines += [f"  {_indented(line)}" for line in figures]
    verdicts = {result.verdict for result in verdict.results}
    reported = (
        ("error",) if verdict.outcome == "error" and "error" in verdicts else ("error", unwanted)
    )
    results = [result for result in verdict.results if result.verdict in reported]
    results = results or list(verdict.results)
    if len(verdict.results) > 1:
        lines += [_row_line(result) for result in results[:SHOWN_ROWS]]
        if len(results) > SHOWN_ROWS:
            lines.append(f"  ... and {len(results) - SHOWN_ROWS} more")
    lines += _instance_lines(results[0])
    return "\n".join(lines)


_JUDGED_KINDS = (None, "checker", "redacted")
"""The `error_kind` of results whose answer reached the checkers."""


def _source_of(spec: Spec, verdict: ItemVerdict) -> str:
    """Return the checkers and their place in the document; only the document if no answer reached
    them."""
    if verdict.results and all(r.error_kind not in _JUDGED_KINDS for r in verdict.results):
        return escape_line(str(display_path(spec.file)))
    names = ", ".join(checker.name for checker in spec.checkers)
    return f"{place_of(spec)}: {names}"


def place_of(spec: Spec) -> str:
    """Return `file:line` of the checker in the test document."""
    place = spec.checkers[0].position if spec.checkers else None
    return f"{place.file}:{place.line}" if place and place.line else str(spec.file)


def _indented(text: str, most: int = SHOWN_REASON) -> str:
    """Return the beginning of a text, escaped, with further lines indented deeper than other lines
    of the report."""
    return escape(excerpt(text, most)).replace("\n", "\n      ")


def _row_line(result: InstanceResult) -> str:
    place = escape_line(ShortResult.of(result).row)
    return f"  {place}: {result.verdict}: {_indented(result.reason)}"


def _instance_lines(result: InstanceResult) -> Iterator[str]:
    recorded = ", failed as recorded" if result.failed_as_recorded else ""
    place = place_of_row(result.source, result.line)
    yield f"  model {result.model}, {place}{recorded}"
    for name, value in islice(result.args.items(), SHOWN_ARGS):
        yield f"  {escape_line(excerpt(name, SHOWN_NAME))} = {_indented(str(value), SHOWN_VALUE)}"
    if len(result.args) > SHOWN_ARGS:
        yield f"  ... and {len(result.args) - SHOWN_ARGS:,} more"
    for line in transcript_lines(result, Cuts(are_wanted=True)):
        yield f"  {line}"


def failure(spec: Spec, reason: str, text: str) -> ReprExceptionInfo:
    """Return pytest's representation of a failed item, without the secrets of this process.

    Args:
        spec: the test; the failure is placed at its first checker.
        reason: the reason; its first line is for the summary.
        text: the text for the report.
    """
    place = spec.checkers[0].position if spec.checkers else None
    line = place.line if place and place.line else 1
    file, first = escape_line(str(spec.file)), escape_line(escape(reason).partition("\n")[0])
    crash = ReprFileLocation(file, line, first)
    entries = [ReprEntryNative([escape(text), "\n"])]
    trace = ReprTraceback(entries, extraline=None, style="native")
    return ReprExceptionInfo(reprtraceback=trace, reprcrash=crash)
