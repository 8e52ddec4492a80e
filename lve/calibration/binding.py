"""What a check's calibration is bound to, and what has changed since it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256

from lve.calibration.record import Binding
from lve.checkers.custom.find import checker_files, find_custom
from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError
from lve.settings.settings import Settings
from lve.spec.model import CheckerConfig, Spec
from lve.version import __version__


def check_name(checkers: Sequence[CheckerConfig], index: int) -> str:
    """Return what tells a check of a test from its others: `judge`, `judge-2`."""
    name = checkers[index].name
    number = sum(one.name == name for one in checkers[: index + 1])
    return name if number == 1 else f"{name}-{number}"


def binding_of(spec: Spec, index: int, settings: Settings, judge: str | None) -> Binding:
    """Return what a calibration of a check is bound to.

    Args:
        spec: the test.
        index: of the check among its checkers.
        settings: the workspace's: what they say of the judge counts.
        judge: the model that the check asks; None if it asks none.
    """
    config = spec.checkers[index]
    name = check_name(spec.checkers, index)
    return Binding(spec.path, name, _sum(spec, config, settings, judge), judge, __version__)


def _sum(spec: Spec, config: CheckerConfig, settings: Settings, judge: str | None) -> str:
    """Return a SHA-256 sum over what decides what a check asks and how it reads the answer: its
    name, its arguments, its own code, and what the settings ask of the judge's server."""
    entry = settings.entry(judge) if judge is not None else None
    served = None if entry is None else [entry.provider, entry.model, {**entry.args}]
    total = sha256(_bytes([config.name, config.args, served]))
    with suppress(CheckerError):  # reported where the checkers are made
        if checker_files(spec) and (found := find_custom(spec, config.name)) is not None:
            total.update(found.source)
    return total.hexdigest()


def _bytes(value: object) -> bytes:
    return canonical_json(value).encode("utf-8", "surrogatepass")


def changes(measured: Binding, now: Binding) -> list[str]:
    """Return what has changed since a calibration was measured, in words; nothing if it holds."""
    return list(_changes(measured, now))


def _changes(measured: Binding, now: Binding) -> Iterator[str]:
    if measured.sha256 != now.sha256:
        of_judge = "rubric, its arguments or the judge's settings"
        yield f"its {of_judge if now.judge is not None else 'arguments or code'} changed"
    if measured.judge != now.judge:
        yield f"the judge was {measured.judge or 'none'} and is {now.judge or 'none'}"
    if measured.lve != now.lve:
        yield f"lve was {measured.lve} and is {now.lve}"
