"""Writes chat messages as one text, with a meta template for models of kind `lm`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lve.extensions.opencompass.dialogue import CHAT_ROLES, Dialogue, Mark
from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.extensions.opencompass.formats.well_known import CHAT_FORMATS
from lve.messages import Message, Role
from lve.models.text_only import text_of
from lve.settings.model_settings import ModelSettings

ROLE_OF = {chat_role: role for role, chat_role in CHAT_ROLES.items()}


def chat_writer(model: ModelSettings | None) -> Callable[[Sequence[Message]], str] | None:
    """Return a function that writes messages as one text with the model's meta template; None if
    the model has none, or takes chat messages (`kind: api`).

    Raises:
        TemplateError: the meta template is invalid, stage `model`.
    """
    if model is None or model.meta_template is None or model.kind == "api":
        return None
    if model.meta_template in CHAT_FORMATS:
        return None
    form = ModelFormat("lm", model.meta_template)

    def write(messages: Sequence[Message]) -> str:
        return str(form.parse(_dialogue(messages), "gen", {}))

    return write


def _dialogue(messages: Sequence[Message]) -> Dialogue:
    """Return the messages as a dialogue of HUMAN, BOT and SYSTEM that ends with a turn of BOT."""
    spoken = [_spoken(message) for message in messages]
    # Meta templates allow SYSTEM only at the beginning; later on it becomes HUMAN.
    first = next((n for n, m in enumerate(messages) if m.role is not Role.system), len(messages))
    beginning: Dialogue = [Mark("begin", True), *spoken[:first], Mark("begin", False)]
    turns: Dialogue = [*spoken[first:], {"role": "BOT", "prompt": ""}]
    return [*beginning, Mark("round", True), *turns, Mark("round", False)]


def _spoken(message: Message) -> dict[str, str]:
    item = {"role": ROLE_OF[message.role.value], "prompt": text_of(message)}
    return {**item, "fallback_role": "HUMAN"} if message.role is Role.system else item
