"""`lve session list`: lists sessions, with two lines each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import click

from lve.cli.printing import Note, View, print_message, warn
from lve.cli.shared_options import shows
from lve.errors import SessionError, UsageError
from lve.escape import clip, first_names, one_line
from lve.exit_code import ExitCode
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.sessions.listing import KILLED, ListedSession, listed_elsewhere, listed_session
from lve.sessions.session_file import RUNS_FOLDER, session_ids
from lve.sessions.storage import Storage, storage_of

SHOWN_MODELS = 3
MAX_LISTED = 1000
"""Sessions of other machines that are listed at most."""
WIDTH = 80
GO_ON = ("interrupted", "budget", "stopped", "failed", KILLED)
"""Statuses of sessions that can be resumed."""


@click.command()
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="List the latest N sessions.",
)
@click.option("--all", "show_all", is_flag=True, help="List all sessions.")
@click.option("--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]")
@click.option(
    "--push", is_flag=True, help="Send the listed sessions of this machine to the team's store."
)
@shows
def sessions(limit: int, show_all: bool, session_dir: str | None, push: bool) -> View:
    """List the sessions of this workspace and of the team's store.

    Lists the latest first, each with its time, status, verdicts of tests, models and cost. `lve
    show ID` reports a session again. Instead of an ID you can give its beginning, or `last` for the
    latest session of this workspace.

    \b
    lve session list
    lve session list --all --json
    """
    workspace = choose_workspace(())
    folder = Path(session_dir) if session_dir else workspace.session_dir
    storage = storage_of(workspace.settings.cache)
    storage.check()
    names = session_ids(folder)[::-1]
    listed = names if show_all else names[:limit]
    if push:
        sent = _push([folder / RUNS_FOLDER / name for name in listed], storage)
        return View(None, exit_code=sent)
    rows: Iterable[ListedSession] = (listed_session(folder, name) for name in listed)
    more = len(names) - len(listed)
    others = _elsewhere(storage, MAX_LISTED if show_all else limit, folder)
    if others:
        both = sorted([*rows, *others], key=lambda row: row.id, reverse=True)
        rows = both if show_all else both[:limit]
        more = len(names) + len(others) - len(rows)
    return View(
        lambda: {"sessions": [_json(row) for row in rows], "more": more},
        _all_lines(rows, more, None if listed else folder),
    )


def _elsewhere(storage: Storage, limit: int, folder: Path) -> list[ListedSession]:
    """Return the sessions of other machines; none, after a warning, if the store can't be used."""
    try:
        return [listed_elsewhere(session) for session in storage.remote_sessions(limit, folder)]
    except SessionError as error:
        warn(error.message_with_code)
        return []


def _push(folders: Sequence[Path], storage: Storage) -> int:
    """Send sessions to the team's store."""
    if not storage.is_shared:
        raise UsageError(
            "there is no store to send sessions to: name it in LVE_STORE, or as `cache` in "
            "lve.yaml; docs/scaling.md says how",
            code="store",
        )
    sent = 0
    for folder in folders:
        if not storage.upload(folder, warn=warn):
            return ExitCode.errors
        sent += 1
    print_message(f"{amount(sent, 'session')} of this machine: all in the store")
    return ExitCode.as_expected


def _json(session: ListedSession) -> dict[str, object]:
    return session._asdict() | {"models": [*session.models], "verdicts": dict(session.verdicts)}


def _all_lines(rows: Iterable[ListedSession], more: int, empty: Path | None) -> Iterator[str]:
    """Yield the lines of all sessions, and hints. `empty` is the folder, if it has no sessions."""
    readable = go_on = None
    for session in rows:
        yield from _lines(session)
        readable = readable or (session.id if session.problem is None else None)
        is_here = session.machine is None
        go_on = go_on or (session.id if session.status in GO_ON and is_here else None)
    if empty is not None and readable is None:
        yield Note(f"there are no sessions in {empty} yet: `lve run` makes one")
    yield from map(Note, _hints(readable, more, go_on))


def _lines(session: ListedSession) -> Iterator[str]:
    if session.problem is not None:
        yield f"{session.id}  {session.status}"
        yield f"    {one_line(session.problem)}"
        return
    where = "" if session.machine is None else f"  on {one_line(session.machine, 30)}"
    yield f"{session.id}  {_local(session.started)}  {session.status}{where}"
    cost = "" if session.cost is None else f"${session.cost:.4f}"
    parts = [_tests(session), _models(session.models), cost]
    yield clip(f"    {' · '.join(filter(None, parts))}", WIDTH)


def _local(started: str) -> str:
    """Return a time in the local time zone."""
    try:
        return f"{datetime.fromisoformat(started).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):  # forged, or out of range
        return one_line(started, 16)


def _tests(session: ListedSession) -> str:
    words = ", ".join(f"{count:,} {name}" for name, count in session.verdicts.items())
    return f"{amount(session.tests, 'test')}: {words}" if words else amount(session.tests, "test")


def _models(models: tuple[str, ...]) -> str:
    return first_names([*map(one_line, models)], SHOWN_MODELS)


def _hints(readable: str | None, more: int, go_on: str | None) -> Iterator[str]:
    if more:
        yield f"{amount(more, 'older session')} not shown: `lve session list --all`"
    if readable is not None:
        yield f"`lve show {readable}` reports a session again, `lve view {readable}` in the browser"
        yield f"`lve report {readable} -o report.html` writes its report as a page"
    if go_on is not None:
        yield f"`lve run --resume {go_on}` continues a session that ended early"
