"""How a model is asked: one text, one text per label, or a dialogue turn by turn.

Each inferencer is a value with the arguments of `infer_cfg.inferencer`, and knows by itself what
becomes of a row. Nothing here calls a model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from lve.documents.json_types import json_type
from lve.errors import TemplateError
from lve.prompts.conversation import Conversation
from lve.prompts.templates.dialogue import Dialogue, Mark, Prompt, Row
from lve.prompts.templates.fallback import shared_beginning
from lve.prompts.templates.prompt_writer import PromptWriter
from lve.prompts.templates.raw import RawMessages
from lve.prompts.templates.turns import (
    ChatTurns,
    open_conversation,
    scored_conversation,
)

INFER_MODES = ("every", "every_with_gt", "last")


@dataclass(frozen=True)
class RenderedRow:
    """What one row becomes, stage by stage."""

    retrieved: Sequence[int]
    ice: Prompt
    prompts: Sequence[tuple[Any, Prompt]]
    """Label (None: a generation) and prompt before the meta template."""
    inputs: Sequence[Any]
    """What the model receives, one per prompt; for a dialogue, one per request."""


class Inferencer(ABC):
    """How the rows of a test are asked. Its fields are the arguments in the test document."""

    scores: ClassVar[bool] = False
    """Whether it has a prompt per label rated."""
    uses_first_label: ClassVar[bool] = False
    """Whether it takes, of a template per label, the first one only."""
    gen_field_replace_token: Any = ""
    """Stands where the answer would."""
    labels: Sequence[Any] | None = None
    fallback: Literal["generate"] | None = None

    @abstractmethod
    def conversations(
        self, writer: PromptWriter, row: Row, positions: Sequence[int]
    ) -> Sequence[Conversation]:
        """Return what has to be asked for a row.

        Args:
            writer: writes its prompts.
            row: its cells.
            positions: of its examples.

        Raises:
            PromptError: the row can't be rendered.
        """

    @abstractmethod
    def rendered(self, writer: PromptWriter, row: Row, positions: Sequence[int]) -> RenderedRow:
        """Return what a row becomes; answers of the model are taken to be empty.

        Arguments and errors as `conversations`.
        """


@dataclass(frozen=True)
class GenInferencer(Inferencer):
    """Ask for a continuation."""

    uses_first_label = True

    gen_field_replace_token: Any = ""
    max_seq_len: int | None = None
    max_out_len: int | None = None
    stopping_criteria: Sequence[str] = ()
    min_out_len: int | None = None
    multiround: bool = False
    """Fill each empty assistant message of raw messages in turn."""

    def conversations(
        self, writer: PromptWriter, row: Row, positions: Sequence[int]
    ) -> Sequence[Conversation]:
        """Return one conversation."""
        prompt = writer.prompt(row, positions, self.max_seq_len)
        if self.multiround:
            return _rounds(prompt, writer, row).conversations()
        return (open_conversation(writer.received(prompt, row), writer.model),)

    def rendered(self, writer: PromptWriter, row: Row, positions: Sequence[int]) -> RenderedRow:
        """Return the prompt and what the model receives."""
        prompt = writer.prompt(row, positions, self.max_seq_len)
        ice = writer.context.ice(positions)
        if self.multiround:
            inputs = _rounds(prompt, writer, row).inputs()
        else:
            inputs = [writer.received(prompt, row)]
        return RenderedRow(positions, ice, [(None, prompt)], inputs)


def _rounds(chat: Sequence[Any], writer: PromptWriter, row: Row) -> ChatTurns:
    """Return the dialogue in which the model writes the empty assistant messages."""
    places = [
        n
        for n, message in enumerate(chat)
        if isinstance(message, Mapping)
        and message.get("role") == "assistant"
        and not message.get("content", "")
    ]

    def write(said: Sequence[Mapping[str, Any]]) -> Any:
        return writer.received(RawMessages(said), row)

    return ChatTurns(chat, places, "content", write, writer.model, own_answers=True)


@dataclass(frozen=True)
class PPLInferencer(Inferencer):
    """Choose the label whose prompt has the lowest perplexity."""

    scores = True

    labels: Sequence[Any] | None = None
    max_seq_len: int | None = None
    fallback: Literal["generate"] | None = None
    """`generate`: where the model gives no log-probabilities, ask for an answer instead."""

    def conversations(
        self, writer: PromptWriter, row: Row, positions: Sequence[int]
    ) -> Sequence[Conversation]:
        """Return a conversation per label; or one, with a chat model, which can't rate."""
        prompts = writer.label_prompts(row, positions, self.max_seq_len)
        inputs = _label_inputs(prompts, writer, row)
        if writer.model.kind != "lm":
            return [open_conversation(inputs[0], writer.model)]
        return [
            scored_conversation(label, received)
            for (label, _), received in zip(prompts, inputs, strict=True)
        ]

    def rendered(self, writer: PromptWriter, row: Row, positions: Sequence[int]) -> RenderedRow:
        """Return a prompt per label and what the model receives."""
        prompts = writer.label_prompts(row, positions, self.max_seq_len)
        inputs = _label_inputs(prompts, writer, row)
        return RenderedRow(positions, writer.context.ice(positions), prompts, inputs)


def _label_inputs(
    prompts: Sequence[tuple[Any, Prompt]], writer: PromptWriter, row: Row
) -> list[Any]:
    """Return the input per label; of a chat model the question alone."""
    if writer.model.kind != "lm":
        return [writer.received(shared_beginning([prompt for _, prompt in prompts]), row)]
    return [writer.model.parse(prompt, "ppl", row) for _, prompt in prompts]


@dataclass(frozen=True)
class LLInferencer(PPLInferencer):
    """Choose the label whose text the model finds most likely (highest log-likelihood)."""


