"""Reads and writes `labels.jsonl` in a session's folder: labels of the session's results.

`lve view` writes it, `lve calibrate` reads it. Each person has one label per answer: a new label
replaces the old one. Concurrent writers wait for each other.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lve.documents.json_lines import file_json
from lve.documents.json_text import decode_written, parse_json
from lve.documents.position_types import TextError
from lve.documents.validation.schema import explain_value
from lve.errors import SessionError, UsageError
from lve.files.inside import WHOLE_BYTES
from lve.files.owner_only import check_private_folder, open_private, read_private
from lve.json_types import JsonValue
from lve.sessions.session_file import replace_result_file

LABELS_FILE = "labels.jsonl"
LOCK_FILE = "labels.lock"
MAX_LABELS = 100_000
WAIT_S = 5.0
"""How long a writer waits for others, in seconds."""
TRY_S = 0.02
_PLACE = ("test", "model", "source", "line", "repeat", "check", "author")


def read_session_labels(folder: Path) -> list[dict[str, JsonValue]]:
    """Return the labels of a session's results. Invalid lines are left out; `lve calibrate` reports
    them.

    Raises:
        SessionError: the file can't be read.
    """
    labels = (_parsed(line) for line in _lines(folder))
    return [label for label in labels if label is not None]


def write_label(folder: Path, label: Mapping[str, object]) -> None:
    """Write a label durably.

    Args:
        folder: the session's folder.
        label: a label of a result of the session, by schemas/labels.schema.json. If its `label` is
            null, this author's label of the result is removed.

    Raises:
        UsageError: `label` is invalid, or there are too many labels.
        SessionError: the file can't be written.
    """
    _check(label)
    with _locked(folder):
        lines, place = _lines(folder), _place_of(label)
        others = [line for line in lines if _place_of(_parsed(line) or {}) != place]
        if label["label"] is not None:
            new = _line(label)
            _check_room(others, new)
            if others == lines:
                _append(folder, new, lines)
                return
            others.append(new)
        if others != lines:
            replace_result_file(folder / LABELS_FILE, b"".join(line + b"\n" for line in others))


def _check(label: Mapping[str, object]) -> None:
    filled = {**label, "label": "right"} if label.get("label", "") is None else label
    wrong = explain_value(filled, "labels")
    if wrong or "source" not in label or "response" in label or "args" in label:
        reason = "; ".join(wrong[:3]) or "it isn't about a result of a session"
        raise UsageError(f"this is no label: {reason}", code="label")


def _line(label: Mapping[str, object]) -> bytes:
    """Return the line of a label, which `lve calibrate` and `read_session_labels` can read."""
    line = file_json({name: value for name, value in label.items() if value is not None})
    written = line.encode("ascii")
    try:
        parse_json(line)
    except TextError as error:
        reason = str(error)
    else:
        if _parsed(written) is not None:
            return written
        reason = "it isn't valid without the keys that it contains"
    raise UsageError(f"this is no label: {reason}", code="label")


def _check_room(others: list[bytes], new: bytes) -> None:
    most = None
    if len(others) >= MAX_LABELS:
        most = f"{MAX_LABELS:,} labels"
    elif sum(map(len, others)) + len(others) + len(new) + 2 > WHOLE_BYTES:
        most = f"{WHOLE_BYTES:,} bytes"
    if most is not None:
        raise UsageError(
            f"{LABELS_FILE} would have more than {most}, which can't be used", code="over_limit"
        )


def _place_of(label: Mapping[str, object]) -> tuple[object, ...] | None:
    if "source" not in label:
        return None
    return tuple(label.get(name, 0 if name == "repeat" else None) for name in _PLACE)


def _parsed(line: bytes) -> dict[str, JsonValue] | None:
    try:
        value = decode_written(line.decode("utf-8"))
    except ValueError:
        return None
    if not isinstance(value, dict) or explain_value(value, "labels") or "source" not in value:
        return None
    return value


def _lines(folder: Path) -> list[bytes]:
    try:
        check_private_folder(folder)  # a link may have taken its place since it was found
        content = read_private(folder / LABELS_FILE, WHOLE_BYTES)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unusable(folder, error) from error
    return content.removesuffix(b"\n").split(b"\n") if content else []


def _append(folder: Path, line: bytes, lines: list[bytes]) -> None:
    path = folder / LABELS_FILE
    try:
        with os.fdopen(open_private(path, os.O_RDWR | os.O_CREAT | os.O_APPEND), "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            if size:
                file.seek(size - 1)
            # After an edit by hand, the last line may have no end.
            start = b"" if not size or file.read(1) == b"\n" else b"\n"
            file.write(start + line + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unusable(folder, error) from error


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock out other writers. The operating system releases the lock when the process ends."""
    try:
        check_private_folder(folder)
        handle = open_private(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise _unusable(folder, error) from error
    try:
        _lock(handle, folder)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        return
    end = time.monotonic() + WAIT_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise SessionError(
                    f"{folder / LABELS_FILE} is being written: try again", code="busy"
                ) from None
            time.sleep(TRY_S)
        except OSError:  # a file system without locks
            return
        else:
            return


def _unusable(folder: Path, error: OSError) -> SessionError:
    return SessionError(
        f"{folder / LABELS_FILE} can't be used: {error.strerror}", code="unwritable"
    )
