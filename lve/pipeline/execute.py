"""One instance of one test against one model: hold its conversations, judge them, record that."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lve.border import unexpected
from lve.checkers.asking import Answering, Answers
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import Judge
from lve.checkers.limits import TooMuchHereError
from lve.error_kinds import CHECKER_ERROR
from lve.errors import LveError, ModelError, PromptError, SpecError
from lve.execution.attachments import Attachments
from lve.execution.budgets.cost import paid, totals
from lve.execution.conversations.conversation import hold_conversation
from lve.execution.stop import Stopped, StopSignal
from lve.messages import Answer, Transcript
from lve.models.chat_model import Complete
from lve.pipeline.aside import judged_aside
from lve.pipeline.redacted import context_of, judge_and_redact, judged_by, kept_verdict, verified
from lve.pipeline.roles.asking import result_by_asking
from lve.prompts.ask import Ask
from lve.prompts.plan import Conversation, Plan
from lve.redaction import Redactor
from lve.results.records import UNEXPECTED, InstanceResult
from lve.run_options import RunOptions
from lve.spec.model import Instance, Spec
from lve.workspace import Price

if TYPE_CHECKING:
    from lve.execution.conversations.simulated_user import Say
    from lve.execution.tools.tool_servers import LiveTools

Holding = Coroutine[Any, Any, Transcript]


class PreparedTest(NamedTuple):
    """A test with all that is needed to run an instance of it against one model."""

    spec: Spec
    plan: Plan
    judge: Judge
    model: str
    price: Price | None
    complete: Complete
    stop_signal: StopSignal
    """The session's: says when the user doesn't want to wait any more."""
    timeout_s: float | None
    """For one attempt."""
    args_of: Callable[[Instance], Mapping[str, Any]]
    """Gives an instance's model args."""
    options: RunOptions
    by_default: frozenset[str] = frozenset()
    """Model args that neither the user nor the test sets; an instance may."""
    redact: Redactor = Redactor()
    """Takes secrets out of what is written."""
    judged_by: Callable[[], str] = str
    """Gives the sum of its checkers."""
    is_replay: bool = False
    """Whether the model only says again what was recorded."""
    ask: Ask | None = None
    """Asks models to choose examples; None: nothing may be sent for that."""
    asks: Answering | None = None
    """Asks models for the checkers; None: none of them asks any."""
    attachments: Attachments = Attachments()
    """Sends files of the test folder; one for the whole session."""
    warn_of_row: Callable[[Instance], None] | None = None
    """Gets each instance once it is rendered; warns of what of its data got lost in the prompt."""
    warn_of_call: Callable[[str], None] | None = None
    """Gets the calls of tools that the test's mocks don't answer."""
    live_tools: LiveTools | None = None
    """The tools of servers that the test uses."""
    plays_user: Answering | None = None
    """Asks the model that plays the user; None: none does, or it is only replayed."""
    say: Callable[[int], Say] | None = None
    """Gives what plays the user in a conversation, by its number; `lve.pipeline.playing_user`."""


