"""Runs instances, also of tests in which a model plays the user of a conversation."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from lve.checkers.questions import Answer, Answering, Question
from lve.errors import PermanentModelError
from lve.extension_table import extension_part
from lve.messages import Message, Transcript
from lve.pipeline.roles.asking import kept_answers
from lve.pipeline.rows.ordinary_rows import start_instance
from lve.pipeline.rows.prepared_test import PreparedTest, Running, Waiting
from lve.pipeline.rows.run_instance import judged_or_later, run_instance
from lve.sessions.instance_result import InstanceResult
from lve.spec.check_names import ATTACKER, USER
from lve.spec.spec import Instance


def run_one(
    test: PreparedTest, instance: Instance, repeat: int
) -> InstanceResult | Transcript | Waiting:
    """Run an instance of any test; arguments, result and errors as `start_instance`."""
    user = test.spec.simulated_user
    if user is None:
        return start_instance(test, instance, repeat)
    if user.role == ATTACKER:
        running: Running = extension_part("run of an attacker")(test, instance, repeat)
        return running
    run = run_instance if test.plays_user is None else _run_with_user
    return run(test, instance, repeat)


async def run_here(test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
    """Run an instance of any test, and return its result."""
    state = run_one(test, instance, repeat)
    while not isinstance(state, InstanceResult):
        if isinstance(state, Transcript):
            state = judged_or_later(test, instance, repeat, (state,))
        else:
            state = await state
    return state


async def _run_with_user(test: PreparedTest, instance: Instance, repeat: int) -> InstanceResult:
    """Run an instance; its result also has what the model said that plays the user."""
    assert test.plays_user is not None
    player = Player(test.plays_user)
    model = replace(test.model, say=lambda number: partial(player.say, number))
    result = await run_instance(replace(test, model=model), instance, repeat)
    user_answers = kept_answers(player.answers, test.judge)
    return replace(result, asked=(*user_answers, *result.asked))


class Player:
    """Asks the model that plays the user, in all conversations of one instance."""

    def __init__(self, asks: Answering, role: str = USER) -> None:
        """Args:
        asks: asks models that have roles.
        role: of the model.
        """
        self.answers: list[Answer] = []
        """What the model answered so far, failures included."""
        self._asks, self._role = asks, role

    async def say(self, number: int, messages: tuple[Message, ...]) -> str:
        """Return the next message of the user.

        Args:
            number: the conversation's number; with another number the model may say something else.
            messages: what the model that plays the user is sent.

        Raises:
            ModelError: the model can't answer.
            BudgetError, Stopped: as `Answering.answer`.
        """
        answer = await self._asks.answer(Question(self._role, messages, vote=number))
        self.answers.append(answer)
        whose = f"the {self._role}, played by {answer.model}"
        if answer.completion is None:
            kind = answer.problem_kind or "bad_request"
            says = f"{whose}, can't answer: "
            error = PermanentModelError(f"{says}{answer.problem}", kind=kind)
            error.cause = answer.cause and f"{says}{answer.cause}"
            raise error
        text = answer.completion.text
        if not text.strip() and answer.completion.finish_reason == "length":
            message = f"{whose}, says nothing: its answer was cut off"
            hint = "give its entry under `models` in the settings more (`args: {max_tokens: N}`)"
            raise PermanentModelError(f"{message}; {hint}", kind="empty")
        return text
