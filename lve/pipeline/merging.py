"""Makes one session of the parts of the processes that ran it together (pytest-xdist)."""

from __future__ import annotations

from lve.errors import SessionError
from lve.sessions.join_parts import Part, join
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_info import SessionInfo
from lve.sessions.worker_parts import read_parts, remove_parts
from lve.verdicts.coverage import NotRecorded
from lve.verdicts.recorded_session import summary_of
from lve.verdicts.summary import Summary


def merge_parts(folder: SessionFolder, *, is_interrupted: bool) -> Summary:
    """Merge the parts of several processes to `results.jsonl` and `session.json`, as `lve run`
    writes them.

    Args:
        folder: the session's folder.
        is_interrupted: whether the processes were stopped before all instances were submitted.

    Returns:
        The summary of the whole session.

    Raises:
        SessionError: the files can't be read or written, or a process still writes one. The parts
            stay as they are.
    """
    begun = folder.info()
    rest = Part([], {"status": "interrupted" if is_interrupted else "complete"}, {})
    try:
        parts = read_parts(folder, begun)
        fields = join(folder, [*parts, rest])
    except (OSError, ValueError) as error:
        raise SessionError(
            f"the parts of {folder.path} can't be put together: {error}", code="session_damaged"
        ) from error
    infos = [begun, *(part.info for part in parts)]
    summary = summary_of(folder, {**begun, **fields})
    for part in parts:
        for (test, model), places in part.places.items():
            if (tally := summary.tallies.get((test, model or ""))) is not None:
                tally.coverage.not_recorded.merge(NotRecorded(places=[*places]))
    hashes = {test: sums for info in infos for test, sums in (info.get("tests") or {}).items()}
    whole: SessionInfo = {
        **fields,
        "summary": summary.to_json(),
        "tests": dict(sorted(hashes.items())),
        "models": sorted({model for info in infos for model in info.get("models", ())}),
        "paths": sorted({path for info in infos for path in info.get("paths", ())}),
    }
    folder.end(fields["status"], **whole)
    remove_parts(folder)
    return summary
