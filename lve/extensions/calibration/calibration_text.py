"""The report of `lve calibrate`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lve.data_classes import dataclass
from lve.escape import excerpt, one_line
from lve.extensions.calibration.confusion import LabelAgreement, Share
from lve.extensions.calibration.judging import JudgedLabels
from lve.extensions.calibration.label_targets import LabelTarget
from lve.extensions.calibration.measure import JudgedLabel, Measurement
from lve.json_types import JsonValue
from lve.plurals import amount
from lve.verdicts.rates.clusters import Estimate
from lve.workspace import display_path

SHOWN = 10
"""Labels that are shown without `--verbose`."""
TEXT = 200
"""Columns of an answer, a reason or a comment that are shown."""


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a calibration."""

    target: LabelTarget
    labels: Path
    judged: JudgedLabels
    measured: Measurement
    content: Mapping[str, Any]
    """The calibration."""
    below: tuple[str, ...]
    """The measures in which the check is below the floor of the settings, in words."""
    file: Path | None
    """Where the calibration was written; None if it wasn't."""

    @property
    def name(self) -> str:
        """The check that was measured, in words."""
        test = f" of {self.target.spec.path or '.'}" if self.target.is_test else ""
        return f"{self.target.check}{test}"


def lines(report: Report, *, is_verbose: bool) -> Iterator[str]:
    """Yield the report for people."""
    measured, counts = report.measured, report.content["labels"]
    authors = f" by {amount(len(counts['authors']), 'author')}" if counts["authors"] else ""
    yield (
        f"{one_line(report.name)}: {amount(counts['count'], 'label')} of "
        f"{amount(counts['answers'], 'answer')} to {amount(counts['instances'], 'row')}"
        f"{authors}"
    )
    if measured.judged:
        yield from _table(measured.agreement)
        yield from _figures(measured.agreement)
        if counts["instances"] == 1 < counts["answers"]:
            yield (
                "all answers are to one row, so they count as one independent label of each "
                "kind: label answers to many, told apart by `args`"
            )
    if measured.people is not None:
        yield f"people among each other: {_people(measured.people)}"
    yield from _shown(report, measured.disagreements, "that the check contradicts", is_verbose)
    yield from _shown(report, measured.unjudged, "that the check couldn't judge", is_verbose)
    yield from _ending(report)


def _table(agreement: LabelAgreement) -> Iterator[str]:
    table = agreement.table
    yield f"{'':16}{'check passes':>14}{'check fails':>14}"
    yield f"{'people pass':16}{table.true_passes:>14,}{table.false_failures:>14,}"
    yield f"{'people fail':16}{table.false_passes:>14,}{table.true_failures:>14,}"


def _figures(agreement: LabelAgreement) -> Iterator[str]:
    why = "only one verdict was ever given"
    yield f"kappa      {agreement.kappa or f'not known: {why}'}"
    yield f"TPR        {_share(agreement.tpr, 'no answer passes, say the labels')}"
    yield f"TNR        {_share(agreement.tnr, 'no answer fails, say the labels')}"
    yield f"precision  {_share(agreement.precision, 'the check passed none')}"
    yield f"accuracy   {_share(agreement.accuracy, 'there is nothing to compare')}"


def _share(share: Share | None, why: str) -> str:
    if share is None:
        return f"not known: {why}"
    return f"{share.hits}/{share.labels} = {share.estimate}"


def _people(agreement: LabelAgreement) -> str:
    kappa: Estimate | str = agreement.kappa or "not known"
    return (
        f"kappa {kappa}, accuracy {_share(agreement.accuracy, '')}, from "
        f"{amount(agreement.table.total, 'pair')} of labels"
    )


def _shown(
    report: Report, rows: tuple[JudgedLabel, ...], which: str, is_verbose: bool
) -> Iterator[str]:
    """Yield the first labels, each with the answer, the verdict and the comment."""
    if not rows:
        return
    yield f"{amount(len(rows), 'label')} {which}:"
    listed = rows if is_verbose else rows[:SHOWN]
    for row in listed:
        label, result = row.label, row.result
        who = one_line(label.author or "the label", TEXT)
        word = "passed" if label.passes else "failed"
        place = f"{display_path(report.labels)}:{label.line}"
        reason = one_line(result.reason, TEXT)
        yield f"  {one_line(place)}: {who} says {word}, the check {result.verdict}: {reason}"
        yield f"      answer: {one_line(_answer(row), TEXT)}"
        if label.comment:
            yield f"      comment: {one_line(label.comment, TEXT)}"
    if len(rows) > len(listed):
        yield f"  and {len(rows) - len(listed):,} more (-v shows all)"


def _answer(row: JudgedLabel) -> str:
    """Return the judged answers as one text."""
    texts = [
        response if isinstance(response, str) else str(dict(response))
        for response in row.result.responses
    ]
    return " | ".join(texts) or "(not shown)"


def _ending(report: Report) -> Iterator[str]:
    judged = report.judged
    if judged.requests:
        cost = f", ${judged.cost:.4f}" if judged.cost is not None else ""
        yield f"{amount(judged.requests, 'request')}{cost}"
    if judged.stopped_by is not None:
        yield f"stopped early, so nothing is kept: {one_line(judged.stopped_by)}"
    elif not report.measured.is_usable:
        yield "nothing is kept: too many labels couldn't be judged"
    for gap in report.below:
        yield f"below the floor, so the check is advisory: {gap}"
    if report.file is not None:
        yield f"kept in {one_line(str(display_path(report.file)))}"


def to_json(report: Report) -> dict[str, object]:
    """Return the report as one JSON document: the calibration, and what else came out."""
    return {
        "calibration": dict(report.content),
        "file": None if report.file is None else display_path(report.file).as_posix(),
        "below_floor": list(report.below),
        "disagreements": [_row(judged_label) for judged_label in report.measured.disagreements],
        "unjudged": [_row(judged_label) for judged_label in report.measured.unjudged],
        "requests": report.judged.requests,
        "cost": report.judged.cost,
        "stopped_by": report.judged.stopped_by,
    }


def _row(row: JudgedLabel) -> dict[str, JsonValue]:
    return {
        "line": row.label.line,
        "label": "passed" if row.label.passes else "failed",
        "author": row.label.author,
        "comment": row.label.comment,
        "verdict": row.result.verdict,
        "reason": row.result.reason,
        "answer": excerpt(_answer(row), 1000),
    }