@dataclass(frozen=True)
class CLPInferencer(LLInferencer):
    """Choose the label to whose first token the model gives the highest probability."""


@dataclass(frozen=True)
class MultiTurnGenInferencer(Inferencer):
    """Ask turn by turn (AISBench); `infer_mode` says what stands where the model has spoken."""

    infer_mode: Any = "every"
    gen_field_replace_token: Any = ""
    max_out_len: int | None = None
    stopping_criteria: Sequence[str] = ()

    def conversations(
        self, writer: PromptWriter, row: Row, positions: Sequence[int]
    ) -> Sequence[Conversation]:
        """Return the dialogue, or a conversation per turn whose history is given."""
        return self._turns(writer.prompt(row, positions), writer, row).conversations()

    def rendered(self, writer: PromptWriter, row: Row, positions: Sequence[int]) -> RenderedRow:
        """Return the whole dialogue and the request of each turn."""
        prompt = writer.prompt(row, positions)
        inputs = self._turns(prompt, writer, row).inputs()
        return RenderedRow(positions, writer.context.ice(positions), [(None, prompt)], inputs)

    def _turns(self, prompt: Prompt, writer: PromptWriter, row: Row) -> ChatTurns:
        """Return the turns of BOT (`last`: only the last one)."""
        _check_mode(self.infer_mode)
        dialogue: Dialogue = prompt if isinstance(prompt, list) else []
        if Mark("round", True) not in dialogue:
            raise TemplateError("MultiTurnGenInferencer needs a dialogue template", stage="infer")
        start = dialogue.index(Mark("round", True)) + 1
        stop = dialogue.index(Mark("round", False))
        chat = dialogue[start:stop]
        places = [n for n, message in enumerate(chat) if _role(message) == "BOT"]

        def write(said: Sequence[Mapping[str, Any]]) -> Any:
            return _received([*dialogue[:start], *said, *dialogue[stop:]], writer, row)

        own_answers = self.infer_mode == "every"
        places = _last(places) if self.infer_mode == "last" else places
        return ChatTurns(chat, places, "prompt", write, writer.model, own_answers)


@dataclass(frozen=True)
class ChatInferencer(Inferencer):
    """Ask turn by turn (OpenCompass), with a chat made from the row's columns."""

    infer_mode: Any = "last"
    max_out_len: int = 512

    def conversations(
        self, writer: PromptWriter, row: Row, positions: Sequence[int]
    ) -> Sequence[Conversation]:
        """Return the chat, or a conversation per turn whose history is given."""
        return self._turns(writer.chat(row), writer).conversations()

    def rendered(self, writer: PromptWriter, row: Row, positions: Sequence[int]) -> RenderedRow:
        """Return the chat and the request of each turn; it has no examples."""
        chat = writer.chat(row)
        return RenderedRow(positions, "", [(None, chat)], self._turns(chat, writer).inputs())

    def _turns(self, chat: Sequence[Mapping[str, Any]], writer: PromptWriter) -> ChatTurns:
        """Return the turns of the assistant (`last`: only the last one)."""
        _check_mode(self.infer_mode)
        places = [n for n, message in enumerate(chat) if message.get("role") == "assistant"]
        places = _last(places) if self.infer_mode == "last" else places
        write = writer.model.chat().parse
        own_answers = self.infer_mode == "every"
        return ChatTurns(chat, places, "content", write, writer.model, own_answers)


INFERENCERS: Mapping[str, type[Inferencer]] = {
    "GenInferencer": GenInferencer,
    "PPLInferencer": PPLInferencer,
    "LLInferencer": LLInferencer,
    "CLPInferencer": CLPInferencer,
    "MultiTurnGenInferencer": MultiTurnGenInferencer,
    "ChatInferencer": ChatInferencer,
}
PLUMBING = ("batch_size", "save_every", "output_json_filepath", "output_json_filename")
"""Arguments that say how upstream runs and stores; accepted without effect."""


def make_inferencer(config: Any) -> Inferencer:
    """Return the inferencer that `infer_cfg.inferencer` describes.

    Raises:
        TemplateError: stage `infer`.
    """
    if not isinstance(config, Mapping):
        raise TemplateError(
            f"`inferencer` must be an object, not {json_type(config)}", stage="infer"
        )
    name = str(config.get("type", "GenInferencer")).rsplit(".", 1)[-1]
    if name not in INFERENCERS:
        raise TemplateError(
            f"there is no inferencer {name!r}; there are {', '.join(INFERENCERS)}", stage="infer"
        )
    kind: Any = INFERENCERS[name]
    known = [f.name for f in fields(kind)]
    arguments = {k: v for k, v in config.items() if k != "type" and k not in PLUMBING}
    unknown = [key for key in arguments if key not in known]
    if unknown:
        raise TemplateError(
            f"{name} has no argument {unknown[0]!r}; it has {', '.join(known)}", stage="infer"
        )
    made: Inferencer = kind(**arguments)
    return made


def _received(dialogue: Dialogue, writer: PromptWriter, row: Row) -> Any:
    try:
        return writer.received(dialogue, row)
    except TemplateError as error:
        raise TemplateError(str(error), stage="infer") from error


def _role(message: Mapping[str, Any]) -> Any:
    if "role" not in message:
        raise TemplateError("a message of the dialogue has no `role`", stage="infer")
    return message["role"]


def _last(turns: Sequence[int]) -> list[int]:
    if not turns:
        raise TemplateError("the dialogue has no turn of the model", stage="infer")
    return [turns[-1]]


def _check_mode(mode: Any) -> None:
    if mode not in INFER_MODES:
        raise TemplateError(
            f"infer_mode {mode!r} is none of {', '.join(INFER_MODES)}", stage="infer"
        )