async def run_instance(test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
    """Return the result of an instance, whatever happens to it.

    Raises:
        BudgetError: the session's budget doesn't allow a call.
        Stopped: the session stops sending.
        LveError: what the session can't survive: a full disk, say.
    """
    try:
        try:
            conversations = await test.plan.conversations(instance, test.ask)
            if len(conversations) > 1 or not conversations[0].is_text:
                conversations = await test.attachments.described(conversations, test.spec.file)
            if test.warn_of_row is not None and repeat == 0:
                test.warn_of_row(instance)
            if (reason := test.judge.why_unjudgeable(instance)) is not None:
                return failed_result(test, instance, repeat, kind=CHECKER_ERROR, reason=reason)
            transcripts = await _hold(test, instance, repeat, conversations)
        except (PromptError, SpecError) as error:
            return failed_result(test, instance, repeat, kind="prompt", reason=str(error))
        except ModelError as error:
            return failed_result(test, instance, repeat, kind=error.kind, reason=str(error))
        if test.asks is not None:
            judged = functools.partial(_judged_aside, test, instance, repeat, transcripts)
            return await result_by_asking(judged, test.asks, test.judge, test.redact)
        if not test.judge.may_take_long:
            try:
                return judged_result(test, instance, repeat, transcripts, test.judge.judge_here)
            except TooMuchHereError:
                pass  # so it isn't done by the loop, which all else waits for
        return await _judged_aside(test, instance, repeat, transcripts)
    except (LveError, Stopped):
        raise
    except Exception as error:  # the border: whatever it is, the other instances go on
        reason = str(unexpected(error, "running the instance"))
        return failed_result(test, instance, repeat, kind=UNEXPECTED, reason=reason)


async def _judged_aside(
    test: PreparedTest,
    instance: Instance,
    repeat: int,
    transcripts: tuple[Transcript, ...],
    answers: Answers | None = None,
) -> InstanceResult:
    judge, given = test.judge, (test, instance, repeat, transcripts)
    judged = functools.partial(judged_result, *given, judge.judge, answers)
    return await judged_aside(judge, judged, test.stop_signal)


def judged_result(
    test: PreparedTest,
    instance: Instance,
    repeat: int,
    transcripts: tuple[Transcript, ...],
    judge: Callable[[CheckContext], Verdict],
    answers: Answers | None = None,
) -> InstanceResult:
    """Judge transcripts and return the result, without what may not be written. A recorded answer
    that was redacted keeps its verdict.

    Args:
        test: the test.
        instance: what was run.
        repeat: which time.
        transcripts: what came out.
        judge: a method of the test's judge.
        answers: what models have said to its questions so far.

    Raises:
        TooMuchHereError: as `judge`.
    """
    cost = paid(transcripts, test.price)
    earlier = judged_by(instance.recorded) if test.is_replay and instance.recorded else None
    if earlier is not None:
        judged = kept_verdict(test.spec, transcripts, earlier, recorded_verdict(test, instance))
        if not test.options.trust:
            judged = verified(judged, context_of(instance, transcripts, cost, answers), judge)
    else:
        judged = judge_and_redact(
            context_of(instance, transcripts, cost, answers),
            judge,
            redacts=test.judge,
            redact=test.redact,
            judged_by=test.judged_by,
        )
    verdict = judged.verdict
    usage, latency_s, cached = totals(transcripts)
    return InstanceResult(  # by position: a class takes keywords as a dict, which takes longer
        test.spec.path,
        test.model,
        instance.source,
        instance.line,
        repeat,
        instance.args,
        verdict.outcome,
        verdict.reason,
        recorded_verdict(test, instance) if earlier is None else None,
        tuple([transcript.answer for transcript in judged.transcripts]),
        judged.transcripts,
        usage,
        cost,
        latency_s,
        cached,
        judged.error_kind,
        verdict.score,
        judged.judged_by,
        (),
        test.judge.is_advisory,
    )


def failed_result(
    test: PreparedTest, instance: Instance, repeat: int, *, kind: str, reason: str
) -> InstanceResult:
    """Return the result of an instance that couldn't be judged."""
    return InstanceResult(
        test=test.spec.path,
        model=test.model,
        source=instance.source,
        line=instance.line,
        repeat=repeat,
        args=instance.args,
        verdict="error",
        reason=reason,
        recorded=recorded_verdict(test, instance),
        error_kind=kind,
    )


def recorded_verdict(test: PreparedTest, instance: Instance) -> Literal["passed", "failed"] | None:
    """Return the verdict in the instance file that the new one can be compared with.

    What was written by hand says nothing about a model: it counts only where it is judged again.
    """
    recorded = instance.recorded
    if recorded is None or recorded.passed is None:
        return None
    if recorded.is_handwritten and not test.is_replay:
        return None
    return "passed" if recorded.passed else "failed"


async def _hold(
    test: PreparedTest, instance: Instance, repeat: int, conversations: Sequence[Conversation]
) -> tuple[Transcript, ...]:
    args = test.args_of(instance)
    by_default = test.by_default
    if instance.model_args:
        by_default = by_default.difference(instance.model_args)
    found = instance.recorded
    recorded = found.responses if found else ()
    replayed = iter(found.turns if found and test.is_replay else ())

    def hold(conversation: Conversation, index: int, answer: Answer | None) -> Holding:
        complete = test.complete
        if conversation.has_files:
            complete = test.attachments.sending(complete, test.spec.folder)
        return hold_conversation(
            conversation,
            complete,
            args=args,
            by_default=by_default,
            repeat=index,
            recorded=answer,
            stream=test.options.stream,
            listen=test.options.listen,
            timeout_s=test.timeout_s,
            replayed=next(replayed, ()),
            warn_of_call=test.warn_of_call,
            live_tools=test.live_tools,
            say=None if test.say is None else test.say(index),
        )

    if len(conversations) == 1:
        return (await hold(conversations[0], repeat, recorded[0] if recorded else None),)
    indexes = _cache_repeats(conversations, repeat)
    answers = [*recorded, *(None for _ in conversations)]
    runs = await asyncio.gather(
        *(
            hold(one, index, answer)
            for one, index, answer in zip(conversations, indexes, answers, strict=False)
        ),
        # All runs end before one's error counts: what is under way has been paid for.
        return_exceptions=True,
    )
    return _all_or_raise(runs)


def _all_or_raise(runs: Sequence[Transcript | BaseException]) -> tuple[Transcript, ...]:
    """Return the transcripts, or raise: first what ends the session, then what ends the instance.

    An instance that was stopped halfway has no result, even if one of its runs has an error.
    """
    problems = [run for run in runs if isinstance(run, BaseException)]
    for problem in sorted(problems, key=_ends_instance):
        raise problem
    return tuple(run for run in runs if isinstance(run, Transcript))


def _ends_instance(problem: BaseException) -> bool:
    """Whether a run's exception ends its instance, and not the session."""
    ends_session = isinstance(problem, LveError | Stopped) or not isinstance(problem, Exception)
    return isinstance(problem, ModelError) or not ends_session


def _cache_repeats(conversations: Sequence[Conversation], repeat: int) -> list[int]:
    """Return a repeat index per run, so that runs with the same messages don't share an answer."""
    seen: dict[str, int] = {}
    indexes = []
    for conversation in conversations:
        content = repr(conversation.messages)
        occurrence = seen.get(content, 0)
        seen[content] = occurrence + 1
        indexes.append(repeat * len(conversations) + occurrence)
    return indexes
