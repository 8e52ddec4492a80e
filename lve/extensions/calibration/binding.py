"""What a calibration is bound to: if any of it changes, the calibration is stale."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256

from lve.checkers.custom.find import checker_files, find_custom
from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError
from lve.extensions.calibration.record import Binding
from lve.settings.settings import Settings
from lve.spec.spec import CheckerConfig, Spec
from lve.version import __version__


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
