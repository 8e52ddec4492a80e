"""Reads and writes a workspace's calibrations: small JSON files in a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from lve.documents.json_lines import file_json, plain
from lve.documents.json_text import parse_json
from lve.documents.position_types import TextError
from lve.documents.read import read_document
from lve.documents.validation.schema import explain_value, validate
from lve.errors import SpecError, UsageError, with_code
from lve.escape import keyless
from lve.extensions.calibration.record import Calibration, calibration_from_json
from lve.files.atomic_file import replace_file
from lve.files.inside import DOCUMENT_BYTES, list_inside, reason_of
from lve.workspace import Workspace, display_path

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
