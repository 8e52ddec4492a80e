"""Results of models from sessions, for the pages of their tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lve.extensions.site.recorded import ModelResult
from lve.sessions.instance_result import REPLAY
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.tally import Tally

Results = dict[str, list[ModelResult]]
"""Test -> results of models."""


def session_results(
    names: Sequence[str], session_dir: Path, warn: Callable[[str], None]
) -> Results:
    """Return the results in sessions, by test and model.

    The model `replay` is left out, because pages show recorded answers anyway.

    Args:
        names: the sessions: `last`, an id, or the beginning of one.
        session_dir: the folder of sessions.
        warn: called for each unreadable line of a session.

    Raises:
        NoSessionError: there is no such session.
        SessionError: a session can't be read.
    """
    results: Results = {}
    for folder in _folders(names, session_dir):
        tallies: dict[tuple[str, str], Tally] = {}
        for result in folder.results(warn=warn):
            if result.model != REPLAY:
                key = (result.test, result.model)
                if key not in tallies:
                    tallies[key] = Tally(*key)
                tallies[key].add(result)
        for tally in sorted(tallies.values(), key=lambda counted: (counted.test, counted.model)):
            results.setdefault(tally.test, []).append(_result(tally, folder.id))
    return results


def _folders(names: Iterable[str], session_dir: Path) -> list[SessionFolder]:
    folders = {}
    for name in names:
        folder = SessionFolder.find(session_dir, name)
        folder.info()  # reports a damaged session before its results are counted
        folders[folder.id] = folder
    return [folders[name] for name in sorted(folders)]


def _result(tally: Tally, session: str) -> ModelResult:
    counts = tally.counts
    return ModelResult(
        tally.model,
        session,
        counts["passed"],
        counts["failed"],
        tally.total - tally.judged,
        tally.population(),
    )
