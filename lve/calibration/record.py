"""A calibration: how well a check agrees with people, and what that was measured with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lve.verdicts.confusion import Confusion, LabelAgreement, Share
from lve.verdicts.rates.clusters import Estimate
from lve.verdicts.rates.corrected import JudgeErrors

VERSION = 1


class Binding(NamedTuple):
    """What a calibration was measured with, and holds for."""

    test: str | None
    """None: any test that has the check."""
    check: str
    """Its name; `judge-2` for the second of that name in its test."""
    sha256: str
    """Over all that decides what the check asks and how it reads the answer."""
    judge: str | None
    """The model that judges; None for a check that asks none."""
    lve: str
    """Version."""


class Calibration(NamedTuple):
    """How well a check agrees with people."""

    binding: Binding
    kappa: float | None
    tpr: float | None
    tnr: float | None
    good: float
    """Independent labels behind `tpr`."""
    bad: float
    """Independent labels behind `tnr`."""
    labels: int
    served: tuple[str, ...] = ()
    """Ids that the judge's server said it served."""
    file: str = ""
    """Where it stands, for messages."""

    @property
    def errors(self) -> JudgeErrors | None:
        """The judge's errors, if people gave both kinds of labels."""
        if self.tpr is None or self.tnr is None:
            return None
        return JudgeErrors(self.tpr, self.good, self.tnr, self.bad, frozenset(self.served))


def calibration_from_json(data: Mapping[str, Any], file: str) -> Calibration:
    """Return the calibration in a document that follows schemas/calibration.schema.json."""
    check, judge, tpr, tnr = data["check"], data["judge"], data["tpr"], data["tnr"]
    return Calibration(
        Binding(
            data["test"],
            check["name"],
            check["sha256"],
            judge and judge["model"],
            data["lve"],
        ),
        kappa=data["kappa"] and float(data["kappa"]["value"]),
        tpr=tpr and float(tpr["value"]),
        tnr=tnr and float(tnr["value"]),
        good=float(tpr["independent"]) if tpr else 0.0,
        bad=float(tnr["independent"]) if tnr else 0.0,
        labels=data["labels"]["count"],
        served=tuple(judge["served"]) if judge else (),
        file=file,
    )


def agreement_json(found: LabelAgreement) -> dict[str, Any]:
    """Return what labels say of a check, as calibrations and reports write it."""
    return {
        "table": table_json(found.table),
        "kappa": _estimate(found.kappa),
        "tpr": _share(found.tpr),
        "tnr": _share(found.tnr),
        "precision": _share(found.precision),
        "accuracy": _share(found.accuracy),
    }


def people_json(found: LabelAgreement | None) -> dict[str, Any] | None:
    """Return how far people agree with each other; None if that isn't known."""
    if found is None:
        return None
    return {
        "pairs": found.table.total,
        "answers": found.instances,
        "kappa": _estimate(found.kappa),
        "accuracy": _share(found.accuracy),
    }


def table_json(table: Confusion) -> dict[str, int]:
    """Return a table by the names of its cells."""
    return table._asdict()


def _estimate(found: Estimate | None) -> dict[str, float] | None:
    if found is None:
        return None
    rounded = {name: round(getattr(found, name), 6) for name in ("value", "low", "high")}
    return {**rounded, "confidence": found.confidence}


def _share(found: Share | None) -> dict[str, float] | None:
    estimate = _estimate(found.estimate if found else None)
    if found is None or estimate is None:
        return None
    return {**estimate, "labels": found.labels, "independent": round(found.number, 3)}
