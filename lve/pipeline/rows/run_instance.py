"""Runs one instance of one test against one model: renders its prompts, holds the conversations,
judges the transcripts, and returns the result.

If the instance fails, for whatever reason, that becomes a result with the verdict `error`. Only an
error that ends the whole session is raised.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judging_limits import NeedsProcessError
from lve.checkers.questions import Answers
from lve.error_boundary import unexpected
from lve.errors import LveError, ModelError, PromptError, SpecError
from lve.execution.budgets.cost import totals
from lve.execution.stop import Stopped
from lve.messages import Transcript, Usage
from lve.models.error_kinds import CHECKER_ERROR, STALE_RECORDING
from lve.pipeline.roles.asking import result_by_asking
from lve.pipeline.rows.check_context import context_of
from lve.pipeline.rows.prepared_test import PreparedTest, Running
from lve.pipeline.rows.redacted import judge_and_redact, judged_by, kept_verdict, verified
from lve.pipeline.threads import judge_in_thread
from lve.sessions.instance_result import UNEXPECTED, InstanceResult, Judged, result_of
from lve.spec.spec import Instance


async def run_instance(test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
    """Run an instance and return its result, which has the verdict `error` if something goes wrong.

    Raises:
        BudgetError: the session's budget doesn't allow a request.
        Stopped: the session was stopped.
        LveError: the session can't go on: the disk is full, say.
    """
    try:
        model, rows = test.model, test.plan.rows
        if rows is None:
            conversations = test.plan.preview(instance)
        else:
            conversations = await rows.conversations(instance, test.ask)
        if len(conversations) > 1 or not conversations[0].is_text:
            conversations = await model.attachments.described(conversations, test.spec.file)
        if test.warn_of_row is not None and repeat == 0:
            test.warn_of_row(instance)
        kind, reason = CHECKER_ERROR, test.judge.why_unjudgeable(instance)
        if reason is None and test.bound_answers is not None:
            kind, reason = STALE_RECORDING, test.bound_answers.why_stale(instance, conversations)
        if reason is not None:
            return failed_result(test, instance, repeat, kind=kind, reason=reason)
        transcripts: tuple[Transcript, ...]
        if len(conversations) == 1:
            transcripts = (await model.hold(conversations[0], instance, repeat),)
        else:
            transcripts = await model.hold_all(conversations, instance, repeat)
    except Exception as error:
        return unanswered_result(test, instance, repeat, error)
    result = judged_or_later(test, instance, repeat, transcripts)
    result = result if isinstance(result, InstanceResult) else await result
    if test.bound_answers is None or result.error_kind == UNEXPECTED:
        return result
    try:
        return test.bound_answers.bind(result, instance, conversations)
    except Exception as error:
        return _crashed_result(test, instance, repeat, error)


def unanswered_result(
    test: PreparedTest, instance: Instance, repeat: int, error: Exception
) -> InstanceResult:
    """Return the result of an instance that has no answer; raise an error that ends the session."""
    if isinstance(error, PromptError | SpecError):
        return failed_result(test, instance, repeat, kind="prompt", reason=str(error))
    if isinstance(error, ModelError):
        failed = failed_result(test, instance, repeat, kind=error.kind, reason=str(error))
        failed.cause = error.cause
        return failed
    return _crashed_result(test, instance, repeat, error)


def _crashed_result(
    test: PreparedTest, instance: Instance, repeat: int, error: Exception
) -> InstanceResult:
    """Return the result of an instance that a bug in lve or a plugin has ended, so that the others
    go on; raise any other error."""
    if isinstance(error, LveError | Stopped):
        raise error
    reason = str(unexpected(error, "running the row"))
    return failed_result(test, instance, repeat, kind=UNEXPECTED, reason=reason)


def judged_or_later(
    test: PreparedTest, instance: Instance, repeat: int, transcripts: tuple[Transcript, ...]
) -> InstanceResult | Running:
    """Return the result of an instance with its answers, or what judges them: in a thread, or with
    a model's answers."""
    if test.asks is None and not test.judge.may_take_long:
        try:
            return judged_result(test, instance, repeat, transcripts, test.judge.judge_in_process)
        except NeedsProcessError:
            pass  # it would hold up the event loop, so a thread does it
        except Exception as error:
            return _crashed_result(test, instance, repeat, error)
    return _judged_later(test, instance, repeat, transcripts)


