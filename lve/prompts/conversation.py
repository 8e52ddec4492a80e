"""What all dialects have in common: conversations with open turns, and the plans that make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lve.data_classes import dataclass
from lve.errors import Problem
from lve.messages import Message, Role
from lve.named_tuples import NamedTuple
from lve.prompts.size import MAX_INSTANCE_CHARACTERS, CharacterBudget, message_size
from lve.spec.simulated_user import SimulatedUser
from lve.spec.spec import Instance, Spec

if TYPE_CHECKING:
    from lve.models.token_scores import ScoredToken
    from lve.prompts.answers.answer_format import JsonAnswer
    from lve.prompts.tools.toolbox import Toolbox

Result = TypeVar("Result")

RESPONSE = "response"
"""Variable of the last answer, where the test names none."""


class TurnRequest(NamedTuple):
    """What a model receives in one turn of a dialogue."""

    messages: tuple[Message, ...]
    prompt: str | None = None
    """The messages as one text, for a model of kind `lm`."""

    def new_messages(self, before: TurnRequest | None, answer: str) -> tuple[Message, ...]:
        """Return the messages that this request adds to the previous one and its answer.

        All messages, if this request doesn't begin with those of the previous one.

        Args:
            before: the previous request; None if this is the first.
            answer: the model's answer to it.
        """
        if before is None:
            return self.messages
        if self.prompt is not None and before.prompt is not None:
            return (Message(self.prompt.removeprefix(before.prompt + answer)),)
        common = len(before.messages)
        goes_on = len(self.messages) > common and self.messages[:common] == before.messages
        return self.messages[common + 1 :] if goes_on else self.messages


class Turns(Protocol):
    """A dialogue in which each request depends on the model's answers so far."""

    def __len__(self) -> int:
        """Return the number of requests."""
        ...

    def request(self, answers: Sequence[str]) -> TurnRequest:
        """Return the request that follows these answers.

        Raises:
            PromptError: an answer can't be inserted into the request.
        """
        ...


class MessagesWithAnswers(Protocol):
    """The messages of a conversation that contain earlier answers of the model."""

    def between(self, start: int, end: int) -> Sequence[int]:
        """Return the indexes of such messages from `start` up to, but not including, `end`."""
        ...

    def filled(self, index: int, message: Message, answers: Mapping[str, str]) -> Message:
        """Return a message with the answers inserted.

        Args:
            index: of the message in the conversation.
            message: the message at that index, whose files have been described.
            answers: variable -> text, of the answers before it.

        Raises:
            PromptError: an answer doesn't fit its format spec, or the message gets too long.
        """
        ...


def turn_variable(number: int, turns: int) -> str:
    """Return the variable of an answer: `turn_1`, `turn_2`, ..., and `response` for the last one.

    Args:
        number: of the answer, from 0.
        turns: number of answers.
    """
    return RESPONSE if number == turns - 1 else f"turn_{number + 1}"


@dataclass(slots=True)
class Conversation:
    """The messages of one run, filled with the parameters, with at least one open turn."""

    messages: tuple[Message, ...]
    """The last one is an open turn. Empty if `turns` writes them."""
    name: str | None = None
    prompt: str | None = None
    """The messages before the open turn as one text, for a model of kind `lm`."""
    score: bool = False
    """Whether the model rates `prompt` instead of continuing it."""
    answer: JsonAnswer | None = None
    """The format of the last answer; None if any text will do."""
    with_answers: MessagesWithAnswers | None = None
    """Fills the messages that contain earlier answers. `messages` has these as `{variable}`."""
    turns: Turns | None = None
    """Writes each request. None: a request is `messages` up to the open turn."""
    has_files: bool = False
    """Whether messages name files of the test folder, whose content has to be sent."""
    is_text: bool = False
    """Whether no message has a file or an address. False if that hasn't been checked."""
    toolbox: Toolbox | None = None
    """The tools that the model may call."""
    user: SimulatedUser | None = None
    """Continues the conversation after the last answer; its instructions are filled."""
    has_one_turn: bool = False
    """Whether its only open turn is the last message, and all its messages are texts. False if that
    hasn't been checked."""

    @property
    def asks_once(self) -> bool:
        """Whether one request gives all of its answers."""
        return (
            self.has_one_turn and self.answer is None and self.toolbox is None and self.user is None
        )

    @property
    def open_turns(self) -> tuple[int, ...]:
        """Indexes of the turns that the model fills, in order."""
        # An open turn has no content, and asking that first saves a call for most messages.
        return tuple([i for i, m in enumerate(self.messages) if m.content is None and m.is_open])


