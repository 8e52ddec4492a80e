"""The recorded instances of a test, and its results by model in sessions: for the test's page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lve.data.row_places import place_of_row
from lve.data_classes import dataclass, field
from lve.errors import Problem
from lve.escape import head
from lve.extensions.site.checking import ShownAnswer, shown_answers, shown_args
from lve.extensions.site.texts import MAX_LABEL, Clipped
from lve.limits.problems import limit_problems
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import REPLAY
from lve.sessions.session_folder import SessionFolder
from lve.spec.recorded_row import Recorded, args_key
from lve.spec.spec import Instance, Spec
from lve.verdicts.rates.clusters import Estimate, population_rate
from lve.verdicts.tally import Tally

HANDWRITTEN = "written by hand"
MAX_ROWS = 10_000
"""The most instances of a test that are read."""
SHOWN = 25
"""The most recorded answers of each verdict that a page shows."""
MAX_MODELS = 200


class ShownInstance(NamedTuple):
    """One recorded answer."""

    args: Sequence[tuple[str, Clipped]]
    answers: Sequence[ShownAnswer]
    model: str
    """The model, `HANDWRITTEN` or `unknown`."""
    place: str
    """File and line: `instances/x.jsonl:3`."""
    author: str | None


class ModelResult(NamedTuple):
    """Results of one model in a test."""

    model: str
    where: str
    """Where the results are from: `recorded`, or a session's id."""
    passed: int
    failed: int
    others: int
    """Errors and inconclusive results."""
    estimate: Estimate | None
    """The pass rate with its interval, for rows like these."""


@dataclass(slots=True)
class RecordedInstances:
    """The instances of a test: their number, and the recorded answers to show."""

    total: int = 0
    has_more: bool = False
    """Whether there are more than `MAX_ROWS`."""
    sources: Counter[str] = field(default_factory=Counter)
    """File -> number of its instances."""
    passed: list[ShownInstance] = field(default_factory=list)
    failed: list[ShownInstance] = field(default_factory=list)
    unjudged: list[ShownInstance] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    """Verdict (`passed`, `failed`, `unjudged`) -> number of recorded answers."""
    results: list[ModelResult] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def recorded_instances(spec: Spec, instances: Iterable[Instance | Problem]) -> RecordedInstances:
    """Return the counts of a test's instances and its first recorded answers of each verdict.

    Args:
        spec: the test.
        instances: its instances; at most `MAX_ROWS` are read.
    """
    recorded = RecordedInstances()
    by_model: dict[str, Counter[tuple[str, str]]] = {}
    for instance in limit_problems(iter(instances)):
        if isinstance(instance, Problem):
            recorded.problems.append(instance)
            continue
        if recorded.total >= MAX_ROWS:
            recorded.has_more = True
            break
        recorded.total += 1
        recorded.sources[instance.source] += 1
        if instance.recorded is not None:
            verdict = _keep(recorded, spec, instance, instance.recorded)
            who = answered_by(instance.recorded, spec)
            is_result = verdict != "unjudged" and who != HANDWRITTEN
            if is_result and (who in by_model or len(by_model) < MAX_MODELS):
                by_model.setdefault(who, Counter())[args_key(instance.args), verdict] += 1
    recorded.results = [_result(model, counts) for model, counts in sorted(by_model.items())]
    return recorded


def answered_by(recorded: Recorded, spec: Spec) -> str:
    """Return the model that gave a recorded answer: its name, `HANDWRITTEN` or `unknown`.

    Files of the original LVE repository don't name the model. There, a test was recorded with the
    model in its document.
    """
    if recorded.is_handwritten:
        return HANDWRITTEN
    model = recorded.run_info.get("model")
    if isinstance(model, str) and model:
        return head(model, MAX_LABEL)
    if "source" not in recorded.run_info and len(spec.models) == 1:
        return head(spec.models[0], MAX_LABEL)
    return "unknown"


def _keep(
    all_recorded: RecordedInstances, spec: Spec, instance: Instance, recorded: Recorded
) -> str:
    words = {True: "passed", False: "failed", None: "unjudged"}
    verdict = words[recorded.passed]
    all_recorded.counts[verdict] += 1
    of_verdict: list[ShownInstance] = getattr(all_recorded, verdict)
    if len(of_verdict) < SHOWN:
        of_verdict.append(
            ShownInstance(
                shown_args(instance.args),
                shown_answers(recorded.responses),
                answered_by(recorded, spec),
                place_of_row(instance.source, instance.line),
                recorded.author,
            )
        )
    return verdict


def _result(model: str, counts: Counter[tuple[str, str]]) -> ModelResult:
    """Return a model's result. Answers to the same args are one cluster, because they are alike."""
    clusters: Counter[tuple[int, int]] = Counter()
    for key in {key for key, _ in counts}:
        passed, failed = counts[key, "passed"], counts[key, "failed"]
        clusters[passed, passed + failed] += 1
    passed = sum(times for (_, verdict), times in counts.items() if verdict == "passed")
    failed = sum(times for (_, verdict), times in counts.items() if verdict == "failed")
    return ModelResult(model, "recorded", passed, failed, 0, population_rate(clusters))


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
            results.setdefault(tally.test, []).append(_result_of_session(tally, folder.id))
    return results


def _folders(names: Iterable[str], session_dir: Path) -> list[SessionFolder]:
    folders = {}
    for name in names:
        folder = SessionFolder.find(session_dir, name)
        folder.info()  # reports a damaged session before its results are counted
        folders[folder.id] = folder
    return [folders[name] for name in sorted(folders)]


def _result_of_session(tally: Tally, session: str) -> ModelResult:
    counts = tally.counts
    return ModelResult(
        tally.model,
        session,
        counts["passed"],
        counts["failed"],
        tally.total - tally.judged,
        tally.population(),
    )
