"""What every dialect turns a test into: conversations with open turns."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Protocol

from lve.errors import Problem
from lve.messages import Message
from lve.prompts.ask import Ask
from lve.spec.model import Instance, Spec
from lve.value_object import value_object

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer

RESPONSE = "response"
"""Variable of the open turn that is appended."""


@value_object(frozen=True, slots=True)
class TurnRequest:
    """What a model receives in one turn of a dialogue."""

    messages: tuple[Message, ...]
    prompt: str | None = None
    """The messages as one text, for a model of kind `lm`."""
    new: tuple[Message, ...] = ()
    """What was not said in the turns before."""


TurnRequests = Generator[TurnRequest, str, None]
"""Writes the turns of a dialogue one after the other; is sent the model's answers."""


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
    requests: Callable[[], TurnRequests] | None = None
    """Writes what is sent in each turn, where the answers so far are woven into longer texts.
    `messages` then shows the dialogue as if all answers were empty. None: `messages` is sent."""

    @property
    def open_turns(self) -> tuple[int, ...]:
        """Indexes of the turns that the model fills, in order."""
        return tuple([i for i, message in enumerate(self.messages) if message.is_open])


class ExampleChooser(Protocol):
    """Chooses the examples of a test's instances with a model's help."""

    @property
    def needs(self) -> str:
        """What that takes, such as `vectors of openai/text-embedding-3-small`."""
        ...

    async def choose(self, instance: Instance, ask: Ask) -> Sequence[int]:
        """Return the positions of an instance's examples.

        Raises:
            TemplateError: they can't be chosen.
            BudgetError, Stopped: as `Ask.embed`.
        """
        ...

    async def conversations(self, instance: Instance, ask: Ask) -> Sequence[Conversation]:
        """Return the conversations of an instance with its examples.

        Raises:
            PromptError: as `Plan.conversations`.
            BudgetError, Stopped: as `Ask.embed`.
        """
        ...


class Plan(Protocol):
    """A test whose prompts have been read and checked."""

    @property
    def spec(self) -> Spec: ...

    @property
    def warnings(self) -> Sequence[Problem]:
        """What looks wrong in the prompts but doesn't keep them from being sent."""
        ...

    @property
    def chooser(self) -> ExampleChooser | None:
        """What chooses the instances' examples with a model's help; None where that takes none."""
        ...

    def conversations(self, instance: Instance) -> Sequence[Conversation]:
        """Return one conversation per run, in order (repetitions written out).

        Nothing is sent: examples that a model would have to choose are left out.

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        ...
