"""Whether the verdicts of a test's checks count, by the calibrations of the workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lve.calibration.folder import read_calibrations
from lve.check_names import JUDGE, roles_of
from lve.errors import with_code
from lve.settings.settings import Floor
from lve.spec.model import Spec
from lve.verdicts.wording import amount
from lve.workspace import Workspace

if TYPE_CHECKING:
    from lve.calibration.record import Binding, Calibration
    from lve.verdicts.rates.corrected import JudgeErrors


class CheckStatus(NamedTuple):
    """What the verdicts of one check are worth."""

    check: str
    calibration: Calibration | None = None
    """That holds; None if there is none."""
    stale: str | None = None
    """What has changed since its calibration was measured."""
    advisory: str | None = None
    """Why its verdicts fail nothing; None: they count."""

    def told(self, test: str) -> str | None:
        """Return what has to be said of it, in a line; None if all is well."""
        where = f"{test or '.'}: {self.check}"
        if self.advisory is not None:
            return f"{where} is advisory, its verdict fails nothing: {self.advisory}"
        if self.stale is not None:
            return f"{where}: its calibration doesn't hold any more: {self.stale}"
        return None


class CheckStatuses:
    """The statuses of tests, by the calibrations of their workspace. These are read once."""

    def __init__(
        self, workspace: Workspace, *, judge: str | None, warn: Callable[[str], None]
    ) -> None:
        """Args:
        workspace: of the tests.
        judge: the model that has the role `judge`; None if that isn't known: then it is taken for
            the one that was measured.
        warn: called with what is wrong with calibrations, and with what has to be said of checks,
            once each.
        """
        self._workspace = workspace
        self._judge = judge
        self._warn = warn
        self._told: set[str] = set()
        self._calibrations: tuple[Calibration, ...] | None = None

    @property
    def calibrations(self) -> Sequence[Calibration]:
        """Those of the workspace."""
        if self._calibrations is None:
            self._calibrations = read_calibrations(self._workspace, self._warn)
        return self._calibrations

    def of(self, spec: Spec) -> tuple[CheckStatus, ...]:
        """Return the standing of each check of a test; nothing where all simply count."""
        found = self._all(spec)
        for told in filter(None, (one.told(spec.path) for one in found)):
            if told not in self._told:
                self._told.add(told)
                self._warn(with_code(told, "calibration"))
        return found

    def advisory(self, spec: Spec) -> frozenset[int]:
        """Return which checks of a test are advisory, by their places among its checkers."""
        return frozenset(i for i, one in enumerate(self.of(spec)) if one.advisory is not None)

    def told(self, spec: Spec) -> list[str]:
        """Return what has to be said of a test's checks, without a warning."""
        said = (one.told(spec.path) for one in self._all(spec))
        return [one for one in said if one is not None]

    def _all(self, spec: Spec) -> tuple[CheckStatus, ...]:
        settings = self._workspace.settings.calibration
        if not self.calibrations and not settings.required:
            return ()
        return tuple(self._status(spec, index) for index in range(len(spec.checkers)))

    def errors(self, spec: Spec) -> JudgeErrors | None:
        """Return the known errors of a test's verdicts; None if they aren't known. They are if its
        only check has a calibration that holds."""
        found = self.of(spec)
        known = found[0].calibration.errors if len(found) == 1 and found[0].calibration else None
        if known is None or not self._workspace.settings.calibration.required:
            return known
        return known._replace(is_required=True)

    def _status(self, spec: Spec, index: int) -> CheckStatus:
        from lve.calibration.binding import binding_of, changes, check_name  # late: few need it

        settings = self._workspace.settings
        asks = asks_judge(spec, index)
        judge = (self._judge or self._measured_judge(spec, index)) if asks else None
        now = binding_of(spec, index, settings, judge)
        holding, older = _sorted(self.calibrations, now)
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
        from lve.calibration.binding import check_name

        own = (spec.path, check_name(spec.checkers, index))
        bindings = (one.binding for one in self.calibrations)
        return next((one.judge for one in bindings if (one.test, one.check) == own), None)


def asks_judge(spec: Spec, index: int) -> bool:
    """Return whether a check of a test asks the model that has the role `judge`."""
    config = spec.checkers[index]
    return JUDGE in roles_of(config.name, config.args)


def _command(spec: Spec) -> str:
    return f"lve calibrate {spec.path or '.'} LABELS"


def _sorted(
    known: Sequence[Calibration], now: Binding
) -> tuple[Calibration | None, Calibration | None]:
    """Return the calibration that holds for a check, and otherwise one that it had before."""
    from lve.calibration.binding import changes

    older = None
    for one in sorted(known, key=lambda each: each.binding.test is None):
        has_test = one.binding.test is not None
        if has_test and (one.binding.test, one.binding.check) != (now.test, now.check):
            continue
        if not changes(one.binding, now):
            return one, None
        if has_test and (older is None or one.binding.judge == now.judge):
            older = one
    return None, older


def below_floor(found: Calibration, floor: Floor) -> Iterator[str]:
    """Yield in what a check lies below the floor, in words."""
    for name in ("kappa", "tpr", "tnr"):
        least: float | None = getattr(floor, name)
        value: float | None = getattr(found, name)
        if least is not None and (value is None or value < least):
            shown = "isn't known" if value is None else f"is {value:.3g}"
            word = name if name == "kappa" else name.upper()
            yield f"its {word} {shown}, and the floor is {least:g}"
    if floor.labels is not None and min(found.good, found.bad) < floor.labels:
        good, bad = amount(int(found.good), "independent label"), int(found.bad)
        yield f"it has {good} that pass and {bad:,} that fail, and the floor is {floor.labels}"
