"""`PromptTemplate`: renders a row as an example, a prompt, or the prompt of one label.

It follows https://opencompass.readthedocs.io (prompt template) and AISBench's page of the same
name; docs/templates.md has an example of each rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from lve.data_classes import dataclass
from lve.errors import TemplateError, TemplateStage
from lve.escape import head, listed
from lve.extensions.opencompass.dialogue import (
    Cells,
    Dialogue,
    DialogueItem,
    Mark,
    PromptBody,
    as_text,
    fill_prompt,
    replace_all,
    replace_token,
    template_prompt,
)
from lve.json_types import json_type
from lve.prompts.size import CharacterBudget, max_filled_characters

DIALOGUE_KEYS = ("begin", "round", "end")


class Template(Protocol):
    """A template that a row fills."""

    @property
    def ice_token(self) -> str | None:
        """The text to replace by the examples; None if the template has no place for them."""
        ...

    @property
    def is_dialogue(self) -> bool:
        """Whether examples are lists of messages, which need no separators."""
        ...

    @property
    def labels(self) -> list[object] | None:
        """The labels of a template per label, in order; None if it has none."""
        ...

    def example(self, row: Cells, label: object) -> PromptBody:
        """Return one example."""
        ...

    def prompt(
        self, row: Cells, ice: PromptBody, *, output: str | None, replacement: str
    ) -> PromptBody:
        """Return the prompt for generation, with `replacement` instead of the column `output`."""
        ...

    def label_prompt(self, row: Cells, ice: PromptBody, label: object) -> PromptBody:
        """Return the prompt of one label; the output column is not masked."""
        ...


@dataclass(frozen=True)
class PromptTemplate:
    """A text, a dialogue (`begin`, `round`, `end`), or a dictionary label -> text or dialogue."""

    template: Any
    ice_token: str | None = None
    sep_token: str | None = None
    column_token_map: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        check_token(self.ice_token, "ice_token")
        check_token(self.sep_token, "sep_token")
        if not isinstance(self.template, str | dict):
            raise TemplateError(
                f"`template` must be a text or an object, not {json_type(self.template)}",
                stage="template",
            )
        self._check_column_tokens()
        self._check_values()

    @property
    def is_dialogue(self) -> bool:
        """Whether all keys are `begin`, `round` and `end`. An object with other keys has labels."""
        return isinstance(self.template, dict) and all(k in DIALOGUE_KEYS for k in self.template)

    @property
    def labels(self) -> list[object] | None:
        return list(self.template) if isinstance(self.template, dict) else None

    def example(self, row: Cells, label: object) -> PromptBody:
        prompt = template_prompt(self._of_label(label, stage="ice"), ice=True, stage="ice")
        # Upstream doesn't remove sep_token here: it drops the result of its own replacement.
        if self.ice_token is not None:
            prompt = replace_token(prompt, self.ice_token, "", stage="ice")
        return self._fill(prompt, row, stage="ice")

    def prompt(
        self, row: Cells, ice: PromptBody, *, output: str | None, replacement: str
    ) -> PromptBody:
        template = self.template
        if isinstance(template, dict) and not self.is_dialogue:
            template = next(iter(template.values()))
        prompt = template_prompt(template, ice=False, stage="prompt")
        if self.ice_token is not None:
            prompt = replace_token(prompt, self.ice_token, ice, stage="prompt")
        if self.sep_token is not None:
            prompt = replace_token(prompt, self.sep_token, "", stage="prompt")
        masked = row if output is None else {**row, output: replacement}
        return self._fill(prompt, masked, stage="prompt")

    def label_prompt(self, row: Cells, ice: PromptBody, label: object) -> PromptBody:
        prompt = template_prompt(self._of_label(label, stage="prompt"), ice=False, stage="prompt")
        if self.sep_token is not None:
            prompt = replace_token(prompt, self.sep_token, "", stage="prompt")
        if self.ice_token is not None:
            prompt = replace_token(prompt, self.ice_token, ice, stage="prompt")
        return self._fill(prompt, row, stage="prompt")

    def _of_label(self, label: object, *, stage: TemplateStage) -> object:
        if isinstance(self.template, str) or self.is_dialogue:
            return self.template
        try:
            return self.template[label]
        except (KeyError, TypeError):
            label_text = head(repr(label), 60)
            raise TemplateError(
                f"the template has no label {label_text}; it has {listed(self.template)}",
                stage=stage,
            ) from None

    def _fill(self, prompt: PromptBody, row: Cells, *, stage: TemplateStage) -> PromptBody:
        if self.column_token_map is None:
            return fill_prompt(prompt, row, stage=stage)
        if isinstance(prompt, list):
            fields = self._tokens_to_fields(prompt, stage=stage)
            return fill_prompt(list(CharacterBudget(stage=stage).counted(fields)), row, stage=stage)
        return self._replace_tokens(prompt, row, stage=stage)

    def _replace_tokens(self, text: str, row: Cells, *, stage: TemplateStage) -> str:
        # In texts only tokens stand for columns, as in OpenICL, where the parameter comes from.
        for column, token in (self.column_token_map or {}).items():
            if column not in row:
                raise TemplateError(
                    f"column_token_map names the column {column!r}, which the rows don't have",
                    stage=stage,
                )
            value = as_text(row[column], stage=stage)
            text = replace_all(text, token, value, stage=stage, most=max_filled_characters(row))
        return text

    def _tokens_to_fields(
        self, dialogue: Dialogue, *, stage: TemplateStage
    ) -> Iterator[DialogueItem]:
        for item in dialogue:
            if isinstance(item, Mark):
                yield item
            elif isinstance(item, Mapping) and isinstance(item.get("prompt"), str):
                yield {**item, "prompt": self._as_fields(item["prompt"], stage=stage)}
            else:
                yield self._as_fields(item, stage=stage) if isinstance(item, str) else item

    def _as_fields(self, text: str, *, stage: TemplateStage) -> str:
        for column, token in (self.column_token_map or {}).items():
            text = replace_all(text, token, f"{{{column}}}", stage=stage)
        return text

    def _check_values(self) -> None:
        token = self.ice_token
        if isinstance(self.template, str):
            if token and token not in self.template:
                raise TemplateError(f"ice_token {token!r} is not in the template", stage="template")
            return
        # The documentation of column_token_map has an example with a plain text without the token
        # as `end`.
        relaxed = self.is_dialogue and self.column_token_map is not None
        for key, value in self.template.items():
            if not isinstance(value, str | list | dict):
                raise TemplateError(
                    f"`template.{key}` must be a text, list or object, not {json_type(value)}",
                    stage="template",
                )
            if isinstance(value, str) and token and token not in value and not relaxed:
                raise TemplateError(
                    f"ice_token {token!r} is not in `template.{key}`", stage="template"
                )

    def _check_column_tokens(self) -> None:
        tokens = self.column_token_map
        if tokens is None:
            return
        if not isinstance(tokens, Mapping) or not all(isinstance(t, str) for t in tokens.values()):
            raise TemplateError("column_token_map must map columns to texts", stage="template")
        if len(set(tokens.values())) != len(tokens):
            raise TemplateError("column_token_map has a token twice", stage="template")
        if self.ice_token and self.ice_token in tokens.values():
            raise TemplateError("column_token_map uses the ice_token as a token", stage="template")


def check_token(value: object, name: str) -> None:
    """Raise TemplateError if a token is neither a text nor None."""
    if value is not None and not isinstance(value, str):
        raise TemplateError(f"{name} must be a text, not {json_type(value)}", stage="template")
