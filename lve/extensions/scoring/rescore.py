"""Judges the results of a session again with the checkers as they are now (`lve score`).

No tested model is asked. Answers to checkers' questions are taken from the journal; only new
questions are sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve_with
from lve.data_classes import dataclass
from lve.error_boundary import error_boundary
from lve.errors import LveError, UnavailableError, UsageError
from lve.extensions.scoring.stale_answers import StaleAnswers
from lve.models.error_kinds import STALE_RECORDING
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.loading import InvalidTest, models_of
from lve.pipeline.choosing.repeats import repeat_plan
from lve.pipeline.rejudging.rejudging import Rejudge, rejudged_results
from lve.pipeline.rejudging.role_session import RoleSession
from lve.pipeline.roles.roles import CheckStatuses
from lve.pipeline.spec_for_model import for_model
from lve.prompts.plan import build_plan
from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import REPLAY, InstanceResult
from lve.sessions.session_info import Pair, SessionInfo, Unfinished
from lve.settings.settings import Settings
from lve.spec.spec import Spec
from lve.verdicts.agreement import SESSION_VERDICTS
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally

REPEAT_OPTIONS = ("repeats", "model_args")
"""The options that decide which repeats count."""
WINDOW = 64
"""Results that are judged together, so that models are asked about all of them at the same time."""


def planned_pairs(info: SessionInfo, specs: Iterable[Spec], settings: Settings) -> Iterator[Pair]:
    """Yield the tests that a session which was cut short would have run, each with its model.

    Args:
        info: the content of its `session.json`.
        specs: the tests as they are now.
        settings: the workspace's settings.
    """
    if info.get("failures_of"):
        return  # only some tests are part of it, and `session.json` doesn't say which
    options = RunOptions(models=tuple(info["options"].get("models", ())))
    began_with = info.get("tests") or {}
    selected = info.get("selected") or ()
    left_out = {(test["test"], test["model"]) for test in selected if not test["instances"]}
    for spec in specs:
        if spec.path not in began_with or spec.skip is not None:
            continue
        try:
            models = models_of(spec, options, settings)
        except UsageError:  # it had a model when the session ran
            continue
        pairs = ((spec.path, model) for model in models)
        yield from (pair for pair in pairs if pair not in left_out)


@dataclass(slots=True)
class Rescoring:
    """The outcome of judging a session again."""

    summary: Summary
    invalid: dict[str, InvalidTest]
    missing: set[str]
    """Paths of the session's tests that don't exist any more, or weren't selected."""


def rescore(
    results: Iterable[InstanceResult],
    info: SessionInfo,
    specs: Sequence[Spec],
    settings: Settings,
    *,
    trust: bool,
    statuses: CheckStatuses | None,
    asks: RoleSession | None = None,
    on_result: Callable[[InstanceResult], None],
) -> Rescoring:
    """Judge the results of a session again.

    A redacted answer keeps its verdict, or gets an error if its checkers have changed. An instance
    without a completion (an error of the model) keeps its error. The field `recorded` of a new
    result has the old verdict. An answer to another prompt than today's is an error: it is stale.
    Tests that didn't finish stay unfinished.

    Args:
        results: the results of the session.
        info: the content of its `session.json`.
        specs: the tests to judge; results of other tests are skipped.
        settings: the workspace's settings.
        trust: whether checker code of the tests may run.
        statuses: say which checks are advisory, and the measured errors of the others; None: all
            checks count, and nothing was measured.
        asks: asks models the questions of checkers that the results have no answers to.
        on_result: called with each new result.
    """
    done = Rescoring(Summary(), {}, set())
    judges: dict[str, Judge | None] = {}

    def judge_of(spec: Spec, model: str) -> Judge | None:
        if spec.path not in judges:
            judges[spec.path] = _judge(spec, model, settings, trust, statuses, done)
        return judges[spec.path]

    lasting_redactor()  # learns the keys of today
    rejudge = partial(rejudged_results, judge_of=judge_of, asks=asks)
    stale = StaleAnswers(info, specs)
    begin = partial(_begin, done.summary, info, settings, statuses)
    _count(done, results, specs, stale, begin, on_result, rejudge)
    _add_unbegun(done, info, specs, settings, begin)
    return done


