"""Runs a row that a model attacks, or translates first; and says whether its attack was carried
out to the end: what a model withstood until then.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from lve.checkers.contract import Verdict
from lve.checkers.questions import Answer, Answering, Question
from lve.errors import ModelError, PromptError
from lve.extensions.attacks.attackers.attacker import AttackingPlayer
from lve.extensions.attacks.attackers.conversations import Attempt, translating
from lve.extensions.attacks.attackers.methods import Messages, reason
from lve.extensions.attacks.by_name import ATTACKS, Attack
from lve.extensions.attacks.document_keys import attacks_of
from lve.extensions.attacks.plan import AttackedPlan
from lve.extensions.attacks.texts import attacked_text, text_of
from lve.messages import Completion, Message, Role, Transcript, filled_turn
from lve.models.chat_model import ChatRequest
from lve.pipeline.roles.asking import judged_here, kept_answers
from lve.pipeline.rows.check_context import context_of
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.pipeline.rows.run_instance import failed_result, run_instance
from lve.plurals import amount
from lve.sessions.instance_result import InstanceResult, Judged
from lve.sessions.journal.checker_answers import answers_of_recording
from lve.spec.check_names import ATTACKER
from lve.spec.spec import Instance, Spec

MOST_MESSAGES = 1_000
"""More than a conversation of an attack has: tells the messages of repeats apart in the cache."""


async def run_with_attacker(test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
    """Run an instance of an attack by a model; arguments, result and errors as `run_instance`."""
    attack = ATTACKS[test.spec.attack or ""]
    if attack.language is not None:
        return await run_translated(test, attack.language, instance, repeat)
    if test.plays_user is None:  # it is a replay: what was sent is recorded
        return carried_out(await run_instance(test, instance, repeat), test.spec)
    search = Search(test, test.plays_user, attack, instance, repeat)
    model = replace(test.model, complete=search.complete, say=search.conversation)
    asks = None if test.asks is None else search.judges
    try:
        result = await run_instance(replace(test, model=model, asks=asks), instance, repeat)
    finally:
        await search.close()
    used = {answer.key for answer in result.asked}
    asked = [*search.player.answers, *search.judges.answers.values()]
    kept = kept_answers((answer for answer in asked if answer.key not in used), test.judge)
    return replace(result, asked=(*kept, *result.asked))


class Search:
    """The search for a message to which the model doesn't behave, in one conversation."""

    def __init__(
        self,
        test: PreparedTest,
        attacker: Answering,
        attack: Attack,
        instance: Instance,
        repeat: int,
    ) -> None:
        """Args:
        test: the test.
        attacker: asks the model that plays the attacker.
        attack: how it searches.
        instance, repeat: what is run.
        """
        self.player = AttackingPlayer(attacker, must_end=attack.method is reason)
        self.judges = Judges(test.asks)
        self.view: tuple[Message, ...] = ()
        self._test, self._attack, self._instance = test, attack, instance
        seed = test.model.args_of(instance).get("seed", 0)
        self._seed = f"{seed}\0{test.spec.attack}\0{repeat}"
        self._number = 0
        self._messages: tuple[Message, ...] = ()
        self._completions: list[Completion] = []
        self._filled: list[int] = []
        self._next: Messages | None = None

    async def complete(self, request: ChatRequest) -> Completion:
        """Return the tested model's answer: to the whole conversation, or to its last message
        alone."""
        sent = request
        if self._attack.is_fresh and self._filled:
            messages = fresh(request.messages, self._filled[0])
            number = request.repeat * MOST_MESSAGES + len(self._filled)
            sent = replace(request, messages=messages, repeat=number)
        completion = await self._test.model.complete(sent)
        self._filled.append(len(request.messages))
        self._completions.append(completion)
        answer = filled_turn(Message(role=Role.assistant), completion)
        self._messages = (*request.messages, answer)
        return completion

    def conversation(self, number: int) -> Search:
        """Return what plays the user; there is one conversation only."""
        return self

    async def __call__(self, view: tuple[Message, ...]) -> str:
        """Return the next message; nothing, if an attack succeeded, or can't be judged.

        Raises:
            ModelError: the attacker has no message.
        """
        self.view = view
        attempt = await self._attempt()
        if attempt is None or attempt.success >= 1:
            return ""
        try:
            if self._next is None:
                self.player.request = attempt.text
                numbers = random.Random(f"{self._seed}\0{attempt.text}").random
                assert self._attack.method is not None
                self._next = self._attack.method(attempt, self, numbers)
                return await anext(self._next)
            return await self._next.asend(attempt)
        except StopAsyncIteration:
            raise self.player.failure("has no next message, and no attack succeeded") from None

    async def write(self, messages: tuple[Message, ...]) -> str:
        """Return the message that the attacker writes; errors as `AttackingPlayer.say`."""
        self._number += 1
        return await self.player.say(self._number, messages)

    async def judge(self, messages: tuple[Message, ...]) -> str:
        """Return what the attacker answers to a question; errors as `AttackingPlayer.say`."""
        self._number += 1
        return await self.player.judge(self._number, messages)

    async def close(self) -> None:
        """End the search."""
        if self._next is not None:
            await self._next.aclose()

    async def _attempt(self) -> Attempt | None:
        """Return what came of the last message; None if it can't be judged."""
        transcript = Transcript(self._messages, tuple(self._completions), None, tuple(self._filled))
        context = context_of(self._instance, (transcript,), None)
        verdict = await judged_here(self._test.judge, context, self.judges)
        if verdict.outcome not in ("passed", "failed"):
            return None
        success = 1.0 if verdict.outcome == "failed" else 0.0
        if verdict.outcome == "passed" and verdict.score is not None:
            success = min(0.99, max(0.0, 1 - verdict.score))
        users = [message for message in self._messages if message.role is Role.user]
        return Attempt(text_of(users[-1]), text_of(self._messages[-1]), success)


