"""The files that reports are written to: checked before a run, and replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from stat import S_ISDIR

from lve.errors import UsageError
from lve.escape import excerpt
from lve.files.atomic_file import draft_of, replacing, unwritable
from lve.named_tuples import NamedTuple
from lve.reporting.files.writers import Write, writer_of
from lve.verdicts.recorded_session import RecordedSession


class Output(NamedTuple):
    """One file to write."""

    name: str
    """Its name as the user gave it."""
    path: Path
    """Its absolute path, with symbolic links resolved."""
    write: Write


class Written(NamedTuple):
    """One file that was written."""

    name: str
    size: int
    """In bytes."""


def plan_outputs(names: Iterable[str]) -> tuple[Output, ...]:
    """Return the files to write, after checking that they can be written. Makes missing folders.

    Raises:
        UsageError: a suffix is unknown, a file is named twice, or a file can't be written.
        MissingExtraError: a package is missing.
        PluginError: the writer is a plugin's and can't be used.
    """
    outputs: dict[Path, Output] = {}
    for name in names:
        path = _path_of(name)
        if path in outputs:
            raise UsageError(
                f"{name} is named twice: one report would replace the other", code="output_file"
            )
        write = writer_of(path.suffix.lower())
        try:
            if _is_folder(path):
                raise UsageError(f"{name} is a folder: name a file in it", code="output_file")
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft_of(path, b""):
                pass
        except OSError as error:
            raise unwritable(name, error) from error
        outputs[path] = Output(name, path, write)
    return tuple(outputs.values())


def _is_folder(path: Path) -> bool:
    """Whether there is a folder. From Python 3.14 on, `Path.is_dir` conceals all errors.

    Raises:
        OSError: the system refuses the path.
    """
    try:
        return S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        return False


def write_outputs(outputs: Iterable[Output], sessions: Sequence[RecordedSession]) -> list[Written]:
    """Write all files. Each is replaced as a whole, or stays unchanged if writing it fails.

    Raises:
        UsageError: a file can't be written; those before it have been written.
        SessionError: a session can't be read any more.
    """
    return [_write(output, sessions) for output in outputs]


def _path_of(name: str) -> Path:
    try:
        return Path(os.path.realpath(name))
    except ValueError as error:
        raise UsageError(
            f"{excerpt(repr(name))} is no path: {error}", code="output_file"
        ) from error


def _write(output: Output, sessions: Sequence[RecordedSession]) -> Written:
    try:
        with replacing(output.path) as file:
            output.write(sessions, file)
            return Written(output.name, file.seek(0, os.SEEK_END))
    except OSError as error:
        raise unwritable(output.name, error) from error
