"""Decides by the workspace's calibrations which checks are only advisory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lve.errors import with_code
from lve.extensions.calibration.record import (
    Binding,
    Calibration,
    binding_of,
    changes,
    check_name,
    read_calibrations,
)
from lve.named_tuples import NamedTuple
from lve.plurals import amount
from lve.settings.settings import Floor
from lve.spec.check_names import JUDGE, roles_of
from lve.spec.spec import Spec
from lve.verdicts.rates.corrected import JudgeErrors
from lve.workspace import Workspace


class CheckStatus(NamedTuple):
    """The status of one check by its calibration."""

    check: str
    calibration: Calibration | None = None
    """Its valid calibration; None if there is none."""
    stale: str | None = None
    """What has changed since its calibration was measured; None if it isn't stale."""
    advisory: str | None = None
    """Why the check is only advisory; None if its verdicts count."""

    def warning(self, test: str) -> str | None:
        """Return a warning about the check in one line; None if there is none."""
        where = f"{test or '.'}: {self.check}"
        if self.advisory is not None:
            return f"{where} is advisory, its verdict fails nothing: {self.advisory}"
        if self.stale is not None:
            return f"{where}: its calibration doesn't hold any more: {self.stale}"
        return None


class CalibratedChecks:
    """The statuses of tests' checks. Reads the workspace's calibrations once."""

    def __init__(
        self, workspace: Workspace, *, judge: str | None, warn: Callable[[str], None]
    ) -> None:
        """
        Args:
            workspace: the workspace of the tests.
            judge: the model with the role `judge`; None if unknown: then a calibration's own judge
                is assumed.
            warn: called once for each invalid calibration and for each warning about a check.
        """
        self._workspace = workspace
        self._judge = judge
        self._warn = warn
        self._warned: set[str] = set()
        self._calibrations: tuple[Calibration, ...] | None = None

    @property
    def calibrations(self) -> Sequence[Calibration]:
        """The workspace's calibrations."""
        if self._calibrations is None:
            self._calibrations = read_calibrations(self._workspace, self._warn)
        return self._calibrations

    def of(self, spec: Spec) -> tuple[CheckStatus, ...]:
        """Return the status of each check of a test, and warn. Empty if all checks count anyway."""
        statuses = self._all(spec)
        for warning in filter(None, (status.warning(spec.path) for status in statuses)):
            if warning not in self._warned:
                self._warned.add(warning)
                self._warn(with_code(warning, "calibration"))
        return statuses

    def advisory(self, spec: Spec) -> frozenset[int]:
        """Return the indexes of a test's advisory checks."""
        return frozenset(i for i, status in enumerate(self.of(spec)) if status.advisory is not None)

    def warnings(self, spec: Spec) -> list[str]:
        """Return the warnings about a test's checks, without calling `warn`."""
        warnings = (status.warning(spec.path) for status in self._all(spec))
        return [status for status in warnings if status is not None]

    def _all(self, spec: Spec) -> tuple[CheckStatus, ...]:
        settings = self._workspace.settings.calibration
        if not self.calibrations and not settings.required:
            return ()
        return tuple(self._status(spec, index) for index in range(len(spec.checkers)))

    def errors(self, spec: Spec) -> JudgeErrors | None:
        """Return TPR and TNR of a test's verdicts, if its only check has a valid calibration; else
        None."""
        statuses = self.of(spec)
        errors = (
            statuses[0].calibration.errors
            if len(statuses) == 1 and statuses[0].calibration
            else None
        )
        if errors is None or not self._workspace.settings.calibration.required:
            return errors
        return errors._replace(is_required=True)

    def _status(self, spec: Spec, index: int) -> CheckStatus:
        settings = self._workspace.settings
        asks = asks_judge(spec, index)
        judge = (self._judge or self._measured_judge(spec, index)) if asks else None
        now = binding_of(spec, index, settings, judge)
        holding, older = _valid_or_stale(self.calibrations, now)
        stale = None
        if holding is None and older is not None:
            stale = (
                "; ".join(changes(older.binding, now)) + f" (measure it again: {_command(spec)})"
            )
        advisory = None
        if holding is not None:
            advisory = "; ".join(below_floor(holding, settings.calibration.floor)) or None
        elif asks and settings.calibration.required:
            advisory = stale and f"its calibration doesn't hold any more: {stale}"
            advisory = advisory or f"it has no calibration (measure it: {_command(spec)})"
        return CheckStatus(check_name(spec.checkers, index), holding, stale, advisory)

    def _measured_judge(self, spec: Spec, index: int) -> str | None:
        own = (spec.path, check_name(spec.checkers, index))
        bindings = (binding.binding for binding in self.calibrations)
        return next(
            (binding.judge for binding in bindings if (binding.test, binding.check) == own), None
        )


def asks_judge(spec: Spec, index: int) -> bool:
    """Return whether a check asks the model with the role `judge`."""
    config = spec.checkers[index]
    return JUDGE in roles_of(config.name, config.args)


def _command(spec: Spec) -> str:
    return f"lve calibrate {spec.path or '.'} LABELS"


def _valid_or_stale(
    calibrations: Sequence[Calibration], now: Binding
) -> tuple[Calibration | None, Calibration | None]:
    """Return a check's valid calibration and None, or None and a stale one of the check."""
    older = None
    for calibration in sorted(calibrations, key=lambda each: each.binding.test is None):
        has_test = calibration.binding.test is not None
        if has_test and (calibration.binding.test, calibration.binding.check) != (
            now.test,
            now.check,
        ):
            continue
        if not changes(calibration.binding, now):
            return calibration, None
        if has_test and (older is None or calibration.binding.judge == now.judge):
            older = calibration
    return None, older


def below_floor(calibration: Calibration, floor: Floor) -> Iterator[str]:
    """Yield the figures of a calibration that are below the floor, in words."""
    for name in ("kappa", "tpr", "tnr"):
        least: float | None = getattr(floor, name)
        value: float | None = getattr(calibration, name)
        if least is not None and (value is None or value < least):
            figure = "isn't known" if value is None else f"is {value:.3g}"
            word = name if name == "kappa" else name.upper()
            yield f"its {word} {figure}, and the floor is {least:g}"
    if floor.labels is not None and min(calibration.good, calibration.bad) < floor.labels:
        good, bad = amount(int(calibration.good), "independent label"), int(calibration.bad)
        yield f"it has {good} of good answers and {bad:,} of bad ones; the floor is {floor.labels}"