async def _judged_later(
    test: PreparedTest, instance: Instance, repeat: int, transcripts: tuple[Transcript, ...]
) -> InstanceResult:
    try:
        return await _judge_slowly(test, instance, repeat, transcripts)
    except Exception as error:
        return _crashed_result(test, instance, repeat, error)


async def _judge_slowly(
    test: PreparedTest, instance: Instance, repeat: int, transcripts: tuple[Transcript, ...]
) -> InstanceResult:
    if test.asks is not None:
        judged = functools.partial(_judge_in_thread, test, instance, repeat, transcripts)
        bound = test.bound_answers
        return await result_by_asking(
            judged,
            test.asks,
            test.judge,
            recorded=() if bound is None else bound.asked(instance),
            keeps_vectors=bound is not None,
        )
    return await _judge_in_thread(test, instance, repeat, transcripts)


async def _judge_in_thread(
    test: PreparedTest,
    instance: Instance,
    repeat: int,
    transcripts: tuple[Transcript, ...],
    answers: Answers | None = None,
) -> InstanceResult:
    judge = test.judge
    judged = functools.partial(
        judged_result, test, instance, repeat, transcripts, judge.judge, answers
    )
    return await judge_in_thread(judge, judged, test.stop_signal)


def judged_result(
    test: PreparedTest,
    instance: Instance,
    repeat: int,
    transcripts: tuple[Transcript, ...],
    judge: Callable[[CheckContext], Verdict],
    answers: Answers | None = None,
) -> InstanceResult:
    """Judge the transcripts of an instance and return its result, redacted. A recorded answer that
    was redacted keeps its recorded verdict.

    Args:
        test: the test.
        instance, repeat: what was run.
        transcripts: the conversations, with the model's answers.
        judge: returns a verdict: `test.judge.judge` or `test.judge.judge_in_process`.
        answers: answers to the checkers' questions to models, if there are any.

    Raises:
        NeedsProcessError: `judge` would take too long in the event loop's thread.
    """
    model, recorded = test.model, instance.recorded
    cost = model.cost(transcripts)
    redacted_by = judged_by(recorded) if recorded is not None and model.is_replay else None
    if redacted_by is not None:
        judged = kept_verdict(test.spec, transcripts, redacted_by, recorded_verdict(test, instance))
        if not test.options.trust:
            judged = verified(judged, context_of(instance, transcripts, cost, answers), judge)
    else:
        judged = judge_and_redact(
            context_of(instance, transcripts, cost, answers),
            judge,
            postprocessor=test.judge,
            judged_by=test.judged_by,
        )
    return result_of(
        test.spec.path,
        model.name,
        instance,
        repeat,
        recorded_verdict(test, instance) if redacted_by is None else None,
        judged,
        totals(transcripts),
        cost,
        test.judge.is_advisory,
    )


def failed_result(
    test: PreparedTest, instance: Instance, repeat: int, *, kind: str, reason: str
) -> InstanceResult:
    """Return the result, with the verdict `error`, of an instance that couldn't be judged.

    Args:
        test: the test.
        instance: the instance.
        repeat: the number of the repeat, from 0.
        kind: the result's `error_kind`.
        reason: what went wrong.
    """
    judged = Judged(Verdict("error", reason), (), kind)
    recorded = recorded_verdict(test, instance)
    path, model, nothing = test.spec.path, test.model.name, (Usage(), 0.0, False)
    return result_of(path, model, instance, repeat, recorded, judged, nothing, None, False)


def recorded_verdict(test: PreparedTest, instance: Instance) -> Literal["passed", "failed"] | None:
    """Return the verdict in the instance file, to compare the new verdict with; None without one.

    A handwritten answer says nothing about the model, so its verdict counts only for `replay`.
    """
    recorded = instance.recorded
    if recorded is None or recorded.passed is None:
        return None
    if recorded.run_info and recorded.is_handwritten and not test.model.is_replay:
        return None
    return "passed" if recorded.passed else "failed"
