"""From a test and an instance to the conversations that have to be held.

The one door between the dialects and the engine: whatever a test document says, `Plan` turns it
into conversations with open turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lve.messages import Message
from lve.spec.model import Instance, Spec


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages of one run, filled with the parameters, with at least one open turn."""

    messages: tuple[Message, ...]
    """The last one is an open turn."""
    name: str | None = None

    @property
    def open_turns(self) -> tuple[int, ...]:
        """Indexes of the turns that the model fills, in order."""
        return tuple(i for i, message in enumerate(self.messages) if message.is_open)


class Plan(Protocol):
    """A test whose prompts have been read and checked."""

    @property
    def spec(self) -> Spec: ...

    def conversations(self, instance: Instance) -> Sequence[Conversation]:
        """Return one conversation per run, in order (repetitions written out).

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        ...
