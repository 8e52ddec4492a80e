"""The base class of inferencers, which decide what a model is asked for a row: one text, one text
per label, or a chat turn by turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import ClassVar, Literal

from lve.data_classes import dataclass
from lve.extensions.opencompass.data.template_data import TemplateData
from lve.extensions.opencompass.dialogue import Cells, PromptBody
from lve.extensions.opencompass.formats.model_format import Received
from lve.extensions.opencompass.rows.row_writer import RowWriter
from lve.extensions.opencompass.turns import Query
from lve.prompts.conversation import Conversation

STORAGE_ARGUMENTS = (
    *("batch_size", "save_every", "output_json_filepath", "output_json_filename"),
    "tokenizer_name",
)
"""Arguments about how upstream runs and stores; accepted without effect."""


@dataclass(frozen=True)
class RenderedRow:
    """All stages of rendering one row."""

    retrieved: Sequence[int]
    """Positions of the examples."""
    ice: PromptBody
    """The examples as one prompt."""
    prompts: Sequence[tuple[object, PromptBody]]
    """Label (None for generation) and prompt before the meta template."""
    inputs: Sequence[Received]
    """What the model receives: one input per prompt, or per request of a chat."""


@dataclass(slots=True)
class RowRequests:
    """The requests of one row."""

    prompts: Sequence[tuple[object, PromptBody]]
    """As in `RenderedRow`."""
    query: Query
    shows_examples: bool = True
    """Whether the prompts contain the row's examples."""


class Inferencer(ABC):
    """Decides what a model is asked for each row. It doesn't call the model itself.

    The fields of a subclass are the arguments of `infer_cfg.inferencer`.
    """

    scores: ClassVar[bool] = False
    """Whether the model scores a text per label."""
    scores_chats: ClassVar[bool] = False
    """Whether it can score chat messages, too: only as a whole, not from some character on."""
    uses_first_label: ClassVar[bool] = False
    """Whether it uses only the first template of those per label."""
    gen_field_replace_token: str | None = ""
    """Replaces the answer in the prompt."""
    labels: Sequence[object] | None = None
    """The labels to choose from. None: those of the template, or else the answers in the data."""
    fallback: Literal["generate"] | None = None
    """What to do if the model can't score. None: refuse the test."""

    @abstractmethod
    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return the requests of a row.

        Args:
            row: column -> value.
            examples: positions of the row's examples.
            writer: renders the row's prompts for the model.

        Raises:
            PromptError: the row can't be rendered.
        """

    def check(self, data: TemplateData) -> None:  # noqa: B027  # most take any data
        """Refuse a data set that lacks what the inferencer needs.

        Raises:
            TemplateError: stage `infer`.
        """

    def conversations(
        self, row: Cells, examples: Sequence[int], writer: RowWriter
    ) -> Sequence[Conversation]:
        """Return the conversations of a row; arguments and errors as `requests`."""
        return self.requests(row, examples, writer).query.conversations()

    def rendered(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RenderedRow:
        """Return all stages of rendering a row, as if each answer of the model were empty.

        Arguments and errors as `requests`.
        """
        requests = self.requests(row, examples, writer)
        ice = writer.prompts.ice(examples) if requests.shows_examples else ""
        return RenderedRow(examples, ice, requests.prompts, requests.query.inputs())


def ignored_arguments(kind: type[Inferencer], config: Mapping[str, object]) -> list[str]:
    """Return the arguments in `config` that have no effect, in lve and upstream."""
    effective = {"type", *STORAGE_ARGUMENTS, *argument_names(kind)}
    return [key for key in config if key not in effective]


def argument_names(kind: type[Inferencer]) -> list[str]:
    """Return the names of an inferencer's arguments."""
    return [field.name for field in fields(kind)]  # type: ignore[arg-type]  # all are dataclasses
