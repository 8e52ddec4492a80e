"""The inferencer that rates the choices of each row after its prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.extensions.opencompass.data.template_data import TemplateData
from lve.extensions.opencompass.dialogue import Cells, concat
from lve.extensions.opencompass.inferencers.inferencer import Inferencer, RowRequests
from lve.extensions.opencompass.rows.row_writer import RowWriter
from lve.extensions.opencompass.turns import Question, ScoredTexts
from lve.named_tuples import NamedTuple
from lve.prompts.size import MAX_RUNS

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
