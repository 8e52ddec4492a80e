"""Keeps prompts below a maximum length by dropping examples from the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from lve.extensions.opencompass.dialogue import Cells, PromptBody
from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.extensions.opencompass.rows.prompt_writer import PromptWriter
from lve.prompts.size import MAX_INSTANCE_CHARACTERS, OBJECT_CHARACTERS, CharacterBudget, size_of

Length = Callable[[str], int]

MAX_TRIED = 2 * MAX_INSTANCE_CHARACTERS
"""Characters of all prompts that may be rendered to find out how many examples fit."""
BLOCK = 1 << 20
_LATIN = re.compile(r"[A-Za-z0-9]")
_WORD = re.compile(r"[A-Za-z0-9]+|[\u4e00-\u9fff]")


def word_count(text: str) -> int:
    """Return the length of a text as upstream counts it for API models, because it doesn't have
    their tokenizers: words of Latin letters and digits, and Chinese characters."""
    # Block by block, because a list of all words takes many times the memory of the text.
    starts = range(0, len(text), BLOCK)
    return sum(len(_WORD.findall(text, at, at + BLOCK)) - _cuts_word(text, at) for at in starts)


def _cuts_word(text: str, at: int) -> bool:
    return at > 0 and _LATIN.match(text, at - 1) is not None and _LATIN.match(text, at) is not None


def generation_prompt(
    writer: PromptWriter,
    row: Cells,
    positions: Sequence[int],
    *,
    model: ModelFormat,
    max_length: int | None = None,
    length: Length = word_count,
) -> PromptBody:
    """Return the prompt of a row. If it is too long, examples are dropped from the end; the prompt
    without examples is never cut."""
    prompt = writer.prompt(row, writer.ice(positions))
    if max_length is None:
        return prompt
    tried = CharacterBudget(MAX_TRIED, "prompt")
    while positions and input_length(model, prompt, row, length) > max_length:
        tried.take(size_of(prompt))
        positions = positions[:-1]
        prompt = writer.prompt(row, writer.ice(positions))
    return prompt


def label_prompts(
    writer: PromptWriter,
    row: Cells,
    positions: Sequence[int],
    labels: Sequence[object],
    *,
    model: ModelFormat,
    max_length: int | None = None,
    length: Length = word_count,
) -> list[PromptBody]:
    """Return a prompt per label. Examples that are dropped for one label are missing for all labels
    after it, too, as in upstream."""
    result = []
    budget, tried = (
        CharacterBudget(MAX_INSTANCE_CHARACTERS, "prompt"),
        CharacterBudget(MAX_TRIED, "prompt"),
    )
    ice = writer.ice(positions)
    for label in labels:
        prompt = writer.label_prompt(row, ice, label)
        while max_length is not None and positions:
            if input_length(model, prompt, row, length, mode="ppl") <= max_length:
                break
            tried.take(size_of(prompt))
            positions = positions[:-1]
            ice = writer.ice(positions)
            prompt = writer.label_prompt(row, ice, label)
        budget.take(size_of(prompt) + OBJECT_CHARACTERS)
        result.append(prompt)
    return result


def input_length(
    model: ModelFormat,
    prompt: PromptBody,
    row: Cells,
    length: Length,
    *,
    mode: Literal["gen", "ppl"] = "gen",
) -> int:
    """Return the length of what the model would receive."""
    parsed = model.parse(prompt, mode, row)
    if isinstance(parsed, str):
        return length(parsed)
    if parsed and all("content" in item for item in parsed):
        return sum(length(str(item)) for item in parsed)
    return length("".join(_words(item) for item in parsed))


def _words(item: object) -> str:
    text = item.get("prompt", "") if isinstance(item, Mapping) else item
    return text if isinstance(text, str) else str(text)