def previewed(conversation: Conversation) -> Conversation:
    """Return a conversation with all its requests written as if every answer were empty.

    Raises:
        PromptError: a request can't be written, or all requests together are too long.
    """
    turns = conversation.turns
    if turns is None:
        return conversation
    messages: list[Message] = []
    before, budget = None, CharacterBudget(MAX_INSTANCE_CHARACTERS)
    for number in range(len(turns)):
        request = turns.request([""] * number)
        budget.take(sum(map(message_size, request.messages)))
        messages += request.new_messages(before, "")
        messages.append(Message(role=Role.assistant, variable=turn_variable(number, len(turns))))
        before = request
    return Conversation(tuple(messages), conversation.name)


class Ask(Protocol):
    """Sends requests for a plan, through the engine's cache, budget and limits."""

    async def embed(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return a vector per text.

        Raises:
            TemplateError: the model doesn't give them.
            BudgetError: the session's budget is used up.
            Stopped: the session stops sending.
        """
        ...

    async def score(self, model: str, texts: Sequence[str]) -> Sequence[tuple[ScoredToken, ...]]:
        """Return the rated tokens of each text; errors as `embed`."""
        ...

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Run a long computation in a thread and return its result.

        Raises:
            Stopped: the session stops; the result is discarded.
        """
        ...


class RowPlan(Protocol):
    """What the plan of a data set's rows can do beyond `Plan`."""

    @property
    def spec(self) -> Spec: ...

    @property
    def trace(self) -> bool:
        """Whether rendered texts have the origin of each character."""
        ...

    async def conversations(self, instance: Instance, ask: Ask | None) -> Sequence[Conversation]:
        """Return one conversation per run, in order (repetitions written out).

        Args:
            instance: fills the prompts.
            ask: sends requests to models to choose examples. None: nothing may be sent.

        Raises:
            PromptError: a parameter is missing or can't be formatted, or a model is needed and
                `ask` is None.
            BudgetError, Stopped: as `Ask.embed`.
        """
        ...

    async def examples(self, instance: Instance, ask: Ask | None) -> Sequence[int]:
        """Return the positions of a row's examples. Arguments as `conversations`."""
        ...

    def preview(
        self, instance: Instance, examples: Sequence[int] | None = None
    ) -> Sequence[Conversation]:
        """Return `Plan.preview` with the examples at these positions; None: without those that a
        model would choose."""
        ...

    def view(self, instance: Instance, examples: Sequence[int] | None = None) -> dict[str, Any]:
        """Return all stages of rendering a row, as JSON for `lve render`. Arguments and errors as
        `preview`."""
        ...

    def lines(self, instance: Instance, examples: Sequence[int] | None = None) -> Iterator[str]:
        """Yield what `lve render` shows before a row's conversations, or instead of them if texts
        have their origin (`trace`). Arguments and errors as `preview`."""
        ...

    def row_warnings(self, instance: Instance) -> Sequence[Problem]:
        """Return the warnings about the data of a row and of the examples rendered with it."""
        ...


class Plan(Protocol):
    """A test whose prompts have been read and checked."""

    @property
    def spec(self) -> Spec: ...

    @property
    def warnings(self) -> Sequence[Problem]:
        """Problems of the prompts that don't prevent a run."""
        ...

    @property
    def asks_for(self) -> str | None:
        """What a model has to provide so that examples can be chosen, such as `vectors of MODEL`;
        None if no model is needed."""
        ...

    @property
    def rows(self) -> RowPlan | None:
        """The plan itself if its instances are rows of a data set that fill templates."""
        ...

    @property
    def answer(self) -> JsonAnswer | None:
        """The format of the last answer of each run; None if any text will do."""
        ...

    def preview(self, instance: Instance) -> Sequence[Conversation]:
        """Return the conversations as far as they are known without sending anything.

        Examples that a model would choose are left out, and the model's earlier answers are empty.

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        ...
