"""Asking for a continuation: `GenInferencer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lve.prompts.templates.dialogue import Cells, DialogueMessage, PromptBody
from lve.prompts.templates.formats.model_format import Received
from lve.prompts.templates.inferencers.inferencer import Inferencer, RowRequests
from lve.prompts.templates.raw import RawMessages
from lve.prompts.templates.rows.row_writer import RowWriter
from lve.prompts.templates.turns import Asked, ChatTurns, Question


@dataclass(frozen=True)
class GenInferencer(Inferencer):
    """Ask for a continuation."""

    uses_first_label = True

    gen_field_replace_token: str | None = ""
    max_seq_len: int | None = None
    max_out_len: int | None = None
    stopping_criteria: Sequence[str] = ()
    min_out_len: int | None = None
    multiround: bool = False
    """Fill each empty assistant message of raw messages in turn."""

    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return the one question, or the turns of a dialogue."""
        prompt = writer.prompt(row, examples, self.max_seq_len)
        asked: Asked
        if self.multiround:
            asked = _rounds(prompt, writer, row)
        else:
            asked = Question(writer.received(prompt, row), writer.model)
        return RowRequests([(None, prompt)], asked)


def _rounds(prompt: PromptBody, writer: RowWriter, row: Cells) -> ChatTurns:
    """Return the dialogue in which the model writes the empty assistant messages."""
    chat: Sequence[Any] = prompt if isinstance(prompt, list) else ()
    places = [
        n
        for n, message in enumerate(chat)
        if isinstance(message, Mapping)
        and message.get("role") == "assistant"
        and not message.get("content", "")
    ]

    def write(said: Sequence[DialogueMessage]) -> Received:
        return writer.received(RawMessages(said), row)

    return ChatTurns(chat, places, "content", write, writer.model, own_answers=True)
