"""Renders a row as the chat of a ChatInferencer."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import CHAT_ROLES, Cells, PromptBody
from lve.extensions.opencompass.template import Template

Chat = list[dict[str, Any]]


def chat_of_row(
    row: Cells,
    template: Template | None,
    *,
    input_columns: Sequence[str],
    output_column: str | None,
) -> Chat:
    """Return the messages of a row, including the answers.

    Columns with texts make one round, columns with lists one round per entry. A single input column
    with messages is the chat itself, and so is the column `dialogue`.

    Raises:
        TemplateError: stage `prompt`.
    """
    cells = {c: v for c, v in row.items() if c in input_columns or c == output_column}
    if all(isinstance(value, str) for value in cells.values()):
        return _round(cells, template, input_columns, output_column)
    if all(_list_of(value, str) for value in cells.values()):
        rounds = [dict(zip(cells, values, strict=True)) for values in zip(*cells.values())]  # noqa: B905
        return [m for r in rounds for m in _round(r, template, input_columns, output_column)]
    if len(input_columns) == 1 and _list_of(cells.get(input_columns[0]), dict):
        return copy.deepcopy(cells[input_columns[0]])
    if "dialogue" in input_columns and _list_of(cells.get("dialogue"), dict):
        return copy.deepcopy(cells["dialogue"])
    raise TemplateError(
        "can't make a chat from this row: give texts, lists of texts, or a list of messages",
        stage="prompt",
    )


def _round(
    cells: Cells, template: Template | None, columns: Sequence[str], output: str | None
) -> Chat:
    gold = cells.get(output, "") if output is not None else ""
    if template is None:
        if len(columns) != 1:
            raise TemplateError(
                f"without a prompt_template there must be one input column, not {len(columns)}: "
                "write a `prompt_template`, or name one column in `input_columns`",
                stage="prompt",
            )
        return [
            {"role": "user", "content": cells.get(columns[0])},
            {"role": "assistant", "content": gold},
        ]
    chat = _openai_messages(template.prompt(cells, "", output=None, replacement=""))
    if not chat:
        raise TemplateError("the prompt_template gives no message for a chat", stage="prompt")
    if chat[-1]["role"] != "assistant":
        chat.append({"role": "assistant", "content": gold})
    return chat


def _openai_messages(prompt: PromptBody) -> Chat:
    """Return a dialogue as chat messages; those of other roles than the usual three are dropped."""
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    result: Chat = []
    for item in prompt:
        if isinstance(item, str):
            if not item:
                raise TemplateError("an empty text can't be a message", stage="prompt")
            result.append({"role": "user", "content": item})
        elif isinstance(item, dict):
            role = CHAT_ROLES.get(str(item.get("role")))
            if role and "prompt" not in item:
                raise TemplateError(f"the message of {item['role']} has no prompt", stage="prompt")
            result += [{"role": role, "content": item["prompt"]}] if role else []
    return result


def _list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kind) for entry in value)
