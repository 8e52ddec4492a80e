"""Inferencers that choose the text that the model finds most likely: a label's, or a choice's."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
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
from lve.named_tuples import NamedTuple
from lve.prompts.size import MAX_RUNS


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


CHOICES = "choices"
"""The column with the choices of a row."""


class RowChoice(NamedTuple):
    """A choice of a row."""

    text: str
    """What is rated after the prompt."""
    before: str = ""
    """A text between the prompt and the choice that isn't rated."""
    name: str = ""
    """The text whose length counts."""


def row_choices(row: Mapping[str, object], delimiter: str) -> list[RowChoice]:
    """Return the choices of a row: texts, or objects `{text, before, name}`.

    Args:
        row: column -> value.
        delimiter: stands before each choice and is rated with it; it isn't part of its length.

    Raises:
        TemplateError: the row has none, or too many; stage `infer`.
    """
    column = row.get(CHOICES)
    choices = [_choice(item, delimiter) for item in column] if isinstance(column, list) else []
    if not choices or None in choices:
        raise TemplateError(
            f"ChoicesInferencer rates the column `{CHOICES}` of each row, which must be a list of "
            "texts, or of objects with `text`",
            stage="infer",
        )
    if len(choices) > MAX_RUNS:
        raise TemplateError(
            f"there can be at most {MAX_RUNS:,} choices, not {len(choices):,}", stage="infer"
        )
    return [choice for choice in choices if choice is not None]


def _choice(item: object, delimiter: str) -> RowChoice | None:
    fields = item if isinstance(item, Mapping) else {"text": item}
    text, before = fields.get("text"), fields.get("before", "")
    name = fields.get("name", text)
    if not isinstance(text, str) or not isinstance(before, str) or not isinstance(name, str):
        return None
    return RowChoice(delimiter + text, before, name) if text or delimiter else None


@dataclass(frozen=True)
class ChoicesInferencer(Inferencer):
    """Rates each of the texts in the row's column `choices` after the prompt. Their labels are
    their places in the list, from 0."""

    scores = True
    uses_first_label = True

    delimiter: str = ""
    """A text before each choice."""
    begin: str = ""
    """What stands before a text with nothing before it, so that its first token is rated, too:
    the model's first token, such as `<|endoftext|>`."""
    max_seq_len: int | None = None
    fallback: Literal["generate"] | None = None

    def check(self, data: TemplateData) -> None:
        """Refuse a data set without the column."""
        if data.test.columns and CHOICES not in data.test.columns:
            raise TemplateError(
                f"ChoicesInferencer rates the column `{CHOICES}`, and the rows have none",
                stage="infer",
            )

    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return the prompt followed by each choice; for a chat model, only the prompt."""
        prompt = writer.prompt(row, examples, self.max_seq_len)
        received = writer.received(prompt, row)
        choices = row_choices(row, self.delimiter)
        if writer.model.kind != "lm" or not isinstance(received, str):
            return RowRequests([(None, prompt)], Question(received, writer.model))
        texts = [
            (
                place,
                concat(
                    [received or ("" if choice.before else self.begin), choice.before, choice.text],
                    stage="infer",
                ),
            )
            for place, choice in enumerate(choices)
        ]
        return RowRequests([(None, prompt)], ScoredTexts(texts, [received], writer.model))
