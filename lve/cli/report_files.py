"""Writes the report files of `-o`, and finds the sessions that they report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

from lve.cli.printing import print_message, tell, warn
from lve.extension_table import extension_part
from lve.reporting.files.outputs import Output, write_outputs
from lve.sessions.session_file import INFO_FILE
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession


def find_sessions(
    session_dir: Path, names: Iterable[str], *, warn: Callable[[str], None] = warn
) -> list[SessionFolder]:
    """Return the sessions with the given names, each once.

    Args:
        session_dir: the folder of sessions.
        names: as for `find_session`.
        warn: called with a message about a session that can't be read.

    Raises:
        NoSessionError: no session or several sessions match a name.
    """
    folders = [find_session(session_dir, name, warn=warn) for name in names]
    return list({folder.path: folder for folder in folders}.values())


def find_session(
    session_dir: Path, name: str, *, warn: Callable[[str], None] = warn
) -> SessionFolder:
    """Return a session.

    Args:
        session_dir: the folder of sessions, for names other than a folder.
        name: its ID, the beginning of one, `last`, or a folder with a `session.json`.
        warn: called with a message about a session that can't be read.

    Raises:
        NoSessionError: no session or several sessions match.
    """
    place = Path(name)
    if (place / INFO_FILE).exists():
        return SessionFolder(place if place.name else place.resolve())
    return SessionFolder.find(session_dir, name, warn=warn)


def write_reports(
    files: Iterable[Output], folders: Iterable[SessionFolder], *, github: Path | None = None
) -> None:
    """Write report files, and print a message about each.

    Args:
        files: the files to write.
        folders: the folders of the sessions to report.
        github: the root of the workspace whose test documents get annotations on GitHub; None: no
            annotations.

    Raises:
        SessionError: a session can't be read.
        UsageError: a file can't be written.
    """
    with ExitStack() as stack:
        opened = [stack.enter_context(RecordedSession.of(folder, warn=warn)) for folder in folders]
        sizes = {}
        for written in write_outputs(files, opened):
            print_message(f"wrote {written.name} ({_size(written.size)})")
            sizes[str(written.name)] = written.size
        tell(written=sizes)
        if github is not None:
            extension_part("annotations on GitHub")(opened, github)


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"
