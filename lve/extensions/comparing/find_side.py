"""Finds the sides of `lve compare` by name: sessions, baselines, recorded instances."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from lve.comparison.baseline import read_baseline
from lve.comparison.session_side import SessionSide
from lve.comparison.side import REVISION_PREFIX, Side
from lve.errors import NoSessionError, SessionError
from lve.extension_table import extension_part
from lve.sessions.instance_result import REPLAY
from lve.sessions.session_file import INFO_FILE
from lve.sessions.session_folder import SessionFolder
from lve.workspace import Workspace, display_path

LATEST = ("last~1", "last")
"""What is compared unless the user says otherwise. `last~1` is the session before the last one that
has a test in common with it."""
MAX_PASSED_OVER = 100
"""Most sessions in which a common test is looked for."""


@runtime_checkable
class Replayable(Protocol):
    """A side whose results can be compared with those of a session of `replay`."""

    def as_replayed(self) -> Side:
        """Change the model of all results to `replay`."""


def find_sides(
    names: tuple[str, str],
    workspace: Workspace,
    session_dir: Path,
    *,
    warn: Callable[[str], None],
) -> tuple[Side, Side]:
    """Return both sides of a comparison. Arguments and errors as for `find_side`."""
    sides = [find_side(name, workspace, session_dir, warn=warn) for name in names]
    if names == LATEST:
        with suppress(SessionError):  # none has: the message names the latest two
            sides[0] = _related(sides, workspace, session_dir, warn)
    for side, other in (sides, sides[::-1]):
        # Recorded instances leave out handwritten answers, so they can be compared with `replay`.
        if isinstance(side, Replayable) and other.facts.models == (REPLAY,):
            side.as_replayed()
    return sides[0], sides[1]


def _related(
    sides: list[Side], workspace: Workspace, session_dir: Path, warn: Callable[[str], None]
) -> Side:
    """Return the latest session before the last one that has a test in common with it: between
    two runs of the same tests, people run others.

    Raises:
        NoSessionError: there is none.
    """
    before, now = sides
    for number in range(2, MAX_PASSED_OVER):
        if not before.facts.sums.keys().isdisjoint(now.facts.sums):
            break
        before = find_side(f"last~{number}", workspace, session_dir, warn=warn)
    return before


def find_side(
    name: str, workspace: Workspace, session_dir: Path, *, warn: Callable[[str], None]
) -> Side:
    """Return one side of a comparison.

    Args:
        name: `last`, `last~1`, a session's id or the beginning of one; the folder of a session; the
            file of a baseline; `git:` and a revision.
        workspace: the workspace.
        session_dir: the folder of sessions.
        warn: called with a message about data that can't be read.

    Raises:
        LveError: it doesn't exist, or can't be read.
    """
    if name.startswith(REVISION_PREFIX):
        recorded_side = extension_part("recorded instances")
        return cast(Side, recorded_side(name.removeprefix(REVISION_PREFIX), workspace, warn=warn))
    place = Path(name)
    if place.suffix == ".json" or place.is_file():
        return read_baseline(place)
    if place.is_dir():
        if not (place / INFO_FILE).exists():
            raise SessionError(
                f"{display_path(place)} is no session: it has no {INFO_FILE}. "
                "`lve session list` lists what can be compared",
                code="not_a_session",
            )
        return SessionSide(SessionFolder(place), warn=warn)
    try:
        folder = SessionFolder.find(session_dir, name, warn=warn)
    except NoSessionError as error:
        raise NoSessionError(f"{error}; a baseline is named by its file (*.json)") from None
    return SessionSide(folder, warn=warn)
