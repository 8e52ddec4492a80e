"""Messages for a chat API: raw ones, with those of a list meta template inserted."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import Mark
from lve.extensions.opencompass.formats.api_parser import APIParser, parse_raw
from lve.extensions.opencompass.raw import RawMessages

ROLES = {"s": "system", "u": "user", "a": "assistant"}


def messages(text: str) -> RawMessages:
    """Return the messages of `s:rules u:hi`."""
    pairs = (word.split(":") for word in text.split())
    return RawMessages([{"role": ROLES[role], "content": said} for role, said in pairs])


@pytest.mark.parametrize(
    ("raw", "meta", "expected"),
    [
        ("u:hi", "", "u:hi"),
        ("u:hi", "s:rules", "s:rules u:hi"),
        ("u:hi a:ho u:well", "s:rules", "s:rules u:hi a:ho u:well"),
        ("u:hi a:ho", "u:Q-", "u:Q-hi a:ho"),
        ("u:hi a:ho u:well", "u:Q- u:R-", "u:Q-hi a:ho u:R-well"),
        ("s:own u:hi a:ho", "u:Q-", "s:own u:Q-hi a:ho"),
        ("u:hi a:ho u:well", "a:A-", "u:hi a:A-ho u:well"),
        ("u:hi a:ho", "a:A- u:Q-", "u:hi a:A-ho u:Q-"),
        ("u:hi", "u:Q- u:R-", "u:Q-hi u:R-"),
    ],
)
def test_a_meta_message_goes_before_the_next_of_its_role(
    raw: str, meta: str, expected: str
) -> None:
    assert parse_raw(messages(raw), list(messages(meta))) == list(messages(expected))


def test_a_meta_template_of_another_kind_changes_nothing() -> None:
    raw = messages("s:rules u:hi")
    assert parse_raw(raw, {"round": []}) == parse_raw(raw, None) == list(raw)


def test_parts_are_joined_with_parts_and_nothing_else() -> None:
    parts = [{"type": "text", "text": "see"}]
    raw = RawMessages([{"role": "user", "content": parts}])
    assert parse_raw(raw, [{"role": "user", "content": parts}])[0]["content"] == parts * 2
    with pytest.raises(TemplateError, match="can't be joined"):
        parse_raw(raw, [{"role": "user", "content": "text"}])


@pytest.mark.parametrize("message", ["text", {"role": "user"}, {"content": "x"}])
def test_raw_messages_have_a_role_and_a_content(message: Any) -> None:
    with pytest.raises(TemplateError, match="raw messages need `role` and `content`"):
        parse_raw(RawMessages([message]), None)


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        ({}, "hi"),
        ({"begin": "Q: "}, "Q: hi"),
        ({"end": "?"}, "hi?"),
        ({"begin": "Q: ", "end": "?"}, "Q: hi?"),
    ],
)
def test_a_role_may_surround_what_it_says(around: dict[str, str], expected: str) -> None:
    parser = APIParser({"round": [{"role": "HUMAN", "api_role": "HUMAN", **around}]}, "opencompass")
    asked = [Mark("round", True), {"role": "HUMAN", "prompt": "hi"}, Mark("round", False)]
    assert parser.parse(asked, "gen", {}) == [{"role": "HUMAN", "prompt": expected}]
