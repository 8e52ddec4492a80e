"""Makes one session of the sessions of all shards of a run.

It is written to a draft folder, which is renamed when it is complete. So a merge that is killed
leaves nothing that looks like a session.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from lve.errors import UsageError
from lve.extensions.shards.shard_sessions import ShardSession, served_differently, shards_of_one_run
from lve.files.abandoned import remove_abandoned
from lve.files.owner_only import make_private_folder
from lve.options.run_options import OPTIONS
from lve.sandbox.removal import remove_tree
from lve.sessions.join_parts import join
from lve.sessions.session_file import RUNS_FOLDER, cannot_write, new_id
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo
from lve.sessions.unfinished import Unfinished
from lve.verdicts.recorded import summary_of
from lve.workspace import make_session_dir

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
