"""Has the scorers of a session's tests judge all rows together, when the session ends."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from lve.checkers.arguments import build
from lve.errors import CheckerError, LveError
from lve.escape import excerpt
from lve.extensions.scorers.box import ScorerBox
from lve.extensions.scorers.scorer import Scorer
from lve.pipeline.choosing.loading import load_tests
from lve.pipeline.rejudging.rejudging import instance_of
from lve.pipeline.session import Session
from lve.plurals import amount_of
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_info import Status
from lve.spec.check_names import SCORER
from lve.spec.spec import Spec
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

MAX_BYTES = 400_000_000
"""Of the rows of a test, with their answers."""
MAX_REPEATS = 10
"""Repeats that are scored; the scores are their means."""
LATER = "`lve score` scores all rows of the merged session together"
Overall = Mapping[str, float] | str


class _TooLargeError(Exception):
    """A test has too many rows to be scored together."""


class _Rows:
    """The rows of a test with their answers, for its scorer."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, str, int, str]] = []
        self.size = 0
        self.without = 0
        """Rows without an answer that can be scored."""

    def add(self, result: InstanceResult, spec: Spec) -> None:
        """Add the row of a result."""
        if not result.transcripts or result.judged_by is not None:
            self.without += 1
            return
        instance = instance_of(result, spec)
        answer = result.transcripts[-1].response
        row = [result.repeat, answer, instance.reference, instance.parameters]
        line = json.dumps(row, default=str)
        self.size += len(line)
        if self.size > MAX_BYTES:
            raise _TooLargeError
        self.lines.append((result.repeat, result.source, result.line, line))


def score_session(session: Session, status: Status) -> None:
    """Set the overall scores of a session's tests, whose results are in its journal.

    Args:
        session: whose journal is finished.
        status: how it has ended.
    """
    options, folder = session.engine.options, session.log.folder
    why = ""
    if session.log.is_part:
        why = f"the session ran in several processes: {LATER.replace(' merged', '')}"
    elif options.shard is not None:
        why = f"a shard has only a part of the rows: {LATER}"
    elif folder is None:
        why = "the session keeps no results"

    def spec_of(tally: Tally) -> Spec | None:
        if test_run := session.test_runs.get((tally.test, tally.model)):
            return test_run.spec
        workspace = session.engine.workspace
        place = str(workspace.root / tally.test)
        loaded = load_tests((place,), workspace, warn=lambda _: None)
        return next((spec for spec in loaded.specs if spec.path == tally.test), None)

    if status == "complete" and not session.test_runs:  # of pytest, which submits rows
        session.summary.complete()
    score_all(session.summary, spec_of, tuple if folder is None else folder.results, why)


def score_all(
    summary: Summary,
    spec_of: Callable[[Tally], Spec | None],
    results: Callable[[], Iterable[InstanceResult]],
    why: str = "",
) -> None:
    """Set the overall scores of tests with a scorer.

    Args:
        summary: the session's, whose tallies get the scores.
        spec_of: returns the test of a tally.
        results: returns those of the session.
        why: why none of them can be scored; empty if they can.
    """
    scored = {key: t for key, t in summary.tallies.items() if t.numbers.overall is not None}
    specs = {} if why else {key: spec_of(tally) for key, tally in scored.items()}
    rows = {key: _Rows() for key, spec in specs.items() if spec is not None}
    reasons = dict.fromkeys(scored, why or "the test can't be read any more")
    for result in results() if rows else ():
        key = result.test, result.model
        if (spec := specs.get(key)) is not None and key in rows:
            try:
                rows[key].add(result, spec)
            except (LveError, _TooLargeError, ValueError) as error:
                reasons[key] = _why(error)
                del rows[key]
    for key, tally in scored.items():
        overall: Overall = reasons[key]
        if key in rows:
            overall = _scores_of(tally, cast("Spec", specs[key]), rows[key])
        tally.numbers = replace(tally.numbers, overall=overall)


WITH_EXTRACT = "`extract` takes a part of each answer, and the scorer would get whole answers"
"""Why a scorer beside `extract` judges each row only."""


def _why(error: Exception) -> str:
    if isinstance(error, _TooLargeError):
        return f"its rows have more than {MAX_BYTES // 1_000_000} MB"
    return excerpt(str(error), 300)


def _scores_of(tally: Tally, spec: Spec, rows: _Rows) -> Overall:
    """Return what the scorer says of all rows; a text if that isn't known."""
    if not tally.coverage.is_complete:
        return "the test hasn't finished"
    if rows.without:
        return f"{amount_of(rows.without, tally.total, 'result', 'has')} no answer to score"
    merged: dict[str, float] = {}
    try:
        with tempfile.TemporaryDirectory(prefix="lve-scorer-") as folder:
            file = Path(folder, "rows.jsonl")
            file.write_text("".join(f"{line}\n" for *_, line in sorted(rows.lines)), "utf-8")
            for config in (each for each in spec.checkers if each.name == SCORER):
                if "extract" in config.args:
                    return WITH_EXTRACT
                check = build(Scorer, config.args).in_folder(spec.folder)
                said = _asked(check, file, tally.repeats)
                if isinstance(said, str):
                    return said
                of = f" of {config.args[SCORER]}"
                merged |= {f"{name}{of if name in merged else ''}": v for name, v in said.items()}
    except (CheckerError, OSError, ValueError) as error:
        return _why(error)
    return merged


def _asked(check: Scorer, file: Path, repeats: int) -> Overall:
    box = ScorerBox(check.config(), (str(file),))
    try:
        said = [box.whole(file, repeat).scores for repeat in range(min(repeats, MAX_REPEATS))]
    finally:
        box.end()
    names = dict.fromkeys(name for each in said for name in each)
    values = {name: [each.get(name) for each in said] for name in names}
    means = {
        name: sum(numbers) / len(said)
        for name, scores in values.items()
        if len(numbers := [each for each in scores if each is not None]) == len(said)
    }
    first = check.metric or next(iter(names), "")
    return means if first in means else f"the scorer gives no number {excerpt(first)!r}"
