"""Dialogues as one text for a base model."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import Dialogue
from lve.extensions.opencompass.formats.chat_parser import joined


def dialogue(*said: object) -> Dialogue:
    return Dialogue(
        [text if text == "plain" else {"role": "HUMAN", "prompt": text} for text in said]
    )


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ([], ""),
        ([""], ""),
        (["one"], "one"),
        (["one", "two"], "one\ntwo"),
        (["one", "", "two"], "one\ntwo"),
        (["", "one"], "\none"),  # as upstream, which writes a line break before all but the first
        (["", "", "one", "two"], "\none\ntwo"),
        (["plain", "one"], "plain\none"),
        ([None, "one"], "\none"),
    ],
)
def test_without_a_meta_template_each_message_has_its_line(said: list[Any], text: str) -> None:
    assert joined(dialogue(*said)) == text


def test_a_list_is_no_text() -> None:
    with pytest.raises(TemplateError, match="a prompt must be a text, not a list"):
        joined(dialogue(["x"]))
