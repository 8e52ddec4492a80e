"""Parts of messages, for APIs other than OpenAI's."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import PermanentModelError
from lve.messages import Message, Role, ToolCall
from lve.models.http.parts import (
    Inline,
    Part,
    arguments_object,
    parsed_arguments,
    parts_of,
    split_system,
    text_of,
)


def parts(content: Any, **message: Any) -> list[str | Part]:
    return list(parts_of(Message(content, **message)))


def test_a_text_is_one_part_and_an_empty_one_is_none() -> None:
    assert parts("Hi") == ["Hi"]
    assert parts("") == parts(None) == parts([{"type": "text", "text": ""}]) == []


@pytest.mark.parametrize(
    ("url", "inline"),
    [
        ("data:image/png;base64,AAAA", Inline("image/png", "AAAA")),
        ("data:text/plain;charset=utf-8;base64,AAAA", Inline("text/plain", "AAAA")),
        ("data:image/png,raw", None),
        ("https://example.com/a.png", None),
    ],
)
def test_a_data_url_is_taken_apart(url: str, inline: Inline | None) -> None:
    (part,) = parts(None, image_url=url)
    assert isinstance(part, Part)
    assert part.kind == "image"
    assert part.inline == inline
    assert (part.url is None) is (inline is not None)


def test_files_and_sounds_are_parts() -> None:
    file = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}
    sound = {"data": "BBBB", "format": "mp3"}
    content = [{"type": "file", "file": file}, {"type": "input_audio", "input_audio": sound}]
    assert parts(content) == [
        Part("file", Inline("application/pdf", "AAAA"), None, "a.pdf"),
        Part("audio", Inline("audio/mp3", "BBBB")),
    ]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "video", "video": {}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "image_url", "image_url": "https://example.com"},
        {"type": None},
        {},
    ],
)
def test_a_part_that_nobody_knows_is_an_error(part: Any) -> None:
    with pytest.raises(PermanentModelError, match="can't be sent to this provider"):
        parts([part])


def test_texts_are_joined_and_the_first_system_messages_stand_apart() -> None:
    two = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert text_of(Message(two, image_url="https://example.com")) == "a\n\nb"
    system = [Message("one", Role.system), Message("", Role.system), Message(two, Role.system)]
    rest = [Message("Hi"), Message("later", Role.system)]
    assert split_system([*system, *rest]) == (["one", "a\n\nb"], rest)


@pytest.mark.parametrize(
    "arguments", ["[1]", "{", "5", '{"a": NaN}', "[" * 100_000, '{"a":' * 100 + "1" + "}" * 100]
)
def test_arguments_that_are_no_object_are_the_value_of_one(arguments: str) -> None:
    assert arguments_object(ToolCall("a", "f", arguments)) == {"not_an_object": arguments}


@pytest.mark.parametrize("arguments", ["", " ", "{}"])
def test_a_call_may_have_no_arguments(arguments: str) -> None:
    assert arguments_object(ToolCall("a", "f", arguments)) == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"q": "\ud83d\ude00"}', {"q": "😀"}),  # halves that came in two events
        ('{"q": "\ud83d"}', {"q": "\ufffd"}),
        ("", {}),
        ("{", "{"),
    ],
)
def test_streamed_arguments_have_whole_characters(text: str, value: object) -> None:
    assert parsed_arguments(text) == value
