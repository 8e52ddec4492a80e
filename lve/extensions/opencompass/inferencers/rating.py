"""Inferencers that choose the label whose text the model finds most likely. One that can't score
labels is asked the question without an answer: the beginning that all their prompts share.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.extensions.opencompass.data.template_data import TemplateData
from lve.extensions.opencompass.dialogue import (
    Cells,
    Dialogue,
    DialogueItem,
    Mark,
    PromptBody,
    concat,
)
from lve.extensions.opencompass.formats.model_format import Received
from lve.extensions.opencompass.inferencers.inferencer import Inferencer, RowRequests
from lve.extensions.opencompass.rows.labels import CONTINUATION, choices_of
from lve.extensions.opencompass.rows.row_writer import RowWriter
from lve.extensions.opencompass.turns import Question, ScoredTexts


@dataclass(frozen=True)
class PPLInferencer(Inferencer):
    """Chooses the label whose prompt has the lowest perplexity."""

    scores = True
    scores_chats = True

    labels: Sequence[object] | None = None
    max_seq_len: int | None = None
    fallback: Literal["generate"] | None = None
    """`generate`: if the model gives no log-probabilities, ask it to generate an answer."""

    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return a text per label; for a chat model that can't score them, a single question."""
        prompts = writer.label_prompts(row, examples, self.max_seq_len)
        model = writer.model
        if model.kind != "lm" and not (self.scores_chats and model.scores_chats):
            question = shared_beginning([prompt for _, prompt in prompts])
            return RowRequests(prompts, Question(writer.received(question, row), model))
        texts = [(label, model.parse(prompt, "ppl", row)) for label, prompt in prompts]
        self.check_texts(texts, row)
        return RowRequests(prompts, ScoredTexts(texts, [text for _, text in texts], model))

    def check_texts(self, texts: Sequence[tuple[object, Received]], row: Cells) -> None:
        """Refuse texts (label, text) that can't be scored.

        Raises:
            TemplateError: stage `infer`.
        """


@dataclass(frozen=True)
class LikelihoodInferencer(PPLInferencer):
    """Chooses the label with the most likely ending: the part that the prompts of all labels don't
    have in common."""

    scores_chats = False


@dataclass(frozen=True)
class LLInferencer(PPLInferencer):
    """Chooses the label after whose prompt the text of the row's column `cont` is most likely."""

    scores_chats = False

    def check(self, data: TemplateData) -> None:
        """Refuse a data set without the column."""
        if data.test.columns and CONTINUATION not in data.test.columns:
            raise TemplateError(
                f"LLInferencer rates the column `{CONTINUATION}`, with which the prompts of all "
                "labels end, and the rows have none; LikelihoodInferencer rates what the labels "
                "don't share",
                stage="infer",
            )

    def check_texts(self, texts: Sequence[tuple[object, Received]], row: Cells) -> None:
        """Refuse texts that don't contain the column's text."""
        rated = row.get(CONTINUATION)
        for label, text in texts:
            if not isinstance(rated, str) or not rated or rated not in text:
                raise TemplateError(
                    f"the prompt of {label!r} doesn't show the column `{CONTINUATION}`, which "
                    "LLInferencer rates",
                    stage="infer",
                )


@dataclass(frozen=True)
class CLPInferencer(Inferencer):
    """Chooses among the texts in the first row's column `choices` the one whose first token is most
    likely after the prompt."""

    scores = True
    uses_first_label = True

    max_seq_len: int | None = None
    single_token: bool = True
    fallback: Literal["generate"] | None = None

    def check(self, data: TemplateData) -> None:
        """Refuse a data set without choices."""
        if not self.single_token:
            raise TemplateError("CLPInferencer compares single tokens only", stage="infer")
        choices_of(data)

    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return the prompt followed by each choice; for a chat model, only the prompt."""
        longest = self.max_seq_len - 1 if self.max_seq_len is not None else None
        prompt = writer.prompt(row, examples, longest)
        received = writer.received(prompt, row)
        if writer.model.kind != "lm" or not isinstance(received, str):
            return RowRequests([(None, prompt)], Question(received, writer.model))
        texts = [
            (choice, concat([received, choice], stage="infer"))
            for choice in choices_of(writer.data)
        ]
        return RowRequests([(None, prompt)], ScoredTexts(texts, [received], writer.model))


def shared_beginning(prompts: Sequence[PromptBody]) -> PromptBody:
    """Return the common beginning of prompts: of texts, or of dialogues with their marks closed."""
    texts = [prompt for prompt in prompts if isinstance(prompt, str)]
    if len(texts) == len(prompts):
        return _common(texts)
    result: Dialogue = []
    for items in zip(*prompts, strict=False):
        first = items[0]
        if not all(item == first for item in items):
            result += _shared_part(items)
            break
        result.append(first)
    return [*result, *_closing(result)]


def _shared_part(items: Sequence[DialogueItem]) -> Dialogue:
    """Return one message with the common beginning of these; none if roles or beginnings differ."""
    messages = [item for item in items if isinstance(item, dict)]
    role = messages[0].get("role") if messages else None
    if len(messages) < len(items) or any(message.get("role") != role for message in messages):
        return []
    shared = _common([message.get("prompt", "") for message in messages])
    return [{**messages[0], "prompt": shared}] if shared.strip() else []


def _common(texts: Sequence[str]) -> str:
    return texts[0][: shared_length(texts)]


def shared_length(texts: Sequence[str]) -> int:
    """Return the length of the common prefix of all texts, in characters."""
    first, last = min(texts), max(texts)
    longest = min(len(first), len(last))
    return bisect_left(range(longest), True, key=lambda end: first[: end + 1] != last[: end + 1])


def _closing(dialogue: Dialogue) -> Dialogue:
    """Return the marks that close the open sections of a dialogue."""
    marks = [item for item in dialogue if isinstance(item, Mark)]
    still_open = [m for m in marks if m.opens and Mark(m.section, False) not in marks]
    return [Mark(mark.section, False) for mark in reversed(still_open)]
