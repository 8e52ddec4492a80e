"""Judging recorded completions again with the checkers as they are now, without a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from lve.border import border, unexpected
from lve.checkers.judge import Judge
from lve.checkers.resolve import checkers_sum, resolve
from lve.data.instances import instance_of_row, make_instance
from lve.errors import LveError, UnavailableError, UnexpectedError
from lve.pipeline.execute import context_of, response_of
from lve.pipeline.loading import InvalidTest
from lve.pipeline.model_args import for_model
from lve.pipeline.redacted import Judged, judge_and_redact, kept_verdict
from lve.pipeline.resume import Unfinished
from lve.pipeline.select import COMMAND_LINE, repeat_plan
from lve.redaction import Redactor, own_redactor
from lve.results.records import UNEXPECTED, InstanceResult
from lve.run_options import DEFAULTS, RunOptions
from lve.spec.model import Instance, Spec
from lve.verdicts.breakdown import Breakdown
from lve.verdicts.summary import Summary
from lve.verdicts.tally import Tally
from lve.workspace import Settings


@dataclass(slots=True)
class Rescoring:
    """What came out."""

    summary: Summary
    invalid: dict[str, InvalidTest]
    missing: set[str]
    """Tests of the session that aren't there any more, or weren't asked for."""


def rescore(
    results: Iterable[InstanceResult],
    specs: Sequence[Spec],
    settings: Settings,
    *,
    trust: bool,
    unfinished: Unfinished,
    options: RunOptions = DEFAULTS,
    on_result: Callable[[InstanceResult], None],
) -> Rescoring:
    """Judge results again.

    A redacted answer keeps its verdict; where the checkers have changed since, it has none any
    more. Instances that have no completion (an error of the model) keep their error. `recorded` of
    a new result is the session's old verdict.

    Args:
        results: of a session.
        specs: the tests to judge; results of others are left out.
        settings: the workspace's.
        trust: whether the tests' own checker code may run.
        unfinished: tests of the session that aren't through: new verdicts don't end them.
        options: that the session was given, as far as they make repeats count.
        on_result: gets every new result.
    """
    done = Rescoring(Summary(), {}, set())
    judges: dict[str, Judge | None] = {}
    redact = own_redactor()

    def rejudged(result: InstanceResult, spec: Spec) -> InstanceResult | None:
        if spec.path not in judges:
            judges[spec.path] = _judge(spec, result.model, settings, trust, done)
        judge = judges[spec.path]
        return None if judge is None else _rejudged(result, spec, judge, redact)

    begin = partial(_begin, done.summary, unfinished, options, settings)
    _count(done, results, specs, begin, on_result, rejudged)
    _add_unbegun(done, unfinished, specs, begin)
    return done


def recount(
    results: Iterable[InstanceResult],
    specs: Sequence[Spec],
    settings: Settings,
    *,
    unfinished: Unfinished,
    options: RunOptions = DEFAULTS,
    on_result: Callable[[InstanceResult], None],
) -> Rescoring:
    """Count results with the verdicts that they have. Arguments as for `rescore`."""
    done = Rescoring(Summary(), {}, set())
    begin = partial(_begin, done.summary, unfinished, options, settings)
    _count(done, results, specs, begin, on_result, lambda one, _: one)
    _add_unbegun(done, unfinished, specs, begin)
    return done


def _count(
    done: Rescoring,
    results: Iterable[InstanceResult],
    specs: Sequence[Spec],
    begin: Callable[[Spec, str], Tally],
    on_result: Callable[[InstanceResult], None],
    new_of: Callable[[InstanceResult, Spec], InstanceResult | None],
) -> None:
    """Count what `new_of` makes of each result; None is left out."""
    known = {spec.path: spec for spec in specs}
    for result in results:
        spec = known.get(result.test)
        if spec is None:
            done.missing.add(result.test)
            continue
        new = new_of(result, spec)
        if new is None:
            continue
        tally = done.summary.tallies.get((spec.path, result.model))
        if tally is None:
            tally = begin(spec, result.model)
        tally.add(new)
        on_result(new)


def _begin(
    summary: Summary,
    unfinished: Unfinished,
    options: RunOptions,
    settings: Settings,
    spec: Spec,
    model: str,
) -> Tally:
    """Return the tally of a test. Its pass rate is judged as strictly as the session judged it."""
    spec = for_model(spec, model, options, settings)
    plan = repeat_plan(spec, options, settings, is_replay=model == "replay")
    tally = summary.expect(
        spec.path,
        model,
        spec.expect,
        numbers=Breakdown.of(spec),
        sequential=plan.is_sequential,
        failures_only=unfinished.has_failures_only,
    )
    if not unfinished.has(spec.path, model):
        tally.complete()
    return tally


def _add_unbegun(
    done: Rescoring,
    unfinished: Unfinished,
    specs: Sequence[Spec],
    begin: Callable[[Spec, str], Tally],
) -> None:
    """Take note of tests of the session that have no result yet."""
    known = {spec.path: spec for spec in specs}
    for test, model in sorted(unfinished.pairs):
        spec = known.get(test)
        if spec is None:
            done.missing.add(test)
        elif test in done.invalid or test in done.summary.skipped:
            continue
        elif (test, model) not in done.summary.tallies:
            begin(spec, model)


def _judge(
    spec: Spec, model: str, settings: Settings, trust: bool, done: Rescoring
) -> Judge | None:
    try:
        with border("making the checkers"):
            return resolve(spec, trusted=trust, trust=settings.trust)
    except UnavailableError as error:
        done.summary.skip_unavailable(spec.path, model, str(error))
        return None
    except LveError as error:
        invalid = InvalidTest.of(spec.path, spec.file, error)
        done.invalid[spec.path] = invalid
        done.summary.invalid[spec.path] = tuple(str(problem) for problem in invalid.problems)
        return None


def _rejudged(result: InstanceResult, spec: Spec, judge: Judge, redact: Redactor) -> InstanceResult:
    """Return the result with its new verdict, whatever happens."""
    try:
        return _judged(result, spec, judge, redact)
    except LveError as error:
        return _unjudged(result, error)
    except Exception as error:  # the border: the other results can be judged
        return _unjudged(result, unexpected(error, "judging the instance"))


def _judged(result: InstanceResult, spec: Spec, judge: Judge, redact: Redactor) -> InstanceResult:
    """Return the result with its new verdict."""
    if not result.transcripts:
        return replace(result, recorded=None)
    is_whole = result.judged_by is None
    judged = _judged_again(result, spec, judge, redact) if is_whole else _as_judged(result, spec)
    verdict, transcripts, error_kind, judged_by = judged
    return InstanceResult(  # not by `replace`, which takes five times as long
        test=result.test,
        model=result.model,
        source=result.source,
        line=result.line,
        repeat=result.repeat,
        args=result.args,
        verdict=verdict.outcome,
        reason=verdict.reason,
        recorded=_old_verdict(result) if is_whole else None,
        responses=tuple([response_of(transcript) for transcript in transcripts]),
        transcripts=transcripts,
        usage=result.usage,
        cost=result.cost,
        latency_s=result.latency_s,
        cached=result.cached,
        error_kind=error_kind,
        score=verdict.score,
        judged_by=judged_by,
    )


def _judged_again(result: InstanceResult, spec: Spec, judge: Judge, redact: Redactor) -> Judged:
    """Return the new verdict on whole answers."""
    return judge_and_redact(
        context_of(_instance(result, spec), result.transcripts),
        judge.judge,
        redacts=judge,
        redact=redact,
        judged_by=partial(checkers_sum, spec),
    )


def _as_judged(result: InstanceResult, spec: Spec) -> Judged:
    """Return the verdict that was reached before the answers were redacted."""
    return kept_verdict(
        spec,
        result.transcripts,
        result.judged_by or "",
        result.verdict,
        result.reason,
        result.score,
    )


def _unjudged(result: InstanceResult, error: LveError) -> InstanceResult:
    """Return the result without a verdict; what can't be redacted isn't shown either."""
    return replace(
        result,
        verdict="error",
        reason=str(error),
        error_kind=UNEXPECTED if isinstance(error, UnexpectedError) else "checker",
        recorded=_old_verdict(result),
        responses=(),
        transcripts=(),
    )


def _instance(result: InstanceResult, spec: Spec) -> Instance:
    """Return the instance that a result came from; its args tell everything but the recording."""
    if spec.dataset is None or result.source == COMMAND_LINE:
        return make_instance(spec, result.args, result.source, result.line)
    row = instance_of_row(spec, result.args, result.source, result.line)
    # A template's columns are all its own, also one that is called like a model arg.
    return row if spec.infer_cfg is None else replace(row, parameters=result.args)


def _old_verdict(result: InstanceResult) -> Literal["passed", "failed"] | None:
    if result.verdict == "passed" or result.verdict == "failed":
        return result.verdict
    return None
