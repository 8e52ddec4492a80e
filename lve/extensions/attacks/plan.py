"""The prompts of a test as an attack changes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from lve.data_classes import dataclass
from lve.errors import Problem, PromptError, SpecError, UnavailableError
from lve.extensions.attacks.attackers.attacker import recorded_message
from lve.extensions.attacks.attackers.conversations import attacker, translating
from lve.extensions.attacks.by_name import ATTACKS, IMAGE, NONE, attacked, attacked_row
from lve.extensions.attacks.document_keys import BENIGN, attacks_of
from lve.extensions.attacks.text_changes.images import image_parts
from lve.extensions.attacks.texts import attacked_text, with_image, with_text
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.conversation import Conversation, Plan
from lve.prompts.messages.plan import MessagePlan
from lve.sessions.journal.checker_answers import answers_of_recording
from lve.spec.spec import Instance, Spec
from lve.workspace import display_path


@dataclass(init=False, repr=False, eq=False, frozen=True, slots=True)
class AttackedPlan:
    """A `Plan` whose conversations have an attacked text: the last one of the user before the
    model's first answer, or the value of a parameter."""

    plan: Plan
    translation: str | None
    asks_for: ClassVar[None] = None
    rows: ClassVar[None] = None

    def __init__(self, plan: Plan, translation: str | None = None) -> None:
        """Args:
        plan: of a test that is an attack.
        translation: of the text, if the attack is one; None: the one recorded with a row.
        """
        object.__setattr__(self, "plan", plan)
        object.__setattr__(self, "translation", translation)

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
        conversations = self.plan.preview(instance)
        if name in ATTACKS and (language := ATTACKS[name].language) is not None:
            return [self._translated(each, language, instance) for each in conversations]
        turns = attacks_of(self.spec).turns
        return [_attacked_conversation(each, name, turns) for each in conversations]

    def _translated(
        self, conversation: Conversation, language: str, instance: Instance
    ) -> Conversation:
        text, recorded = self.translation, instance.recorded
        if text is None and recorded is not None:
            request = attacked_text(conversation)
            asked, answers = translating(request, language), answers_of_recording(recorded.asked)
            text = recorded_message(asked, request, answers)
        conversation = replace(conversation, user=None)
        return conversation if text is None else with_text(conversation, lambda _: text)


def attacked_plan(plan: Plan) -> Plan:
    """Return the plan of a test as its attack changes it.

    Raises:
        SpecError: the prompts come from the templates of a data set.
        UnavailableError: the attack can't be made on prompts of this kind.
    """
    if plan.spec.attack in (NONE, BENIGN):
        return plan
    if plan.rows is not None:
        message = "attacks change prompts of lve's own and prompt objects, not `infer_cfg`"
        raise SpecError([Problem(message, display_path(plan.spec.file), code="attacks")])
    attack = ATTACKS.get(plan.spec.attack or "")
    if attack is not None and attack.asks and isinstance(plan, MessagePlan):
        runs = sum(prompt.repetitions for prompt in plan.prompts)
        turns = len(Conversation(plan.prompts[0].messages).open_turns)
        if runs > 1 or (attack.is_fresh and turns > 1):
            what = f"{runs} runs" if runs > 1 else f"{turns} turns of the model"
            one = "run" if runs > 1 else "turn"
            message = f"{plan.spec.attack} attacks tests with one {one}, and this one has {what}"
            raise UnavailableError(message, code="attacks")
    return AttackedPlan(plan)


def _with_parameter(
    parameters: Mapping[str, object], parameter: str, name: str
) -> dict[str, object]:
    if parameter not in parameters:
        message = f"the row has no value for `{parameter}`, which attacks change"
        raise PromptError(message, code="attacks")
    return {**parameters, parameter: attacked_row(str(parameters[parameter]), name)}


def _attacked_conversation(
    conversation: Conversation, name: str, turns: int | None
) -> Conversation:
    """Return a conversation whose text is attacked, and that an attacker goes on with, if the
    attack has one."""
    attack = ATTACKS.get(name)
    if attack is not None and attack.method is not None:
        instructions, goal = attack.instructions or "", attacked_text(conversation)
        user = attacker(instructions, goal, turns or attack.turns)
        conversation = replace(conversation, user=user._replace(is_fresh=attack.is_fresh))
    if name.split("+")[-1] == IMAGE:
        return with_image(conversation, lambda text: image_parts(attacked_row(text, name)))
    text = attacked_text(conversation)
    changed = attacked_row(text, name)
    return with_text(conversation, lambda part: changed if part == text else attacked(part, name))
