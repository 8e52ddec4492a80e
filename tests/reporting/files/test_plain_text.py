"""Prompts and answers as text."""

from __future__ import annotations

from lve.messages import Message, Role
from lve.reporting.files.plain_text import messages_text


def test_each_message_stands_below_its_role_and_parts_on_lines_of_their_own() -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    messages = [Message("Be kind.", Role.system), Message(parts), Message(None, Role.assistant)]
    text = "[system]\nBe kind.\n\n[user]\nsee\n(image_url)\nb\n\n[assistant]\n"
    assert messages_text(messages) == text
