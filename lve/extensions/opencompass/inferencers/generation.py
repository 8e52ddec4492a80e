"""Inferencers that have the model continue: a prompt (`GenInferencer`), or a chat turn by turn
(`MultiTurnGenInferencer` of AISBench, `ChatInferencer` of OpenCompass).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import (
    Cells,
    Dialogue,
    DialogueItem,
    DialogueMessage,
    Mark,
    PromptBody,
)
from lve.extensions.opencompass.formats.model_format import Received
from lve.extensions.opencompass.inferencers.inferencer import Inferencer, RowRequests
from lve.extensions.opencompass.raw import RawMessages
from lve.extensions.opencompass.rows.chat_rows import Chat
from lve.extensions.opencompass.rows.row_writer import RowWriter
from lve.extensions.opencompass.turns import ChatTurns, Query, Question


@dataclass(frozen=True)
class GenInferencer(Inferencer):
    """Lets the model continue the prompt of a row."""

    uses_first_label = True

    gen_field_replace_token: str | None = ""
    max_seq_len: int | None = None
    max_out_len: int | None = None
    stopping_criteria: Sequence[str] = ()
    min_out_len: int | None = None
    multiround: bool = False
    """Whether the model writes each empty assistant message of raw messages, one after the other.
    """

    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return one question, or the turns of a chat."""
        prompt = writer.prompt(row, examples, self.max_seq_len)
        query: Query
        if self.multiround:
            query = _rounds(prompt, writer, row)
        else:
            query = Question(writer.received(prompt, row), writer.model)
        return RowRequests([(None, prompt)], query)


def _rounds(prompt: PromptBody, writer: RowWriter, row: Cells) -> ChatTurns:
    """Return the chat of which the model writes the empty assistant messages."""
    chat: Sequence[Any] = prompt if isinstance(prompt, list) else ()
    places = [
        n
        for n, message in enumerate(chat)
        if isinstance(message, Mapping)
        and message.get("role") == "assistant"
        and not message.get("content", "")
    ]

    def write(messages: Sequence[DialogueMessage]) -> Received:
        return writer.received(RawMessages(messages), row)

    return ChatTurns(chat, places, "content", write, writer.model, own_answers=True)


@dataclass(frozen=True)
class MultiTurnGenInferencer(Inferencer):
    """Asks turn by turn (AISBench), about the `round` of a dialogue template.

    With `infer_mode: every` later requests contain the model's own answers, with `every_with_gt`
    those of the data set; with `last` only the last turn is asked.
    """

    infer_mode: str = "every"
    gen_field_replace_token: str | None = ""
    max_out_len: int | None = None
    stopping_criteria: Sequence[str] = ()

    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return the turns of the chat."""
        prompt = writer.prompt(row, examples)
        return RowRequests([(None, prompt)], self._turns(prompt, writer, row))

    def _turns(self, prompt: PromptBody, writer: RowWriter, row: Cells) -> ChatTurns:
        """Return the turns of BOT; with `last` only the last one."""
        dialogue: Dialogue = prompt if isinstance(prompt, list) else []
        if Mark("round", True) not in dialogue:
            raise TemplateError("MultiTurnGenInferencer needs a dialogue template", stage="infer")
        start = dialogue.index(Mark("round", True)) + 1
        stop = dialogue.index(Mark("round", False))
        chat = list(map(_checked_message, dialogue[start:stop]))
        places = [n for n, message in enumerate(chat) if message["role"] == "BOT"]

        def write(messages: Sequence[DialogueMessage]) -> Received:
            return _received([*dialogue[:start], *messages, *dialogue[stop:]], writer, row)

        own_answers = self.infer_mode == "every"
        places = _last(places) if self.infer_mode == "last" else places
        return ChatTurns(chat, places, "prompt", write, writer.model, own_answers)


@dataclass(frozen=True)
class ChatInferencer(Inferencer):
    """Asks turn by turn (OpenCompass), in a chat that the row's columns make; `infer_mode` as in
    `MultiTurnGenInferencer`."""

    infer_mode: str = "last"
    max_out_len: int = 512

    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return the turns of the chat, which has no examples."""
        chat = writer.chat(row)
        turns = self._turns(chat, writer)
        return RowRequests([(None, RawMessages(chat))], turns, shows_examples=False)

    def _turns(self, chat: Chat, writer: RowWriter) -> ChatTurns:
        """Return the turns of the assistant; with `last` only the last one."""
        places = [n for n, message in enumerate(chat) if message.get("role") == "assistant"]
        places = _last(places) if self.infer_mode == "last" else places
        write = writer.model.chat().parse
        own_answers = self.infer_mode == "every"
        return ChatTurns(chat, places, "content", write, writer.model, own_answers)


def _received(dialogue: Dialogue, writer: RowWriter, row: Cells) -> Received:
    try:
        return writer.received(dialogue, row)
    except TemplateError as error:
        raise TemplateError(str(error), stage="infer") from error


def _checked_message(item: DialogueItem) -> DialogueMessage:
    if not isinstance(item, dict) or "role" not in item:
        raise TemplateError("a message of the dialogue has no `role`", stage="infer")
    return item


def _last(turns: Sequence[int]) -> list[int]:
    if not turns:
        raise TemplateError("the dialogue has no turn of the model", stage="infer")
    return [turns[-1]]