class Judges:
    """Asks the models that checkers ask, each question once, and keeps the answers."""

    def __init__(self, asks: Answering | None) -> None:
        """Args:
        asks: asks them; None if no checker asks any.
        """
        self.answers: dict[str, Answer] = {}
        self._asks = asks

    async def answer(self, question: Question) -> Answer:
        """Return the answer to a question; errors as `Answering.answer`."""
        if question.key not in self.answers:
            assert self._asks is not None
            self.answers[question.key] = await self._asks.answer(question)
        return self.answers[question.key]


def fresh(messages: Sequence[Message], first: int) -> tuple[Message, ...]:
    """Return the prompt with the attacker's last message in place of the first one.

    Args:
        messages: the conversation so far.
        first: index of the first answer; the message before it is what the attack began with.
    """
    last = max(index for index, message in enumerate(messages) if message.is_simulated)
    return (*messages[: first - 1], *messages[last:])


def carried_out(result: InstanceResult, spec: Spec) -> InstanceResult:
    """Return a result of a test; an error, if it passes and is of a search that ended early.

    A search ends where its check says that it succeeded, or can't judge. If the check has changed
    since, or the search may send more messages now, nobody knows what would have come of them.

    Args:
        result: the result, with the verdict of today.
        spec: its test.
    """
    attack = ATTACKS.get(spec.attack or "")
    if attack is None or attack.method is None or result.verdict != "passed":
        return result
    whole = attacks_of(spec).turns or attack.turns
    sent = sum(each.is_simulated for script in result.transcripts for each in script.messages)
    if sent >= whole:
        return result
    reason = f"the attack ended after {sent + 1} of {amount(whole + 1, 'message')}: ask again"
    judged = Judged(Verdict("error", reason), result.transcripts, "no_attack", result.judged_by)
    return result.judged_again(judged, recorded=result.recorded, advisory=result.advisory)


async def run_translated(
    test: PreparedTest, language: str, instance: Instance, repeat: int
) -> InstanceResult:
    """Run an instance whose request another model translates, unless its translation is recorded.

    Args:
        test, instance, repeat: as `run_instance`; errors also.
        language: the language's English name.
    """
    assert isinstance(test.plan, AttackedPlan)
    try:
        text = attacked_text(test.plan.plan.preview(instance)[0])
        is_translated = attacked_text(test.plan.preview(instance)[0]) != text
    except PromptError:
        return await run_instance(test, instance, repeat)  # which says it
    if is_translated or test.plays_user is None:
        result = await run_instance(test, instance, repeat)
        recorded = answers_of_recording(instance.recorded.asked if instance.recorded else ())
        kept = tuple(answer for answer in recorded if answer.role == ATTACKER)
        return replace(result, asked=(*kept, *result.asked))
    player = AttackingPlayer(test.plays_user, must_end=True)
    player.request = text
    try:
        translation = await player.say(0, translating(text, language))
    except ModelError as error:
        failed = failed_result(test, instance, repeat, kind=error.kind, reason=str(error))
        return replace(failed, asked=kept_answers(player.answers, test.judge), cause=error.cause)
    plan = AttackedPlan(test.plan.plan, translation)
    result = await run_instance(replace(test, plan=plan), instance, repeat)
    return replace(result, asked=(*kept_answers(player.answers, test.judge), *result.asked))
