"""Starts instances, those of ordinary tests by the short path.

An ordinary test has one prompt of texts, one request for each row, and checks that judge at once.
Nearly all tests are ordinary. That is decided once per test, so that its rows pass through no step
that only other tests need, and through no coroutine if the cache has the answer.
"""

from __future__ import annotations

from collections.abc import Awaitable

from lve.checkers.judge import Judge
from lve.execution.cache.lookup import StoredAnswer
from lve.execution.conversations.conversation import answered_once, recorded_answer
from lve.messages import Completion, Transcript
from lve.models.chat_model import ChatRequest
from lve.models.error_kinds import CHECKER_ERROR
from lve.pipeline.rows.model_of_test import ModelOfTest
from lve.pipeline.rows.prepared_test import PreparedTest, Start, Waiting
from lve.pipeline.rows.run_instance import failed_result, run_instance, unanswered_result
from lve.prompts.messages.plan import MessagePlan
from lve.prompts.messages.prepared import PreparedPrompt
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Instance


def start_instance(
    test: PreparedTest, instance: Instance, repeat: int
) -> InstanceResult | Transcript | Waiting:
    """Run an instance as far as it goes without waiting: return its result, what is left to do, or
    what `judged_or_later` judges. Results and errors are those of `run_instance`."""
    if test.start is None:
        prompt = _only_prompt(test)
        test.start = run_instance if prompt is None else _starter(prompt, test.model, test.judge)
    return test.start(test, instance, repeat)


def _only_prompt(test: PreparedTest) -> PreparedPrompt | None:
    """Return the prompt of an ordinary test; None for other tests."""
    plan = test.plan
    if not isinstance(plan, MessagePlan) or test.warn_of_row is not None:
        return None
    if test.model.is_replay or test.bound_answers is not None:
        return None
    return plan.only_prompt


def _starter(prompt: PreparedPrompt, model: ModelOfTest, judge: Judge) -> Start:
    """Return what starts the rows of an ordinary test. It doesn't hold the test, which holds it."""
    complete, args_of, by_default = model.complete, model.args_of, model.by_default
    stream, timeout_s, listen = model.stream, model.timeout_s, model.listen
    turn, name = prompt.messages[-1], prompt.name

    def start(
        test: PreparedTest, instance: Instance, repeat: int
    ) -> InstanceResult | Transcript | Waiting:
        try:
            messages = prompt.texts(instance.parameters)
            if (reason := judge.why_unjudgeable(instance)) is not None:
                return failed_result(test, instance, repeat, kind=CHECKER_ERROR, reason=reason)
            recording, recorded, names = instance.recorded, None, by_default
            if recording is not None and recording.responses:
                recorded = recorded_answer(recording.responses[0], turn.variable or "0")
            if instance.model_args:
                names = by_default.difference(instance.model_args)
            request = ChatRequest(  # by position, as names would take longer
                messages, args_of(instance), repeat, stream, timeout_s, recorded, (), None, False,
                names, (), listen,
            )  # fmt: skip
            answer = complete(request)
            if type(answer) is not StoredAnswer:
                return go_on(test, instance, repeat, request, answer)
            return answered_once(turn, name, request, answer[0])
        except Exception as error:
            return unanswered_result(test, instance, repeat, error)

    async def go_on(
        test: PreparedTest,
        instance: Instance,
        repeat: int,
        request: ChatRequest,
        answer: Awaitable[Completion],
    ) -> InstanceResult | Transcript:
        try:
            return answered_once(turn, name, request, await answer)
        except Exception as error:
            return unanswered_result(test, instance, repeat, error)

    return start
