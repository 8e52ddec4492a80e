"""Judges results of a session again, with the checkers as they are now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from lve.checkers.judge import Judge
from lve.checkers.questions import Answers
from lve.checkers.resolve import checkers_sum
from lve.data.instances import instance_of_row, make_instance
from lve.error_boundary import unexpected
from lve.errors import LveError, UnexpectedError
from lve.extension_table import extension_part
from lve.models.error_kinds import CHECKER_ERROR
from lve.pipeline.choosing.instances import COMMAND_LINE
from lve.pipeline.roles.asking import result_by_asking
from lve.pipeline.rows.bound_answers import ReplayedRoles
from lve.pipeline.rows.check_context import context_of
from lve.pipeline.rows.redacted import judge_and_redact, kept_verdict
from lve.sessions.instance_result import REPLAY, UNEXPECTED, InstanceResult, Judged
from lve.spec.check_names import ATTACKER, USER
from lve.spec.spec import Instance, Spec

if TYPE_CHECKING:
    from lve.pipeline.rejudging.role_session import RoleSession

ResultsWithSpecs = Sequence[tuple[InstanceResult, Spec]]
Rejudge = Callable[[ResultsWithSpecs], Sequence[InstanceResult | None]]


def rejudged_results(
    results: ResultsWithSpecs,
    *,
    judge_of: Callable[[Spec, str], Judge | None],
    asks: RoleSession | None,
) -> list[InstanceResult | None]:
    """Return results with their new verdicts. Models are asked about all of them at the same time.

    Args:
        results: results with their tests.
        judge_of: returns the judge of a test for a model; None if it can't be made.
        asks: asks models on behalf of checkers; None: only answers in the results are used.

    Returns:
        One per result; None where there is no judge.
    """
    new: list[InstanceResult | None] = []
    asking: list[Coroutine[Any, Any, InstanceResult]] = []
    places: list[int] = []
    for number, (result, spec) in enumerate(results):
        judge = judge_of(spec, result.model)
        new.append(None)
        if judge is None:
            continue
        if judge.asks and asks is not None and result.judged_by is None and result.transcripts:
            asking.append(_by_asking(result, spec, judge, asks))
            places.append(number)
        else:
            new[number] = _rejudged(result, spec, judge)
    if asking and asks is not None:
        for place, rejudged in zip(places, asks.run(_all(asking)), strict=True):
            new[place] = rejudged
    return new


async def _all(asking: Sequence[Coroutine[Any, Any, InstanceResult]]) -> list[InstanceResult]:
    return await asyncio.gather(*asking)


async def _by_asking(
    result: InstanceResult, spec: Spec, judge: Judge, asks: RoleSession
) -> InstanceResult:
    """Return the result with its new verdict, which is `error` if judging fails."""

    async def judged(answers: Answers) -> InstanceResult:
        return _judged(result, spec, judge, answers)

    try:
        of_user = [answer for answer in result.asked if answer.role in (ATTACKER, USER)]
        others = (answer for answer in result.asked if answer not in of_user)
        recorded = list(filter(asks.takes, others))
        # Who judges a replay again lacks a recording, not a mended checker.
        is_replay = result.model == REPLAY
        answering = ReplayedRoles(asks, asks.roles) if is_replay else asks
        new = await result_by_asking(judged, answering, judge, recorded)
        return replace(new, asked=(*of_user, *new.asked)) if of_user else new
    except LveError as error:
        return _unjudged(result, error)
    except Exception as error:  # the boundary: the other results can be judged
        return _unjudged(result, unexpected(error, "judging the row"))


def _rejudged(result: InstanceResult, spec: Spec, judge: Judge) -> InstanceResult:
    """Return the result with its new verdict, which is `error` if judging fails."""
    try:
        return _judged(result, spec, judge)
    except LveError as error:
        return _unjudged(result, error)
    except Exception as error:  # the boundary: the other results can be judged
        return _unjudged(result, unexpected(error, "judging the row"))


def _judged(
    result: InstanceResult,
    spec: Spec,
    judge: Judge,
    answers: Answers | None = None,
) -> InstanceResult:
    """Return the result with its new verdict."""
    if not result.transcripts:
        return replace(result, recorded=None)
    is_whole = result.judged_by is None
    again = partial(_judged_again, result, spec, judge, answers)
    judged = again() if is_whole else _as_judged(result, spec)
    recorded = _old_verdict(result) if is_whole else None
    new = result.judged_again(judged, recorded=recorded, advisory=judge.is_advisory)
    return extension_part("attack carried out")(new, spec) if spec.attack else new


def _judged_again(
    result: InstanceResult, spec: Spec, judge: Judge, answers: Answers | None
) -> Judged:
    """Return the new verdict on answers that weren't redacted."""
    return judge_and_redact(
        context_of(instance_of(result, spec), result.transcripts, result.cost, answers),
        judge.judge,
        postprocessor=judge,
        judged_by=partial(checkers_sum, spec),
    )


def _as_judged(result: InstanceResult, spec: Spec) -> Judged:
    """Return the old verdict on answers that were redacted."""
    return kept_verdict(
        spec,
        result.transcripts,
        result.judged_by or "",
        result.verdict,
        result.reason,
        result.score,
    )


def _unjudged(result: InstanceResult, error: LveError) -> InstanceResult:
    """Return the result as an error, without its answers, because they can't be redacted either."""
    return replace(
        result,
        verdict="error",
        reason=str(error),
        error_kind=UNEXPECTED if isinstance(error, UnexpectedError) else CHECKER_ERROR,
        recorded=_old_verdict(result),
        responses=(),
        transcripts=(),
    )


def instance_of(result: InstanceResult, spec: Spec) -> Instance:
    """Return the instance of a result, made from its args, without a recorded answer."""
    if spec.dataset is None or result.source == COMMAND_LINE:
        return make_instance(spec, result.args, result.source, result.line)
    row = instance_of_row(spec, result.args, result.source, result.line)
    if spec.infer_cfg is None:
        return row
    instance: Instance = extension_part("infer_cfg instance")(spec, row)
    return instance


def _old_verdict(result: InstanceResult) -> Literal["passed", "failed"] | None:
    if result.verdict == "passed" or result.verdict == "failed":
        return result.verdict
    return None
