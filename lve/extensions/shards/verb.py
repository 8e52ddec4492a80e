"""`lve session merge`: merges the sessions of a run's shards into one.

That is written to a draft folder, which is renamed when it is complete. So a merge that is killed
leaves nothing that looks like a session.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click

from lve.cli.printing import print_line, print_message, tell, warn
from lve.cli.report_files import find_session
from lve.errors import UsageError
from lve.escape import escape_line
from lve.extensions.shards.shard_sessions import ShardSession, served_differently, shards_of_one_run
from lve.files.abandoned import remove_abandoned
from lve.files.owner_only import make_private_folder
from lve.options.run_options import OPTIONS
from lve.pipeline.choosing.loading import choose_workspace
from lve.pipeline.result import RunResult
from lve.plurals import amount
from lve.sandbox.removal import remove_tree
from lve.sessions.join_parts import join
from lve.sessions.session_file import RUNS_FOLDER, cannot_write, new_id
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo, Unfinished
from lve.sessions.storage import storage_of
from lve.verdicts.recorded_session import RecordedSession, summary_of
from lve.workspace import make_session_dir


@click.command()
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Write the merged session to this folder, which must not exist.  [default: a new session "
    "in --session-dir]",
)
@click.option(
    "--session-dir",
    metavar="FOLDER",
    help="Folder of sessions, also for the merged one.  [default: .lve]",
)
@click.option(
    "--allow-inconclusive",
    is_flag=True,
    help="Don't fail because of inconclusive tests.",
)
def merge(
    sessions: tuple[str, ...],
    output: str | None,
    session_dir: str | None,
    allow_inconclusive: bool,
) -> int:
    """Merge the sessions of a run's shards into one.

    A SESSION is an ID, or the folder of a session, such as a CI artifact. The merged session is
    what a single run would have written: verdicts, rates, costs. Prints its ID, or the folder of
    -o. `lve report`, `lve compare` and `lve view` accept both, other commands only the ID. The exit
    code is that of a single run, too.

    \b
    lve run tests --shard 1/2
    lve run tests --shard 2/2
    lve session merge last~1 last
    lve show last
    """
    workspace = choose_workspace(())
    place = Path(session_dir) if session_dir else workspace.session_dir
    folders = [find_session(place, name) for name in sessions]
    merged = merge_shards(folders, place, output=Path(output) if output else None, warn=warn)
    if output is None:
        storage_of(workspace.settings.cache).upload(merged.path, warn=warn)
    name, look = (output, "lve report") if output else (merged.id, "lve show")
    print_line(name)
    tell(session=name, shards=len(folders))
    with RecordedSession.of(merged, warn=warn) as recorded:
        summary, status = recorded.summary, recorded.info["status"]
    next_step = escape_line(shlex.join([*look.split(), name]))
    print_message(
        f"merged {amount(len(folders), 'shard')}: {summary.tests_text()}; `{next_step}` says more"
    )
    if status != "complete":
        go_on = "run the shards that ended early again" if output else f"`lve run --resume {name}`"
        print_message(
            f"the session isn't complete, because a shard ended early ({status}): {go_on}"
        )
    return RunResult(summary, status, merged, allow_inconclusive=allow_inconclusive).exit_code()


MERGING = "merging-"
"""Prefix of the name of a draft folder."""


def merge_shards(
    folders: Iterable[SessionFolder],
    session_dir: Path,
    output: Path | None = None,
    *,
    warn: Callable[[str], None] | None = None,
) -> SessionFolder:
    """Join the sessions of all shards of a run to one, as a single run would have written it.

    Args:
        folders: the sessions' folders, in any order.
        session_dir: the folder of sessions, which the new session is added to.
        output: the new session's own folder instead; it must not exist yet.
        warn: called with each warning that doesn't prevent merging.

    Returns:
        The new session.

    Raises:
        UsageError: a shard is missing or given twice, the sessions aren't shards of one run, or the
            new session's folder exists.
        SessionError: a session is damaged, or the new one can't be written; then there is none.
    """
    shards = shards_of_one_run(folders)
    if warn is not None:
        for warning in served_differently(shards):
            warn(warning)
    name = new_id(datetime.now(UTC))
    place = output or session_dir / RUNS_FOLDER / name
    if os.path.lexists(place):
        raise UsageError(
            f"{place} exists: give a folder that doesn't, which the merged session becomes",
            code="exists",
        )
    beside = session_dir if output is None else output.parent
    draft = SessionFolder(beside / f"{MERGING}{name}")
    try:
        if output is None:
            make_session_dir(session_dir)
            remove_abandoned(session_dir, MERGING)
        make_private_folder(draft.path, exist_ok=False)
        try:
            info = _info(name, shards) | join(draft, [shard.part() for shard in shards])
            draft.write({**info, "summary": summary_of(draft, info).to_json()})
            if output is None:
                make_private_folder(place.parent)
            draft.path.rename(place)
        finally:
            remove_tree(draft.path)
    except OSError as error:
        raise cannot_write(place, error) from error
    return SessionFolder(place)


def _info(name: str, shards: Sequence[ShardSession]) -> SessionInfo:
    """Return the content of the merged `session.json`, except for what `join` returns."""
    infos = [shard.info for shard in shards]
    names = {name for name, option in OPTIONS.items() if option.on_resume != "not_stored"} - {
        "shard"
    }
    options = {name: value for name, value in infos[0]["options"].items() if name in names}
    first = infos[0].copy()
    first.pop("settings", None)
    first.pop("unfinished", None)
    return {
        **first,
        "session": name,
        "started": _moment(infos, "started", min),
        "ended": _moment(infos, "ended", max),
        "resumed": [],
        "options": options,
        **_unfinished(infos),
    }


def _unfinished(infos: Sequence[SessionInfo]) -> SessionInfo:
    """Return the tests that didn't finish; an empty dict if a shard doesn't know, as with
    pytest."""
    unfinished = [Unfinished.of(info) for info in infos]
    if not all(shard.is_known for shard in unfinished):
        return {}
    pairs = sorted(frozenset().union(*(shard.pairs for shard in unfinished)))
    return {"unfinished": [{"test": test, "model": model} for test, model in pairs]}


def _moment(
    infos: Iterable[SessionInfo],
    name: Literal["started", "ended"],
    pick: Callable[[Iterable[str]], str],
) -> str:
    # All times are in UTC and have the same format, so they compare as texts.
    return pick([str(info[name] or info["started"]) for info in infos])
