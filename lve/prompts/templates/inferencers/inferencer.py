"""What an inferencer is: how a model is asked for a row, by one text, one text per label, or
turn by turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from lve.data.dataset import TemplateData
from lve.prompts.conversation import Conversation
from lve.prompts.templates.dialogue import Cells, PromptBody
from lve.prompts.templates.formats.model_format import Received
from lve.prompts.templates.rows.row_writer import RowWriter
from lve.prompts.templates.turns import Asked

PLUMBING = (
    *("batch_size", "save_every", "output_json_filepath", "output_json_filename"),
    "tokenizer_name",
)
"""Arguments that say how upstream runs and stores; accepted without effect."""


@dataclass(frozen=True)
class RenderedRow:
    """What one row becomes, stage by stage."""

    retrieved: Sequence[int]
    ice: PromptBody
    prompts: Sequence[tuple[object, PromptBody]]
    """Label (None: a generation) and prompt before the meta template."""
    inputs: Sequence[Received]
    """What the model receives, one per prompt; for a dialogue, one per request."""


@dataclass(slots=True)
class RowRequests:
    """The requests of one row."""

    prompts: Sequence[tuple[object, PromptBody]]
    """As in `RenderedRow`."""
    asked: Asked
    shows_examples: bool = True
    """Whether the prompts have the row's examples."""


class Inferencer(ABC):
    """How the rows of a test are asked.

    The fields of each inferencer are the arguments of `infer_cfg.inferencer`. None calls a model.
    """

    scores: ClassVar[bool] = False
    """Whether it has a prompt per label rated."""
    rates_chats: ClassVar[bool] = False
    """Whether chat messages can be rated too: as a whole, not from some character on."""
    uses_first_label: ClassVar[bool] = False
    """Whether it takes, of a template per label, the first one only."""
    gen_field_replace_token: str | None = ""
    """Stands where the answer would."""
    labels: Sequence[object] | None = None
    """To choose from. None: the template's, or else the answers that the data has."""
    fallback: Literal["generate"] | None = None
    """What to do where labels can't be rated. None: refuse."""

    @abstractmethod
    def requests(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RowRequests:
        """Return what a row asks the model.

        Args:
            row: its cells.
            examples: their positions.
            writer: writes its prompts for the model.

        Raises:
            PromptError: the row can't be rendered.
        """

    def check(self, data: TemplateData) -> None:  # noqa: B027  # most take any data
        """Refuse data that can't be asked about.

        Raises:
            TemplateError: stage `infer`.
        """

    def conversations(
        self, row: Cells, examples: Sequence[int], writer: RowWriter
    ) -> Sequence[Conversation]:
        """Return what has to be asked for a row; arguments and errors as `requests`."""
        return self.requests(row, examples, writer).asked.conversations()

    def rendered(self, row: Cells, examples: Sequence[int], writer: RowWriter) -> RenderedRow:
        """Return what a row becomes; answers of the model are taken to be empty.

        Arguments and errors as `requests`.
        """
        made = self.requests(row, examples, writer)
        ice = writer.prompts.ice(examples) if made.shows_examples else ""
        return RenderedRow(examples, ice, made.prompts, made.asked.inputs())


def ignored_arguments(kind: type[Inferencer], config: Mapping[str, Any]) -> list[str]:
    """Return the arguments that neither an inferencer nor upstream's makes use of."""
    taken = {"type", *PLUMBING, *argument_names(kind)}
    return [key for key in config if key not in taken]


def argument_names(kind: type[Inferencer]) -> list[str]:
    """Return the names of the arguments that an inferencer takes."""
    return [field.name for field in fields(kind)]  # type: ignore[arg-type]  # all are dataclasses
