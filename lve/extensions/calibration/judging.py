"""Judges labelled answers with a check, to measure how well it agrees with people (`lve
calibrate`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from lve.data.instances import instance_of_row, make_instance
from lve.data_classes import dataclass
from lve.errors import LveError, Problem, SpecError
from lve.execution.workers import WaitFor
from lve.extensions.calibration.label_targets import LabelTarget
from lve.extensions.calibration.labels import Label, ResultPlace, Word
from lve.extensions.calibration.measure import JudgedLabel
from lve.limits.problems import limit_problems
from lve.models.replay import ReplayModel
from lve.options.run_options import RunOptions
from lve.pipeline.engine import Engine, Job
from lve.pipeline.interrupts import handle_interrupts
from lve.pipeline.outcome import requests_of
from lve.pipeline.preparing.preparation import Preparation
from lve.pipeline.rejudging.rejudging import instance_of
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.sessions.journal.reading import read_journal
from lve.sessions.session_folder import RESULTS_FILE
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace, display_path


@dataclass(frozen=True, slots=True)
class JudgedLabels:
    """The verdicts of a check on labelled answers."""

    rows: tuple[JudgedLabel, ...]
    requests: int
    """Number of requests that were sent."""
    cost: float | None
    """US dollars; None if no model has a price."""
    stopped_by: str | None
    """Why not all answers were judged."""


def with_answers(
    labels: Sequence[Label], file: Path, warn: Callable[[str], None]
) -> list[tuple[Label, InstanceResult | None]]:
    """Return labels with their answers. Labels about a session's results, in whose folder their
    file lies, also get the result.

    Args:
        labels: the labels, as they were read.
        file: the labels' file.
        warn: called for damaged lines of the session's journal.

    Raises:
        SpecError: the session lacks some of the results; the error has the first problems.
        SessionError: the session's journal can't be read.
    """
    places = {label.place for label in labels if label.place is not None}
    results = _results(file.parent / RESULTS_FILE, places, warn) if places else {}
    paired: list[tuple[Label, InstanceResult | None]] = []
    problems: list[Problem] = []
    for label in labels:
        if label.place is None:
            paired.append((label, None))
            continue
        result = results.get(label.place)
        why = _why_useless(result)
        if result is None or why is not None:
            problems.append(Problem(str(why), display_path(file), label.line, code="label"))
            continue
        verdict: Word = "passed" if result.verdict == "passed" else "failed"
        paired.append((label.with_answer(result.args, result.responses, verdict), result))
    if problems:
        raise SpecError(
            [label for label in limit_problems(iter(problems)) if isinstance(label, Problem)]
        )
    return paired


def _results(
    journal: Path, places: set[ResultPlace], warn: Callable[[str], None]
) -> dict[ResultPlace, InstanceResult]:
    results = {}
    for result in read_journal(journal, warn=warn):
        place = ResultPlace(result.test, result.model, result.source, result.line, result.repeat)
        if place in places:
            results[place] = result
    return results


def _why_useless(result: InstanceResult | None) -> str | None:
    if result is None:
        return f"there is no such result in the {RESULTS_FILE} beside this file"
    if result.verdict not in ("passed", "failed"):
        return f"this result has no verdict to be right or wrong: {result.verdict}"
    if result.judged_by is not None:
        return "the answer was redacted, so it can't be judged again: leave this label out"
    return None


async def judge_labels(
    target: LabelTarget,
    labels: Sequence[tuple[Label, InstanceResult | None]],
    workspace: Workspace,
    options: RunOptions,
    *,
    warn: Callable[[str], None],
    say: Callable[[str], None] | None = None,
) -> JudgedLabels:
    """Judge labelled answers with a check, each answer once, as `lve run` judges recorded answers.

    Args:
        target: the check.
        labels: the labels, from `with_answers`.
        workspace: the check's workspace.
        options: the run's options.
        warn: called with each warning.
        say: called with notices for the user. If given, Ctrl-C ends this in good order.

    Raises:
        LveError: the check or a model can't be used.
    """
    engine = Engine(workspace, replace(options, models=(REPLAY,), keep=False), warn=warn)
    engine.prepare_model(REPLAY)
    run = _Judging(engine, Preparation(engine, warn=warn), target.alone, labels)
    engine.add(REPLAY, run.jobs())
    try:
        with handle_interrupts(engine, say) if say else nullcontext():
            await engine.join()
    finally:
        await engine.close()
    if run.failure is not None:
        raise run.failure
    return JudgedLabels(
        rows=tuple(
            JudgedLabel(label, run.results[label.answer_key])
            for label, _ in labels
            if label.answer_key in run.results
        ),
        requests=requests_of(engine),
        cost=_cost(engine),
        stopped_by=engine.stopped_by or engine.stop_signal.reason,
    )


def _cost(engine: Engine) -> float | None:
    if all(completer.price is None for completer in engine.models.completers.values()):
        return None
    return engine.models.budget.spent.cost


class _Judging:
    """Yields a job for each labelled answer, and collects the results."""

    def __init__(
        self,
        engine: Engine,
        preparation: Preparation,
        spec: Spec,
        labels: Sequence[tuple[Label, InstanceResult | None]],
    ) -> None:
        self._engine = engine
        self._preparation = preparation
        self._spec = spec
        self._labels = labels
        self.results: dict[str, InstanceResult] = {}
        """Key of an answer -> its result."""
        self.failure: LveError | None = None
        """The error, if the check can't be used."""

    def jobs(self) -> Iterator[Job | WaitFor]:
        """Yield a job for each answer."""
        try:
            prepared = yield from self._preparation.prepare(self._spec, REPLAY)
        except LveError as error:
            self.failure = error
            return
        # Replay without the engine, so that reading answers doesn't use the judge's budget.
        model = replace(prepared.model, complete=ReplayModel().complete)
        prepared = replace(prepared, model=model)
        keys: set[str] = set()
        for label, result in self._labels:
            key = label.answer_key
            if key in keys:
                continue
            keys.add(key)
            instance = _instance(self._spec, label, result)
            yield prepared, instance, 0, self._keeper(key)

    def _keeper(self, key: str) -> Callable[[InstanceResult], None]:
        def keep(result: InstanceResult) -> None:
            self.results[key] = result

        return keep


def _instance(spec: Spec, label: Label, result: InstanceResult | None) -> Instance:
    """Return the instance that a label is about, with the labelled answer as its recorded one."""
    recorded = Recorded(label.responses, None)
    if result is not None:
        return replace(instance_of(result, spec), recorded=recorded)
    make = make_instance if spec.dataset is None else instance_of_row
    instance = make(spec, label.args or {}, "labels", label.line)
    reference = instance.reference if label.reference is None else label.reference
    return replace(instance, recorded=recorded, reference=reference)
