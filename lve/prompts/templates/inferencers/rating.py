"""Choosing a label by how likely the model finds its prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lve.prompts.conversation import Conversation
from lve.prompts.templates.dialogue import Cells, PromptBody
from lve.prompts.templates.fallback import shared_beginning
from lve.prompts.templates.inferencers.inferencer import Inferencer, RenderedRow
from lve.prompts.templates.model_format import Received
from lve.prompts.templates.row_writer import RowWriter
from lve.prompts.templates.turns import open_conversation, scored_conversation


@dataclass(frozen=True)
class PPLInferencer(Inferencer):
    """Choose the label whose prompt has the lowest perplexity."""

    scores = True

    labels: Sequence[object] | None = None
    max_seq_len: int | None = None
    fallback: Literal["generate"] | None = None
    """`generate`: where the model gives no log-probabilities, ask for an answer instead."""

    def conversations(
        self, row: Cells, examples: Sequence[int], writer: RowWriter
    ) -> Sequence[Conversation]:
        """Return a conversation per label; a chat model can't rate and gets a single question."""
        prompts = writer.label_prompts(row, examples, self.max_seq_len)
        inputs = _label_inputs(prompts, writer, row)
        if writer.model.kind != "lm":
            return [open_conversation(inputs[0], writer.model)]
        return [
            scored_conversation(label, received)
            for (label, _), received in zip(prompts, inputs, strict=True)
        ]

    def rendered(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RenderedRow:
        """Return a prompt per label and what the model receives."""
        prompts = writer.label_prompts(row, examples, self.max_seq_len)
        inputs = _label_inputs(prompts, writer, row)
        return RenderedRow(examples, writer.prompts.ice(examples), prompts, inputs)


def _label_inputs(
    prompts: Sequence[tuple[object, PromptBody]], writer: RowWriter, row: Cells
) -> list[Received]:
    """Return the input per label; for a chat model, the question alone."""
    if writer.model.kind != "lm":
        return [writer.received(shared_beginning([prompt for _, prompt in prompts]), row)]
    return [writer.model.parse(prompt, "ppl", row) for _, prompt in prompts]


@dataclass(frozen=True)
class LLInferencer(PPLInferencer):
    """Choose the label whose text the model finds most likely (highest log-likelihood)."""


@dataclass(frozen=True)
class CLPInferencer(LLInferencer):
    """Choose the label to whose first token the model gives the highest probability."""
