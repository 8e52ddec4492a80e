"""`GenInferencer`: the model continues the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.data_classes import dataclass
from lve.extensions.opencompass.dialogue import Cells, DialogueMessage, PromptBody
from lve.extensions.opencompass.formats.model_format import Received
from lve.extensions.opencompass.inferencers.inferencer import Inferencer, RowRequests
from lve.extensions.opencompass.raw import RawMessages
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
