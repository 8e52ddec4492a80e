"""The labels that a test chooses from, and its prompts as plain texts for scoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from lve.data_classes import dataclass
from lve.errors import TemplateError
from lve.escape import head
from lve.extensions.opencompass.data.template_data import TemplateData
from lve.extensions.opencompass.dialogue import Cells, PromptBody, concat
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.prompts.size import MAX_RUNS

CONTINUATION = "cont"
"""The column that LLInferencer scores, as in upstream."""


def choices_of(data: TemplateData) -> Sequence[str]:
    """Return the texts that CLPInferencer chooses from: the column `choices` of the first row.

    Raises:
        TemplateError: it doesn't have different texts; stage `infer`.
    """
    if not data.test.columns:
        return ()
    texts: list[str] = data.choices if isinstance(data.choices, list) else []
    wrong = not texts or not all(isinstance(text, str) and text for text in texts)
    if wrong or len(set(texts)) < len(texts):
        raise TemplateError(
            "CLPInferencer chooses from the column `choices` of the first row, which must hold "
            "different texts; LikelihoodInferencer chooses from the template's labels",
            stage="infer",
        )
    if len(texts) > MAX_RUNS:
        raise TemplateError(
            f"there can be at most {MAX_RUNS:,} choices, not {len(texts):,}", stage="infer"
        )
    return texts


@dataclass(frozen=True)
class Labels:
    """The labels of a test."""

    prompts: PromptWriter
    data: TemplateData
    fixed: Sequence[object] | None = None
    """`labels` of the inferencer."""

    @cached_property
    def all(self) -> list[object]:
        """The labels of the inferencer, or else the keys of the template, or else the answers in
        the data.

        Raises:
            TemplateError: there are none, or too many.
        """
        labels = self._all()
        if not labels:
            raise TemplateError("there are no labels to choose from", stage="prompt")
        if len(labels) > MAX_RUNS:
            message = (
                f"there are {len(labels):,} labels to choose from; at most {MAX_RUNS:,} are allowed"
            )
            raise TemplateError(message, stage="prompt")
        return labels

    def _all(self) -> list[object]:
        if self.fixed is not None:
            return list(self.fixed)
        if self.prompts.labels is not None:
            return self.prompts.labels
        column, test = self.data.reader.output_column, self.data.test
        if column not in test.columns:
            return []
        try:
            return list(dict.fromkeys(test[n][column] for n in range(len(test))))
        except TypeError:
            message = (
                f"the column {head(repr(column), 60)} holds lists or objects, which can't be labels"
            )
            raise TemplateError(message, stage="prompt") from None

    def texts(
        self, row: Cells, positions: Sequence[int], *, labels: Sequence[object] | None = None
    ) -> tuple[str, list[str]]:
        """Return the examples and the prompt per label as plain texts, without a meta template.

        Args:
            row: to render.
            positions: of the examples.
            labels: to choose from; None: those of the test.
        """
        ice = self.prompts.ice(positions)
        chosen = self.all if labels is None else labels
        prompts = [self.prompts.label_prompt(row, ice, label) for label in chosen]
        return _plain(ice), [_plain(prompt) for prompt in prompts]


def _plain(prompt: PromptBody) -> str:
    if isinstance(prompt, str):
        return prompt
    return concat([_text(item) for item in prompt], stage="prompt")


def _text(item: object) -> str:
    text = item.get("prompt", item.get("content", "")) if isinstance(item, Mapping) else item
    return text if isinstance(text, str) else ""
