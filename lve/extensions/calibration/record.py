"""A calibration as a value: how well a check agrees with people, and what that is bound to: if any
of it changes, the calibration is stale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from lve.checkers.custom.find import checker_files, find_custom
from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError
from lve.named_tuples import NamedTuple
from lve.settings.settings import Settings
from lve.spec.spec import CheckerConfig, Spec
from lve.verdicts.rates.corrected import JudgeErrors
from lve.version import __version__

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


def check_name(checkers: Sequence[CheckerConfig], index: int) -> str:
    """Return a check's unique name in its test: `judge`, `judge-2`."""
    name = checkers[index].name
    number = sum(checker.name == name for checker in checkers[: index + 1])
    return name if number == 1 else f"{name}-{number}"


def binding_of(spec: Spec, index: int, settings: Settings, judge: str | None) -> Binding:
    """Return what a calibration of a check is bound to.

    Args:
        spec: the test.
        index: index of the check among its checkers.
        settings: the workspace's settings, with the judge's provider, model and args.
        judge: the model that the check asks; None if it asks none.
    """
    config = spec.checkers[index]
    name = check_name(spec.checkers, index)
    return Binding(spec.path, name, _sum(spec, config, settings, judge), judge, __version__)


def _sum(spec: Spec, config: CheckerConfig, settings: Settings, judge: str | None) -> str:
    """Return a SHA-256 sum over everything that decides a check's verdicts: its name, arguments and
    own code, and the judge's provider, model and args."""
    entry = settings.entry(judge) if judge is not None else None
    served = None if entry is None else [entry.provider, entry.model, {**entry.args}]
    total = sha256(_bytes([config.name, config.args, served]))
    with suppress(CheckerError):  # reported when the checkers are made
        if checker_files(spec) and (checker := find_custom(spec, config.name)) is not None:
            total.update(checker.source)
    return total.hexdigest()


def _bytes(value: object) -> bytes:
    return canonical_json(value).encode("utf-8", "surrogatepass")


def changes(measured: Binding, now: Binding) -> list[str]:
    """Return what has changed since a calibration was measured, in words; empty if it is valid."""
    reasons = []
    if measured.sha256 != now.sha256:
        of_judge = "rubric, its arguments or the judge's settings"
        reasons.append(f"its {of_judge if now.judge is not None else 'arguments or code'} changed")
    if measured.judge != now.judge:
        reasons.append(f"the judge was {measured.judge or 'none'} and is {now.judge or 'none'}")
    if measured.lve != now.lve:
        reasons.append(f"lve was {measured.lve} and is {now.lve}")
    return reasons
