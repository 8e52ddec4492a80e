"""Judges with checkers that ask models: judge, ask the models what is missing, judge again.

The only retry loop for that is in `judged_with_answers`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import Judge
from lve.checkers.questions import Answer, Answering, Answers
from lve.errors import CheckerError, LveError
from lve.execution.completions import redacted
from lve.execution.stop import Stopped
from lve.models.error_kinds import CHECKER_ERROR
from lve.sessions.instance_result import InstanceResult

Result = TypeVar("Result")


async def judged_with_answers(
    judge: Callable[[Answers], Awaitable[Result]],
    asks: Answering,
    recorded: Iterable[Answer] = (),
) -> tuple[Result, tuple[Answer, ...]]:
    """Judge until all questions of the checkers are answered; return the result and the answers
    used.

    Args:
        judge: judges with the answers so far, and adds the questions without an answer to
            `Answers.missing`.
        asks: asks models.
        recorded: answers from an earlier judgement.

    Raises:
        UsageError, BudgetError, Stopped: as `Answering.answer`.
    """
    answers = Answers(recorded)
    while True:
        result = await judge(answers)
        if not answers.missing:
            return result, tuple(answers.used.values())
        questions = list(answers.missing.values())
        replies = await asyncio.gather(*map(asks.answer, questions), return_exceptions=True)
        answers.add(_all_or_raise(replies))


def _all_or_raise(replies: Sequence[Answer | BaseException]) -> list[Answer]:
    """Return the answers, or raise an error that ends the session. All requests have ended by then,
    because they are paid for."""
    problems = [reply for reply in replies if isinstance(reply, BaseException)]
    for problem in sorted(problems, key=lambda reply: isinstance(reply, LveError | Stopped)):
        raise problem
    return [reply for reply in replies if isinstance(reply, Answer)]


async def result_by_asking(
    judged: Callable[[Answers], Awaitable[InstanceResult]],
    asks: Answering,
    judge: Judge,
    recorded: Iterable[Answer] = (),
    *,
    keeps_vectors: bool = False,
) -> InstanceResult:
    """Return the result of an instance whose checkers ask models, with these models' answers.

    Args:
        judged: judges the instance with the answers so far.
        asks: asks models.
        judge: the test's judge.
        recorded: answers from an earlier judgement.
        keeps_vectors: whether the result has the vectors of embedders, to be recorded.

    Raises:
        UsageError, BudgetError, Stopped: as `Answering.answer`.
    """
    result, answers = await judged_with_answers(judged, asks, recorded)
    kind, cause = result.error_kind, result.cause
    failed = [answer for answer in answers if answer.problem_kind is not None]
    if failed and kind == CHECKER_ERROR:
        kind = failed[0].problem_kind
        if failed[0].cause is not None and failed[0].problem is not None:
            cause = result.reason.replace(failed[0].problem, failed[0].cause)
    journaled = kept_answers(answers, judge, keeps_vectors=keeps_vectors)
    return replace(result, asked=journaled, error_kind=kind, cause=cause)


async def judged_here(judge: Judge, context: CheckContext, asks: Answering) -> Verdict:
    """Return the verdict of a judge that may ask models; errors as `judged_with_answers`."""

    async def once(answers: Answers) -> Verdict:
        return await asyncio.to_thread(judge.judge, replace(context, answers=answers))

    return (await judged_with_answers(once, asks))[0]


def kept_answers(
    answers: Iterable[Answer], judge: Judge, *, keeps_vectors: bool = False
) -> tuple[Answer, ...]:
    """Return answers as the journal keeps them: without vectors and secrets, and redacted by the
    test's checkers, because they may quote the tested model's answer.

    Args:
        answers: answers of models that have roles.
        judge: the test's judge.
        keeps_vectors: whether to keep vectors, unless answers are redacted.
    """
    vectors = keeps_vectors and not judge.postprocesses
    return tuple(_kept_answer(answer, judge, vectors) for answer in answers)


def _kept_answer(answer: Answer, judge: Judge, keeps_vector: bool) -> Answer:
    completion = answer.completion
    if completion is not None:
        completion = redacted(completion)
        if judge.postprocesses:
            completion = replace(
                completion, text=_postprocessed(completion.text, judge), reasoning=None
            )
        completion = replace(completion, logprobs=None, provider_state=None)
    return replace(
        answer,
        completion=completion,
        vector=answer.vector if keeps_vector else None,
    )


def _postprocessed(text: str, judge: Judge) -> str:
    try:
        return judge.postprocess(text)
    except CheckerError:  # what can't be redacted must not be written
        return ""
