"""Asking for a continuation: `GenInferencer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lve.prompts.conversation import Conversation
from lve.prompts.templates.dialogue import Cells, DialogueMessage, PromptBody
from lve.prompts.templates.inferencers.inferencer import Inferencer, RenderedRow
from lve.prompts.templates.model_format import Received
from lve.prompts.templates.raw import RawMessages
from lve.prompts.templates.row_writer import RowWriter
from lve.prompts.templates.turns import ChatTurns, open_conversation


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

    def conversations(
        self, row: Cells, examples: Sequence[int], writer: RowWriter
    ) -> Sequence[Conversation]:
        """Return one conversation."""
        prompt = writer.prompt(row, examples, self.max_seq_len)
        if self.multiround:
            return _rounds(prompt, writer, row).conversations()
        return (open_conversation(writer.received(prompt, row), writer.model),)

    def rendered(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RenderedRow:
        """Return the prompt and what the model receives."""
        prompt = writer.prompt(row, examples, self.max_seq_len)
        ice = writer.prompts.ice(examples)
        if self.multiround:
            inputs = _rounds(prompt, writer, row).inputs()
        else:
            inputs = [writer.received(prompt, row)]
        return RenderedRow(examples, ice, [(None, prompt)], inputs)


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
