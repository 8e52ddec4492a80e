"""Estimates the requests that a test's checkers would send to models, and their cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from lve.checkers.contract import CheckContext
from lve.checkers.judge import Judge
from lve.checkers.questions import Answers, Question
from lve.checkers.static import asking_checkers
from lve.data_classes import dataclass
from lve.execution.budgets.cost import cost_of
from lve.execution.conversations.simulated_user import seen_by_user
from lve.execution.request_limits import BYTES_PER_TOKEN, expected_tokens
from lve.messages import Message, Transcript, Usage
from lve.models.chat_model import ChatRequest
from lve.options.run_options import RunOptions
from lve.pipeline.prices import Prices
from lve.pipeline.roles.roles import roles_of
from lve.prompts.conversation import Conversation
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec

TYPICAL_ANSWER = "word " * 128
"""The assumed answer if none is recorded."""
TYPICAL_VERDICT_TOKENS = 150
"""Assumed tokens of a judge's answer: its reasoning and grades."""


@dataclass(slots=True)
class AskedEstimate:
    """Number of requests to models with roles, with their tokens and cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    """US dollars; None without a price."""

    def __add__(self, other: AskedEstimate) -> AskedEstimate:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return AskedEstimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            sum(costs) if costs else None,
        )

    def to_json(self) -> dict[str, object]:
        """Return it as JSON."""
        return asdict(self)


class AskingEstimator:
    """Adds up the requests that the checkers and the simulated user of one test would send."""

    def __init__(self, spec: Spec, options: RunOptions, settings: Settings) -> None:
        """Args:
        spec: the test.
        options: the run's options.
        settings: the workspace's settings.
        """
        checkers = asking_checkers(spec)
        self.total = AskedEstimate()
        self._judge = Judge(checkers) if checkers else None
        self._roles, self._needed = roles_of(options, settings), spec.roles
        self._prices = Prices(settings, options)

    def add(self, instance: Instance, conversations: Sequence[Conversation], times: int) -> None:
        """Add the questions about an instance. Further questions, which depend on the answers,
        can't be known.

        Args:
            instance: the instance.
            conversations: its conversations.
            times: how often it runs.
        """
        for conversation in conversations:
            if conversation.user is not None and conversation.user.role in self._needed:
                messages = seen_by_user(conversation.user, conversation.messages)
                for _ in range(conversation.user.max_turns):
                    messages += (Message(TYPICAL_ANSWER), Message(TYPICAL_ANSWER))
                    self.total += self._taken(Question(conversation.user.role, messages), times)
        if self._judge is None:
            return
        recorded = instance.recorded.responses if instance.recorded else ()
        runs = tuple(
            _transcript(conversation, recorded[n] if n < len(recorded) else None)
            for n, conversation in enumerate(conversations)
        )
        answers = Answers()
        context = CheckContext(
            runs, instance.parameters, instance.reference, instance.args, recorded=recorded
        )
        self._judge.judge(replace(context, answers=answers))
        for question in answers.missing.values():
            self.total += self._taken(question, times)

    def _taken(self, question: Question, times: int) -> AskedEstimate:
        if question.text is None:
            prompt = round(expected_tokens(ChatRequest(question.messages)))
            usage = Usage(prompt * times, TYPICAL_VERDICT_TOKENS * times)
        else:
            usage = Usage((len(question.text) // BYTES_PER_TOKEN + 1) * times, 0)
        model = self._roles.get(question.role)
        price = None if model is None else self._prices.of(model, is_role=True)
        cost = cost_of(usage, price)
        return AskedEstimate(times, usage.prompt_tokens, usage.completion_tokens, cost)


def _transcript(conversation: Conversation, recorded: Any) -> Transcript:
    """Return a conversation with the recorded answers, or typical ones."""
    messages, turns = list(conversation.messages), conversation.open_turns
    answers = [recorded] if isinstance(recorded, str) else list((recorded or {}).values())
    for index, text in zip(
        turns, [*[TYPICAL_ANSWER] * (len(turns) - len(answers)), *answers], strict=False
    ):
        messages[index] = replace(messages[index], content=str(text))
    if not messages:
        messages = [Message(str(conversation.prompt or "")), Message(TYPICAL_ANSWER)]
    return Transcript(tuple(messages), (), conversation.name, tuple(turns))
