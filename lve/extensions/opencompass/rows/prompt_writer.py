"""Renders prompts and their examples, from `ice_template` and `prompt_template`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lve.data_classes import dataclass, field
from lve.errors import TemplateError
from lve.extensions.opencompass.data.tables import Table
from lve.extensions.opencompass.dialogue import Cells, PromptBody, concat
from lve.extensions.opencompass.raw import RawMessages, RawPromptTemplate
from lve.extensions.opencompass.retrievers.retriever import Retriever
from lve.extensions.opencompass.template import Template
from lve.prompts.size import MAX_CHARACTERS, size_of, too_long

MAX_CACHED_EXAMPLES = 4096
"""Rendered examples that are cached, because rows often share examples."""


class RenderedExamples(dict[int, tuple[PromptBody, int]]):
    """A bounded cache: position of an example -> the rendered example and its size."""

    def __init__(self) -> None:
        super().__init__()
        self._size = 0
        self.joined: tuple[Sequence[int], str] = (), ""
        """The last positions with their examples as one text: all rows often have the same."""

    def keep(self, position: int, example: tuple[PromptBody, int]) -> bool:
        """Add an example; return False if the cache was full and has been cleared."""
        size = example[1]
        has_room = len(self) < MAX_CACHED_EXAMPLES and self._size + size <= MAX_CHARACTERS
        if not has_room:
            self.clear()
            self._size = 0
        self._size += size
        self[position] = example
        return has_room


@dataclass(frozen=True)
class PromptWriter:
    """Renders the examples of a row and the prompt around them."""

    train: Table
    ice_template: Template | None
    prompt_template: Template | None
    retriever: Retriever
    output_column: str | None
    replacement: str = ""
    """Replaces the answer in the prompt (`gen_field_replace_token`)."""
    _examples: RenderedExamples = field(default_factory=RenderedExamples, repr=False)
    _written: dict[int, None] = field(default_factory=dict, repr=False)

    def take_written(self) -> list[int]:
        """Return the positions of the examples that have been rendered since the last call."""
        positions = list(self._written)
        self._written.clear()
        return positions

    @property
    def labels(self) -> list[object] | None:
        """The labels of the templates; None: they are in the output column."""
        if self.prompt_template is not None and self.prompt_template.labels is not None:
            return self.prompt_template.labels
        ice = self.ice_template
        return ice.labels if ice is not None and ice.ice_token is not None else None

    def ice(self, positions: Sequence[int]) -> PromptBody:
        """Return the examples at these positions as one prompt.

        Raises:
            TemplateError: stage `ice`.
        """
        template = self.ice_template
        if template is None:
            if positions:
                raise TemplateError(
                    "examples are retrieved but there is no ice_template: write one, or use "
                    "ZeroRetriever",
                    stage="ice",
                )
            return self.retriever.ice_eos_token
        joined_positions, text = self._examples.joined
        if text and positions == joined_positions:
            return text
        is_raw = isinstance(template, RawPromptTemplate)
        bare = is_raw or template.is_dialogue
        separator = "" if bare else self.retriever.ice_separator
        end = "" if bare else self.retriever.ice_eos_token
        rendered = self._all(template, positions, len(separator))
        if is_raw:
            return RawMessages(message for example in rendered for message in example)
        if rendered and isinstance(rendered[0], list):
            return _dialogue(rendered, separator, end)
        texts = [example for example in rendered if isinstance(example, str)]
        if len(texts) < len(rendered):
            raise TemplateError("some examples are texts and some are dialogues", stage="ice")
        text = concat(texts, separator, stage="ice") + end
        self._examples.joined = positions, text
        return text

    def prompt(self, row: Cells, ice: PromptBody) -> PromptBody:
        """Return the prompt for generation, with the answer masked.

        Raises:
            TemplateError: stage `prompt`.
        """
        return self._template().prompt(
            row, ice, output=self.output_column, replacement=self.replacement
        )

    def label_prompt(self, row: Cells, ice: PromptBody, label: object) -> PromptBody:
        """Return the prompt with `label` as the answer.

        Raises:
            TemplateError: stage `prompt`.
        """
        return self._template().label_prompt(row, ice, label)

    def _template(self) -> Template:
        if self.ice_template is None:
            if self.prompt_template is None:
                raise TemplateError(
                    "there is neither a prompt_template nor an ice_template", stage="prompt"
                )
            return self.prompt_template
        template = self.prompt_template or self.ice_template
        if template.ice_token is not None or self._abbreviated_without_examples():
            return template
        which = "prompt_template" if self.prompt_template else "ice_template"
        raise TemplateError(
            f"{which} has no ice_token, so the examples have no place in the prompt", stage="prompt"
        )

    def _abbreviated_without_examples(self) -> bool:
        # Both upstream projects document an ice_template alone with ZeroRetriever as valid, though
        # their code refuses it.
        return self.prompt_template is None and type(self.retriever).__name__ == "ZeroRetriever"

    def _all(self, template: Template, positions: Sequence[int], between: int) -> list[PromptBody]:
        """Return examples, with so many characters between them."""
        rendered, left = list[PromptBody](), MAX_CHARACTERS - between * len(positions)
        if left < 0:  # before they are rendered for nothing
            raise too_long(MAX_CHARACTERS, "ice")
        for position in positions:
            example, size = self._example(template, position)
            left -= size
            if left < 0:
                raise too_long(MAX_CHARACTERS, "ice")
            rendered.append(example)
        return rendered

    def _example(self, template: Template, position: int) -> tuple[PromptBody, int]:
        """Return an example, and its size."""
        sized = self._examples.get(position)
        if sized is None:
            example = self._rendered(template, position)
            sized = example, size_of(example)
            if not self._examples.keep(position, sized):
                self._written.clear()
            self._written[position] = None
        return sized

    def _rendered(self, template: Template, position: Any) -> PromptBody:
        try:
            row = self.train[position]
        except (IndexError, TypeError):
            raise TemplateError(
                f"there is no example {position!r}; there are {len(self.train)}", stage="ice"
            ) from None
        if self.output_column not in row:
            raise TemplateError(
                f"the examples lack the output column {self.output_column!r}", stage="ice"
            )
        return template.example(row, row[self.output_column])


def _dialogue(examples: Sequence[PromptBody], separator: str, end: str) -> list[Any]:
    result: list[object] = []
    for example in examples:
        if isinstance(example, list):
            result += [*example, separator] if separator else example
        else:  # The template has texts for some labels and dialogues for others.
            result.append(example + separator)
    return [*result, end]
