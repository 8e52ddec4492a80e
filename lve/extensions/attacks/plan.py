"""The prompts of a test as an attack changes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from lve.data_classes import dataclass
from lve.errors import Problem, PromptError, SpecError
from lve.extensions.attacks.by_name import ATTACKS, NONE, attacked
from lve.extensions.attacks.conversations import attacker
from lve.extensions.attacks.document_keys import BENIGN, attacks_of
from lve.messages import Message, Part, Role
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.conversation import Conversation, Plan
from lve.prompts.size import MAX_CHARACTERS, message_size, too_long
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path

MAX_TEXT = 200_000
"""Characters of a text that is attacked. Longer ones take seconds, and no attack needs them."""


@dataclass(init=False, repr=False, eq=False, frozen=True, slots=True)
class AttackedPlan:
    """A `Plan` whose conversations have an attacked text: the last one of the user before the
    model's first answer, or the value of a parameter."""

    plan: Plan
    asks_for: ClassVar[None] = None
    rows: ClassVar[None] = None

    def __init__(self, plan: Plan) -> None:
        """Args:
        plan: of a test that is an attack.
        """
        object.__setattr__(self, "plan", plan)

    @property
    def spec(self) -> Spec:
        return self.plan.spec

    @property
    def warnings(self) -> Sequence[Problem]:
        return self.plan.warnings

    @property
    def answer(self) -> JsonAnswer | None:
        return self.plan.answer

    def preview(self, instance: Instance) -> Sequence[Conversation]:
        """Return `Plan.preview` with the attacked text.

        Raises:
            PromptError: also, if there is no text to attack, or it is too long.
        """
        name, parameter = self.spec.attack or "", attacks_of(self.spec).parameter
        if parameter is not None:
            changed = _with_parameter(instance.parameters, parameter, name)
            return self.plan.preview(replace(instance, parameters=changed))
        return [_with_text(conversation, name) for conversation in self.plan.preview(instance)]


def attacked_plan(plan: Plan) -> Plan:
    """Return the plan of a test as its attack changes it.

    Raises:
        SpecError: the prompts come from the templates of a data set.
    """
    if plan.spec.attack in (NONE, BENIGN):
        return plan
    if plan.rows is not None:
        message = "attacks change prompts of lve's own and prompt objects, not `infer_cfg`"
        raise SpecError([Problem(message, display_path(plan.spec.file), code="attacks")])
    return AttackedPlan(plan)


def _with_parameter(
    parameters: Mapping[str, object], parameter: str, name: str
) -> dict[str, object]:
    if parameter not in parameters:
        message = f"the row has no value for `{parameter}`, which attacks change"
        raise PromptError(message, code="attacks")
    return {**parameters, parameter: _attacked(str(parameters[parameter]), name)}


def _with_text(conversation: Conversation, name: str) -> Conversation:
    """Return a conversation whose last message of the user, before the first open turn, is
    attacked."""
    first = next(iter(conversation.open_turns), len(conversation.messages))
    messages = list(conversation.messages)
    for index in range(first - 1, -1, -1):
        changed = _with_content(messages[index], name)
        if messages[index].role is Role.user and changed is not None:
            conversation = _with_attacker(conversation, messages[index], name)
            messages[index] = changed
            if sum(map(message_size, messages)) > MAX_CHARACTERS:
                raise too_long(MAX_CHARACTERS)
            return replace(conversation, messages=tuple(messages))
    raise PromptError("there is no text of a user for an attack to change", code="attacks")


def _with_attacker(conversation: Conversation, message: Message, name: str) -> Conversation:
    """Return a conversation that an attacker goes on with, if the attack has one."""
    attack = ATTACKS.get(name)
    if attack is None or attack.instructions is None:
        return conversation
    content = message.content or ""
    texts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
    goal = "\n".join(text for text in texts if text)
    return replace(conversation, user=attacker(attack.instructions, goal))


def _with_content(message: Message, name: str) -> Message | None:
    """Return a message with attacked texts; None if it has no text."""
    content = message.content
    if content is None:
        return None
    if isinstance(content, str):
        return replace(message, content=_attacked(content, name)) if content else None
    if not any(isinstance(part.get("text"), str) for part in content):
        return None
    parts: list[Part] = [
        {**part, "text": _attacked(part["text"], name)}
        if isinstance(part.get("text"), str)
        else part
        for part in content
    ]
    return replace(message, content=tuple(parts))


def _attacked(text: str, name: str) -> str:
    if len(text) > MAX_TEXT:
        message = f"the text has {len(text):,} characters; attacks change at most {MAX_TEXT:,}"
        raise PromptError(message, code="attacks")
    return attacked(text, name)
