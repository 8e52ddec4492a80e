"""Rows as the chat of a ChatInferencer."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.rows.chat_rows import chat_of_row
from lve.extensions.opencompass.template import PromptTemplate


def chat(
    row: dict[str, Any], columns: list[str], template: Any = None, gold: str | None = "a"
) -> list[str]:
    """Return the chat as `user: text`."""
    made = None if template is None else PromptTemplate(template)
    found = chat_of_row(row, made, input_columns=columns, output_column=gold)
    return [f"{message['role']}: {message['content']}" for message in found]


def test_a_row_of_texts_is_one_round() -> None:
    assert chat({"q": "hi", "a": "ho"}, ["q"]) == ["user: hi", "assistant: ho"]
    assert chat({"q": "hi", "a": 5, "x": []}, ["q"], gold=None) == ["user: hi", "assistant: "]


def test_columns_of_lists_are_a_round_per_entry() -> None:
    row = {"q": ["1", "2", "3"], "a": ["x", "y"]}
    assert chat(row, ["q"]) == ["user: 1", "assistant: x", "user: 2", "assistant: y"]


def test_a_template_says_how_a_round_is_asked() -> None:
    ask = {"round": [{"role": "SYSTEM", "prompt": "S"}, {"role": "HUMAN", "prompt": "{q}?"}]}
    assert chat({"q": "hi", "a": "ho"}, ["q"], ask) == ["system: S", "user: hi?", "assistant: ho"]
    answered = {"round": [{"role": "HUMAN", "prompt": "{q}"}, {"role": "BOT", "prompt": "say"}]}
    assert chat({"q": "hi", "a": "ho"}, ["q"], answered) == ["user: hi", "assistant: say"]
    assert chat({"q": "hi", "a": "ho"}, ["q"], "Ask {q}") == ["user: Ask hi", "assistant: ho"]


def test_other_roles_are_dropped_and_texts_are_the_users() -> None:
    template = {"begin": ["plain"], "round": [{"role": "NOTE", "prompt": "x"}]}
    assert chat({"q": "hi", "a": "ho"}, ["q"], template) == ["user: plain", "assistant: ho"]


def test_a_column_of_messages_is_the_chat() -> None:
    said = [{"role": "user", "content": "hi"}]
    row = {"talk": said, "a": 5}
    found = chat_of_row(row, None, input_columns=["talk"], output_column=None)
    assert found == said
    found[0]["content"] = "changed"
    assert said[0]["content"] == "hi"
    row = {"dialogue": said, "x": 5}
    assert chat(row, ["dialogue", "x"], gold=None) == ["user: hi"]


@pytest.mark.parametrize(
    ("row", "columns", "template", "message"),
    [
        ({"q": 5}, ["q"], None, "can't make a chat from this row"),
        ({"q": [5]}, ["q"], None, "can't make a chat"),
        ({"q": "x", "r": ["x"]}, ["q", "r"], None, "can't make a chat"),
        ({"q": "x", "r": "y"}, ["q", "r"], None, "there must be one input column"),
        ({"q": "x"}, ["q"], {"round": [{"role": "NOTE", "prompt": "x"}]}, "gives no message"),
        ({"q": "x"}, ["q"], {"round": [{"role": "HUMAN"}]}, "the message of HUMAN has no prompt"),
        ({"q": "x"}, ["q"], {"begin": [""], "round": []}, "an empty text can't be a message"),
    ],
)
def test_what_is_no_chat_is_reported(
    row: dict[str, Any], columns: list[str], template: Any, message: str
) -> None:
    with pytest.raises(TemplateError, match=message):
        chat(row, columns, template, gold=None)
