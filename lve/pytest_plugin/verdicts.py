"""From instance results to what pytest is told of an item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lve.checkers.base import Outcome
from lve.reporting.escape import escape
from lve.results.records import InstanceResult
from lve.results.tally import Tally
from lve.spec.model import Expectation, Spec

SHOWN_ROWS = 20


class InstanceFailed(Exception):
    """The model didn't behave."""


class InfrastructureError(Exception):
    """There is no verdict: no completion, or a crashed checker."""


@dataclass(frozen=True)
class ItemVerdict:
    """The aggregate over an item's instances and repeats."""

    outcome: Outcome
    reason: str
    results: tuple[InstanceResult, ...] = ()
    properties: list[tuple[str, object]] = field(default_factory=list)


def describe(spec: Spec, verdict: ItemVerdict) -> str:
    """Return the text that explains a failure: checker and its place, reason, transcript."""
    place = spec.checkers[0].position if spec.checkers else None
    where = f"{place.file}:{place.line}" if place and place.line else str(spec.file)
    names = ", ".join(checker.name for checker in spec.checkers)
    lines = [f"{where}: {names}: {escape(verdict.reason)}"]
    shown = [result for result in verdict.results if result.verdict != "passed"]
    if len(verdict.results) > 1:
        lines += [_row_line(result) for result in shown[:SHOWN_ROWS]]
        if len(shown) > SHOWN_ROWS:
            lines.append(f"  ... and {len(shown) - SHOWN_ROWS} more")
    for result in shown[:1]:
        lines += _transcript_lines(result)
    return "\n".join(lines)


def _row_line(result: InstanceResult) -> str:
    repeat = f", repeat {result.repeat + 1}" if result.repeat else ""
    place = f"{result.source} line {result.line}{repeat}"
    return f"  {place}: {result.verdict}: {escape(result.reason)}"


def _transcript_lines(result: InstanceResult) -> Iterator[str]:
    yield f"  model {result.model}, {result.source} line {result.line}"
    for name, value in result.args.items():
        yield f"  {name} = {escape(str(value))}"
    for number, transcript in enumerate(result.transcripts, 1):
        if len(result.transcripts) > 1:
            yield f"  run {number}"
        for message in transcript.messages:
            content = message.content if isinstance(message.content, str) else "(parts)"
            body = escape(content).replace("\n", "\n    ")
            yield f"  [{message.role}] {body}"


def item_verdict(
    spec: Spec,
    results: Sequence[InstanceResult],
    *,
    strict: bool,
    facts: Sequence[tuple[str, object]] = (),
) -> ItemVerdict:
    """Return the aggregate over the results of an item.

    Args:
        spec: the test. `expect: fail` is pytest's business (a strict xfail), a pass rate is ours.
        results: at least one.
        strict: whether inconclusive counts as failed.
        facts: more properties for the report.
    """
    expect = spec.expect if spec.expect.kind == "rate" else Expectation()
    tally = Tally(spec.path, results[0].model, expect)
    for result in results:
        tally.add(result)
    tally.is_complete = True
    outcome, reason = tally.verdict()
    if len(results) == 1:
        reason = results[0].reason
    if outcome == "inconclusive" and strict:
        outcome = "failed"
    return ItemVerdict(outcome, reason, tuple(results), [*_properties(tally), *facts])


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
    if tally.cost is not None:
        properties.append(("cost", round(tally.cost, 8)))
    return properties
