"""The format of ChatInferencer."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.formats.chat_parser import ChatParser

CHAT = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": None},
]
ROUND = [
    {"role": "HUMAN", "begin": "Q:", "end": "\n", "api_role": "HUMAN"},
    {"role": "BOT", "begin": "A:", "end": "\n", "api_role": "BOT"},
]


def test_an_api_gets_messages_in_its_own_roles() -> None:
    assert ChatParser("api", None).parse(CHAT) == [
        {"role": "SYSTEM", "prompt": "rules"},
        {"role": "HUMAN", "prompt": "hi"},
        {"role": "BOT", "prompt": ""},
    ]
    reserved = {"round": ROUND, "reserved_roles": [{"role": "SYSTEM", "api_role": "HUMAN"}]}
    found = ChatParser("api", reserved).parse(CHAT)
    assert [message["role"] for message in found if isinstance(message, dict)] == [
        "HUMAN", "HUMAN", "BOT",
    ]  # fmt: skip


def test_a_role_that_the_meta_template_lacks_stays_as_it_is() -> None:
    (first, *_) = ChatParser("api", {"round": ROUND}).parse(CHAT)
    assert first == {"role": "system", "prompt": "rules"}


def test_a_base_model_gets_lines_or_what_the_roles_begin_and_end_with() -> None:
    assert ChatParser("lm", None).parse(CHAT) == "rules\nhi\n"
    assert ChatParser("lm", {"round": ROUND}).parse(CHAT) == "rulesQ:hi\nA:\nA:"
    bare = [{"role": "HUMAN", "begin": None}, {"role": "BOT"}]
    assert ChatParser("lm", {"round": bare}).parse(CHAT) == "ruleshi"


@pytest.mark.parametrize(
    ("kind", "meta", "chat", "message"),
    [
        ("api", ["x"], CHAT, "needs an object"),
        ("api", {"round": ["text"]}, CHAT, "takes no texts in `round`"),
        ("api", {"reserved_roles": [{"api_role": "HUMAN"}]}, CHAT, "has no name"),
        ("api", {"round": [{"role": 5}]}, CHAT, "has no name"),
        ("api", {"round": [{"role": "HUMAN"}]}, CHAT, "the role 'user' has no api_role"),
        ("lm", {"round": ROUND[:1]}, CHAT, "has no BOT"),
        ("api", None, [{"role": "user", "content": ["part"]}], "must be a text"),
    ],
)
def test_what_can_not_be_written_is_reported(
    kind: str, meta: Any, chat: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(TemplateError, match=message):
        ChatParser(kind, meta).parse(chat)
