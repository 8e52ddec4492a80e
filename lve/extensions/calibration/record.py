"""A calibration as a value: how well a check agrees with people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.named_tuples import NamedTuple
from lve.verdicts.rates.corrected import JudgeErrors

VERSION = 1


class Binding(NamedTuple):
    """What a calibration is bound to. It is valid only if all of it is unchanged."""

    test: str | None
    """The test's path; None: any test with the check."""
    check: str
    """The check's name in its test: `judge`, `judge-2`."""
    sha256: str
    """SHA-256 sum over everything that decides the check's verdicts (`binding.binding_of`)."""
    judge: str | None
    """The model that the check asks; None if it asks none."""
    lve: str
    """Version of lve."""


class Calibration(NamedTuple):
    """How well a check agrees with people."""

    binding: Binding
    kappa: float | None
    tpr: float | None
    tnr: float | None
    good: float
    """Effective number of independent labels behind `tpr`."""
    bad: float
    """Effective number of independent labels behind `tnr`."""
    labels: int
    served: tuple[str, ...] = ()
    """Model ids that the judge's server reported."""
    file: str = ""
    """Its file, for messages."""

    @property
    def errors(self) -> JudgeErrors | None:
        """The check's TPR and TNR; None if there weren't labels of both kinds."""
        if self.tpr is None or self.tnr is None:
            return None
        return JudgeErrors(self.tpr, self.good, self.tnr, self.bad, frozenset(self.served))


def calibration_from_json(data: Mapping[str, Any], file: str) -> Calibration:
    """Return the calibration in JSON that is valid by schemas/calibration.schema.json."""
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