def _count(
    done: Rescoring,
    results: Iterable[InstanceResult],
    specs: Sequence[Spec],
    stale: StaleAnswers,
    begin: Callable[[Spec, str], Tally],
    on_result: Callable[[InstanceResult], None],
    rejudge: Rejudge,
) -> None:
    """Count the results that `rejudge` returns; it returns None for those to skip."""
    tests = {spec.path: spec for spec in specs}
    left = iter(results)
    while window := list(islice(left, WINDOW)):
        done.missing.update(result.test for result in window if result.test not in tests)
        chosen = [(result, tests[result.test]) for result in window if result.test in tests]
        changes = [stale.change(result) for result, _ in chosen]
        fresh = [pair for pair, change in zip(chosen, changes, strict=True) if change is None]
        rejudged = iter(rejudge(fresh))
        for (result, spec), change in zip(chosen, changes, strict=True):
            new = next(rejudged) if change is None else _stale(result, change)
            if new is None:
                continue
            tally = done.summary.tallies.get((spec.path, new.model))
            if tally is None:
                tally = begin(spec, new.model)
            tally.add(new)
            on_result(new)


def _stale(result: InstanceResult, change: str) -> InstanceResult:
    """Return the error of an answer to another prompt."""
    reason = f"the answer is for another prompt: {change} (`lve run` asks again)"
    return replace(
        result, verdict="error", error_kind=STALE_RECORDING, reason=reason, recorded=None
    )


def _begin(
    summary: Summary,
    info: SessionInfo,
    settings: Settings,
    statuses: CheckStatuses | None,
    spec: Spec,
    model: str,
) -> Tally:
    """Add a test to the summary and return its tally, which judges the pass rate as the session
    did."""
    stored = info["options"].items()
    options = RunOptions(**{name: value for name, value in stored if name in REPEAT_OPTIONS})
    spec = for_model(spec, model, options, settings)
    plan = repeat_plan(spec, options, settings, is_replay=model == REPLAY)
    tally = summary.expect(
        spec.path,
        model,
        spec.expect,
        numbers=Breakdown.of(spec),
        sequential=plan.is_sequential,
        failures_only=bool(info.get("failures_of")),
        errors=statuses.errors(spec) if statuses else None,
    )
    tally.agreement.earlier = SESSION_VERDICTS
    if not Unfinished.of(info).has(spec.path, model):
        tally.coverage.complete()
    return tally


def _add_unbegun(
    done: Rescoring,
    info: SessionInfo,
    specs: Sequence[Spec],
    settings: Settings,
    begin: Callable[[Spec, str], Tally],
) -> None:
    """Add the session's tests that have no result yet."""
    unfinished = Unfinished.of(info)
    pairs = unfinished.pairs if unfinished.is_known else planned_pairs(info, specs, settings)
    tests = {spec.path: spec for spec in specs}
    for test, model in sorted(pairs):
        spec = tests.get(test)
        if spec is None:
            done.missing.add(test)
        elif test in done.invalid or test in done.summary.skipped:
            continue
        elif (test, model) not in done.summary.tallies and _can_run(spec, model, settings, done):
            begin(spec, model)


def _can_run(spec: Spec, model: str, settings: Settings, done: Rescoring) -> bool:
    """Whether the prompts of a test without results can be built: a session that was killed hasn't
    written which of its tests are invalid."""
    try:
        with error_boundary("building the prompts"):
            build_plan(spec, model=settings.entry(model))
    except LveError as error:
        _refuse(spec, error, done)
        return False
    return True


def _judge(
    spec: Spec,
    model: str,
    settings: Settings,
    trust: bool,
    statuses: CheckStatuses | None,
    done: Rescoring,
) -> Judge | None:
    try:
        with error_boundary("making the checkers"):
            advisory = statuses.advisory(spec) if statuses else ()
            return resolve_with(spec, settings, trusted=trust, advisory=advisory)
    except UnavailableError as error:
        done.summary.skip_unavailable(spec.path, model, error.message_with_code)
        return None
    except LveError as error:
        _refuse(spec, error, done)
        return None


def _refuse(spec: Spec, error: LveError, done: Rescoring) -> None:
    invalid = InvalidTest.of(spec.path, spec.file, error)
    done.invalid[spec.path] = invalid
    done.summary.invalid[spec.path] = tuple(
        problem.message_with_code for problem in invalid.problems
    )
