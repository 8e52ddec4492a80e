"""What every dialect turns a test into: conversations with open turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from lve.errors import Problem
from lve.messages import Message
from lve.spec.model import Instance, Spec
from lve.value_object import value_object

if TYPE_CHECKING:
    from lve.prompts.answer_format import JsonAnswer

RESPONSE = "response"
"""Variable of the open turn that is appended."""


@value_object(frozen=True, slots=True)
class Conversation:
    """Messages of one run, filled with the parameters, with at least one open turn."""

    messages: tuple[Message, ...]
    """The last one is an open turn."""
    name: str | None = None
    prompt: str | None = None
    """The messages before the open turn as one text, for a model of kind `lm`."""
    score: bool = False
    """Whether the model rates `prompt` instead of continuing it."""
    answer: JsonAnswer | None = None
    """What the last answer has to be; None if any text will do."""

    @property
    def open_turns(self) -> tuple[int, ...]:
        """Indexes of the turns that the model fills, in order."""
        return tuple([i for i, message in enumerate(self.messages) if message.is_open])


class Plan(Protocol):
    """A test whose prompts have been read and checked."""

    @property
    def spec(self) -> Spec: ...

    @property
    def warnings(self) -> Sequence[Problem]:
        """What looks wrong in the prompts but doesn't keep them from being sent."""
        ...

    def conversations(self, instance: Instance) -> Sequence[Conversation]:
        """Return one conversation per run, in order (repetitions written out).

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        ...
