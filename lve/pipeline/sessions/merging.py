"""`lve merge`: joins the sessions of all shards to one session, as a single run would have written
it.

The new session is written to a draft folder, which is renamed when it is complete. So a merge that
is killed leaves nothing that looks like a session.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from lve.documents.json_lines import plain
from lve.errors import UsageError
from lve.files.abandoned import remove_abandoned
from lve.files.private import make_private_folder, open_private
from lve.pipeline.sessions.parts import WORST_FIRST, all_sent
from lve.pipeline.sessions.shard_sessions import ShardSession, served_differently, shards_of_one_run
from lve.pipeline.sessions.spending import sum_of_amounts
from lve.removal import remove_tree
from lve.results.session import SessionFolder
from lve.results.session_file import (
    INFO_FILE,
    RUNS_FOLDER,
    cannot_write,
    new_id,
    replace_result_file,
)
from lve.results.session_tests import SessionTest, append_tests, read_tests
from lve.run_options import OPTIONS
from lve.verdicts.recorded import RecordedSession
from lve.workspace import make_session_dir

MERGING = "merging-"
"""Prefix of the name of a draft folder."""


def merge_sessions(
    folders: Iterable[SessionFolder],
    session_dir: Path,
    output: Path | None = None,
    *,
    warn: Callable[[str], None] | None = None,
) -> SessionFolder:
    """Join the sessions of all shards of a run.

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
    parts = shards_of_one_run(folders)
    if warn is not None:
        for warning in served_differently(parts):
            warn(warning)
    name = new_id(datetime.now(UTC))
    place = output or session_dir / RUNS_FOLDER / name
    if os.path.lexists(place):
        raise UsageError(
            f"{place} exists: give a folder that doesn't, which the merged session becomes",
            code="exists",
        )
    beside = session_dir if output is None else output.parent
    draft = SessionFolder(beside / f"{MERGING}{name}", parts[0].folder.redact)
    try:
        if output is None:
            make_session_dir(session_dir)
            remove_abandoned(session_dir, MERGING)
        make_private_folder(draft.path, exist_ok=False)
        try:
            _write(draft, name, parts)
            if output is None:
                make_private_folder(place.parent)
            draft.path.rename(place)
        finally:
            remove_tree(draft.path)
    except OSError as error:
        raise cannot_write(place, error) from error
    return SessionFolder(place, draft.redact)


def _write(draft: SessionFolder, name: str, parts: Sequence[ShardSession]) -> None:
    """Write all files of the merged session."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    with os.fdopen(open_private(draft.results_file, flags), "ab") as whole:
        for part in parts:
            for journal in part.folder.journals():
                with os.fdopen(open_private(journal, os.O_RDONLY), "rb") as lines:
                    copyfileobj(lines, whole)
        whole.flush()
        os.fsync(whole.fileno())
    append_tests(draft.path, _tests(parts), draft.redact)
    info = _info(name, parts)
    _write_info(draft, info)
    with RecordedSession.of(draft) as recorded:
        info["summary"] = recorded.summary.to_json()
    _write_info(draft, info)


def _write_info(draft: SessionFolder, info: Mapping[str, Any]) -> None:
    text = json.dumps(plain(info), indent=2) + "\n"
    replace_result_file(draft.path / INFO_FILE, text.encode("ascii"))


def _tests(parts: Sequence[ShardSession]) -> list[SessionTest]:
    """Return the descriptions of all shards' tests, those of skipped and invalid tests last."""
    known: dict[tuple[str, str | None], SessionTest] = {}
    ran: set[str] = set()
    for part in parts:
        tests = read_tests(part.folder.path)
        ran.update(test for test, model in tests if model and (test, None) not in tests)
        for key, test in tests.items():
            known[key] = _joined(known.get(key), _with_left(part, test))
    for name in [one.test for one in known.values() if one.not_recorded]:
        if name in ran:  # that a shard had no recorded answer of it isn't why to skip the whole
            known.pop((name, None), None)
    whole = (test._replace(left=test.left or None) for test in known.values())
    return sorted(whole, key=lambda test: test.model is None)


def _with_left(part: ShardSession, test: SessionTest) -> SessionTest:
    """Return a test of a shard, which lacks nothing if it has finished."""
    info = part.info
    noted = info.get("unfinished", None if info["status"] != "complete" else ())
    is_unfinished = noted is None or any(
        (one["test"], one["model"]) == (test.test, test.model) for one in noted
    )
    return test if is_unfinished else test._replace(left=0)


def _joined(known: SessionTest | None, test: SessionTest) -> SessionTest:
    """Return a test of one more shard with what all of them lack; what one doesn't know, none
    does."""
    if known is None:
        return test
    left = None if known.left is None or test.left is None else known.left + test.left
    return test._replace(
        not_recorded=known.not_recorded + test.not_recorded,
        repeats_not_recorded=known.repeats_not_recorded + test.repeats_not_recorded,
        left=left,
    )


def _info(name: str, parts: Sequence[ShardSession]) -> dict[str, Any]:
    """Return the content of the merged `session.json`, except for the summary."""
    infos = [part.info for part in parts]
    kept = {name for name, option in OPTIONS.items() if option.on_resume != "not_stored"} - {
        "shard"
    }
    options = {name: value for name, value in infos[0]["options"].items() if name in kept}
    return {
        **{name: infos[0][name] for name in infos[0] if name not in ("settings", "unfinished")},
        "session": name,
        "status": min((info["status"] for info in infos), key=WORST_FIRST.index),
        "started": _moment(infos, "started", min),
        "ended": _moment(infos, "ended", max),
        "resumed": [],
        "options": options,
        **_unfinished(infos),
        "spent": sum_of_amounts(info.get("spent") for info in infos),
        "spent_unrecorded": sum_of_amounts(info.get("spent_unrecorded") for info in infos),
        "summary": None,
        **all_sent(infos),
    }


def _unfinished(infos: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the tests that didn't finish; an empty dict if a shard doesn't know, as with
    pytest."""
    if any("unfinished" not in info and info["status"] != "complete" for info in infos):
        return {}
    pairs = {(one["test"], one["model"]) for info in infos for one in info.get("unfinished", ())}
    return {"unfinished": [{"test": test, "model": model} for test, model in sorted(pairs)]}


def _moment(
    infos: Iterable[Mapping[str, Any]], name: str, pick: Callable[[Iterable[str]], str]
) -> str:
    # All times are in UTC and have the same format, so they compare as texts.
    return pick([str(info[name] or info["started"]) for info in infos])
