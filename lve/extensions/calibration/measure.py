"""Measures how well a check's verdicts agree with labels; makes a calibration of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from lve.data_classes import dataclass
from lve.extensions.calibration.confusion import LabelAgreement, Labelled, Share, label_agreement
from lve.extensions.calibration.labels import Label
from lve.extensions.calibration.record import VERSION, Binding
from lve.sessions.instance_result import InstanceResult
from lve.spec.check_names import JUDGE
from lve.verdicts.answer_counts import MAX_MODELS
from lve.verdicts.rates.clusters import Estimate

MAX_UNJUDGED = 0.05
"""The largest share of labels whose answers the check couldn't judge."""


@dataclass(frozen=True, slots=True)
class JudgedLabel:
    """A label and the check's result for the same answer."""

    label: Label
    result: InstanceResult

    @property
    def is_judged(self) -> bool:
        """Whether the check gave a verdict."""
        return self.result.verdict in ("passed", "failed")

    @property
    def agrees(self) -> bool:
        """Whether the check's verdict is that of the label."""
        return self.label.passes == (self.result.verdict == "passed")


@dataclass(frozen=True, slots=True)
class Measurement:
    """The agreement of a check with labels."""

    judged: tuple[JudgedLabel, ...]
    """Labels of answers that the check judged."""
    unjudged: tuple[JudgedLabel, ...]
    """Labels of answers that it couldn't judge."""
    agreement: LabelAgreement
    people: LabelAgreement | None
    """Agreement of people with each other; None if no answer has two labels."""

    @property
    def is_usable(self) -> bool:
        """Whether the check judged nearly all answers. Answers that it can't judge are unusual, so
        leaving out many of them would flatter the check."""
        most = MAX_UNJUDGED * (len(self.judged) + len(self.unjudged))
        return bool(self.judged) and len(self.unjudged) <= most

    @property
    def disagreements(self) -> tuple[JudgedLabel, ...]:
        """The labels that the check contradicts."""
        return tuple(row for row in self.judged if not row.agrees)

    @property
    def answers(self) -> int:
        """Number of different answers."""
        return len({row.label.answer_key for row in self.judged})

    @property
    def served(self) -> tuple[str, ...]:
        """The model ids that the judge's server reported."""
        answers = (answer for row in self.judged for answer in row.result.asked)
        ids = {row.completion.model for row in answers if row.role == JUDGE and row.completion}
        return tuple(sorted(filter(None, ids))[:MAX_MODELS])


def measure(rows: Sequence[JudgedLabel]) -> Measurement:
    """Return the agreement of a check with labels.

    Every label counts, even if people disagree about an answer: such answers are hard, and leaving
    them out would flatter the check.

    Args:
        rows: the labels with the check's results.
    """
    judged = tuple(row for row in rows if row.is_judged)
    labelled = [
        Labelled(row.label.instance_key, row.label.passes, row.result.verdict == "passed")
        for row in judged
    ]
    return Measurement(
        judged,
        tuple(row for row in rows if not row.is_judged),
        label_agreement(labelled),
        _among_people([row.label for row in rows]),
    )


def _among_people(labels: Sequence[Label]) -> LabelAgreement | None:
    """Return the agreement of people: over each pair of labels of the same answer."""
    by_answer: dict[str, list[Label]] = {}
    for label in labels:
        by_answer.setdefault(label.answer_key, []).append(label)
    pairs = [
        Labelled(key, first.passes, second.passes)
        for key, several in by_answer.items()
        for first, second in combinations(sorted(several, key=lambda label: label.author or ""), 2)
    ]
    return label_agreement(pairs) if pairs else None


def calibration_content(
    measured: Measurement,
    binding: Binding,
    args: Mapping[str, object],
    *,
    labels_sum: str,
    day: str,
) -> dict[str, object]:
    """Return a calibration by schemas/calibration.schema.json.

    Args:
        measured: the measurement.
        binding: what the calibration is bound to.
        args: the check's arguments.
        labels_sum: SHA-256 sum of the label file.
        day: the day of the measurement: `2026-11-22`.
    """
    judge = binding.judge and {"model": binding.judge, "served": list(measured.served)}
    authors = {row.label.author for row in measured.judged if row.label.author}
    return {
        "version": VERSION,
        "test": binding.test,
        "check": {"name": binding.check, "args": dict(args), "sha256": binding.sha256},
        "judge": judge,
        "lve": binding.lve,
        "measured": day,
        "labels": {
            "sha256": labels_sum,
            "count": len(measured.judged),
            "answers": measured.answers,
            "instances": measured.agreement.instances,
            "authors": sorted(authors),
            "unjudged": len(measured.unjudged),
        },
        **_agreement_json(measured.agreement),
        "people": _people_json(measured.people),
    }


def _agreement_json(agreement: LabelAgreement) -> dict[str, object]:
    """Return the agreement of a check with labels as JSON."""
    return {
        "table": agreement.table._asdict(),
        "kappa": _estimate(agreement.kappa),
        "tpr": _share(agreement.tpr),
        "tnr": _share(agreement.tnr),
        "precision": _share(agreement.precision),
        "accuracy": _share(agreement.accuracy),
    }


def _people_json(agreement: LabelAgreement | None) -> dict[str, object] | None:
    """Return the agreement of people with each other as JSON; None if unknown."""
    if agreement is None:
        return None
    return {
        "pairs": agreement.table.total,
        "answers": agreement.instances,
        "kappa": _estimate(agreement.kappa),
        "accuracy": _share(agreement.accuracy),
    }


def _estimate(estimate: Estimate | None) -> dict[str, float] | None:
    if estimate is None:
        return None
    rounded = {name: round(getattr(estimate, name), 6) for name in ("value", "low", "high")}
    return {**rounded, "confidence": estimate.confidence}


def _share(share: Share | None) -> dict[str, float] | None:
    estimate = _estimate(share.estimate if share else None)
    if share is None or estimate is None:
        return None
    return {**estimate, "labels": share.labels, "independent": round(share.number, 3)}
