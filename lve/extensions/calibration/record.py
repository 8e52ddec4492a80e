"""A calibration: how well a check agrees with people; and a workspace's folder of calibrations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from lve.checkers.custom.find import checker_files, find_custom
from lve.documents.json_lines import canonical_json, file_json, plain
from lve.documents.json_text import parse_json
from lve.documents.position_types import TextError
from lve.documents.read import read_document
from lve.documents.validation.schema import explain_value, validate
from lve.errors import CheckerError, SpecError, UsageError, with_code
from lve.escape import keyless
from lve.files.atomic_file import replace_file
from lve.files.inside import DOCUMENT_BYTES, list_inside, reason_of
from lve.named_tuples import NamedTuple
from lve.settings.settings import Settings
from lve.spec.spec import CheckerConfig, Spec
from lve.verdicts.rates.corrected import JudgeErrors
from lve.version import __version__
from lve.workspace import Workspace, display_path

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


MAX_FILES = 1_000
SHOWN_NAME = 80


def read_calibrations(workspace: Workspace, warn: Callable[[str], None]) -> tuple[Calibration, ...]:
    """Return a workspace's calibrations.

    Calibrations of a workspace that isn't the user's own are ignored, because others could forge
    calibrations of their checks.

    Args:
        workspace: the workspace, whose settings name the folder.
        warn: called for each invalid file.
    """
    if not workspace.settings.is_own:
        return ()
    name = workspace.settings.calibration.folder
    folder = workspace.root / name
    try:
        names = sorted(file for file in list_inside(workspace.root, name) if file.endswith(".json"))
    except FileNotFoundError:
        return ()
    except OSError as error:
        warn(with_code(f"{display_path(folder)} can't be read: {reason_of(error)}", "unreadable"))
        return ()
    if len(names) > MAX_FILES:
        message = f"{display_path(folder)}: only the first {MAX_FILES:,} calibrations are read"
        warn(with_code(message, "over_limit"))
    calibrations = []
    for file in names[:MAX_FILES]:
        try:
            calibrations.append(_read(folder / file, workspace.root))
        except SpecError as error:
            warn(f"this calibration is left out: {error.message_with_code}")
    return tuple(calibrations)


def _read(file: Path, root: Path) -> Calibration:
    document = read_document(file, root)
    if problems := validate(document, "calibration"):
        raise SpecError(problems[:1])
    return calibration_from_json(document.data, display_path(file).as_posix())


def write_calibration(workspace: Workspace, content: Mapping[str, object]) -> Path:
    """Write a calibration, replacing an older one of the same check and judge.

    Args:
        workspace: the workspace, whose settings name the folder.
        content: the calibration by schemas/calibration.schema.json.

    Returns:
        The file.

    Raises:
        UsageError: the file can't be written.
    """
    folder = workspace.root / workspace.settings.calibration.folder
    if not folder.resolve().is_relative_to(workspace.root.resolve()):
        raise UsageError(
            f"{display_path(folder)} leads out of the workspace: nothing is written",
            code="unwritable",
        )
    file = folder / _name(content)
    text = _text(content)
    try:
        replace_file(file, text.encode("ascii"))
    except OSError as error:
        why = reason_of(error)
        raise UsageError(
            f"{display_path(file)} can't be written: {why}", code="unwritable"
        ) from error
    return file


def _text(content: Mapping[str, object]) -> str:
    """Return a calibration as the text of its file, which can be read again.

    Raises:
        UsageError: it is none, because of what a file can't hold or what was redacted.
    """
    # A server's id of its model may have half of a surrogate pair, which no document may have.
    whole = json.dumps(plain(content), ensure_ascii=False).encode("utf-8", "replace")
    write = partial(json.dumps, indent=2, sort_keys=True, ensure_ascii=True)
    text = file_json(json.loads(whole), write) + "\n"
    try:
        wrong = explain_value(parse_json(text), "calibration")[:1]
    except TextError as error:
        wrong = [str(error)]
    if len(text) > DOCUMENT_BYTES:
        wrong = [f"it would have {len(text):,} bytes (at most {DOCUMENT_BYTES:,})"]
    if wrong:
        raise UsageError(
            f"this calibration isn't written, because it couldn't be read again: {wrong[0]}",
            code="unwritable",
        )
    return text


def _name(content: Mapping[str, Any]) -> str:
    """Return a readable file name, which is unique for each test, check and judge."""
    judge = content["judge"]["model"] if content["judge"] else None
    parts = (content["test"], content["check"]["name"], judge)
    # For a check without a test, the arguments distinguish it from others.
    more = content["check"]["sha256"] if content["test"] is None else ""
    digest = sha256(json.dumps([*parts, more]).encode("ascii")).hexdigest()[:8]
    shown = (keyless(word) for word in parts if word)
    words = "-".join(re.sub(r"[^A-Za-z0-9]+", "-", word).strip("-") for word in shown)
    return f"{words[:SHOWN_NAME].strip('-')}-{digest}.json"
