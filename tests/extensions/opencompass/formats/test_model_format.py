"""What a model receives, by its kind and meta template."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import Dialogue, Mark
from lve.extensions.opencompass.formats.model_format import ModelFormat
from lve.extensions.opencompass.raw import RawMessages

RAW = RawMessages([{"role": "user", "content": "hi"}])
ROLES = {
    "round": [
        {"role": "HUMAN", "api_role": "HUMAN"},
        {"role": "BOT", "api_role": "BOT", "generate": True},
    ]
}
ASKED: Dialogue = [Mark("round", True), {"role": "HUMAN", "prompt": "hi"}, Mark("round", False)]


def sent(prompt: Any, **how: Any) -> Any:
    model = ModelFormat(**how)
    return model.messages(model.parse(prompt, "gen", {}))


@pytest.mark.parametrize(
    ("prompt", "how"),
    [
        ("hi", {}),
        ("hi", {"meta_template": ROLES}),
        (ASKED, {}),
        (ASKED, {"meta_template": ROLES}),
        (ASKED, {"meta_template": ROLES, "dialect": "aisbench"}),
        (RAW, {}),
        (RAW, {"meta_template": ROLES}),
    ],
)
def test_a_chat_model_gets_messages_in_the_roles_of_its_server(
    prompt: Any, how: dict[str, Any]
) -> None:
    assert sent(prompt, **how) == [{"role": "user", "content": "hi"}]


def test_aisbench_joins_the_parts_of_messages_that_have_some() -> None:
    part = {"type": "text", "text": "hi"}
    dialogue: Dialogue = [{"role": "SYSTEM", "prompt": ""}, {"role": "HUMAN", "prompt_mm": [part]}]
    assert ModelFormat(dialect="aisbench").parse(dialogue, "gen", {}) == [part]


def test_aisbench_sends_further_keys_of_a_message() -> None:
    model = ModelFormat(dialect="aisbench")
    assert model.messages([{"role": "HUMAN", "prompt": "hi", "name": "ann"}]) == [
        {"role": "user", "content": "hi", "name": "ann"}
    ]


def test_a_base_model_gets_a_text() -> None:
    model = ModelFormat("lm")
    assert model.parse(ASKED, "gen", {}) == model.parse("hi", "gen", {}) == "hi"
    with pytest.raises(TemplateError, match="raw messages need a chat model") as caught:
        model.parse(RAW, "gen", {})
    assert caught.value.stage == "parse"


def test_a_list_meta_template_is_woven_into_raw_messages_alone() -> None:
    meta = [{"role": "system", "content": "rules"}]
    assert sent(RAW, meta_template=meta) == [*meta, *RAW]
    with pytest.raises(TemplateError, match="takes raw messages only") as caught:
        sent(ASKED, meta_template=meta)
    assert caught.value.stage == "parse"
    with pytest.raises(TemplateError, match="holds messages of system, user, assistant"):
        ModelFormat(meta_template=[{"role": "HUMAN"}])


def test_parts_of_a_message_are_sent_as_they_are() -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "x"}}]
    dialogue: Dialogue = [{"role": "HUMAN", "prompt_mm": parts}]
    assert sent(dialogue, dialect="aisbench") == [{"role": "user", "content": parts}]


def test_empty_messages_are_dropped_where_the_meta_template_says_so() -> None:
    chat = [("HUMAN", "a"), ("BOT", ""), ("HUMAN", "b"), ("SYSTEM", None), ("BOT", "c")]
    parsed = [{"role": role, "prompt": prompt} for role, prompt in chat]
    model = ModelFormat(meta_template={**ROLES, "drop_empty": True})
    assert model.messages(parsed) == [
        {"role": "user", "content": "a\nb"},
        {"role": "assistant", "content": "c"},
    ]
    assert len(ModelFormat(meta_template=ROLES).messages(parsed)) == 5
    with pytest.raises(TemplateError, match="no message is left to send"):
        model.messages(parsed[1:2])


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("text", "`begin` of the meta template is text"),
        ({"prompt": "x"}, "`begin` of the meta template is an object"),
        ({"role": "HUMAN"}, "the message of 'HUMAN' has no prompt"),
        ({"role": 5, "prompt": "x"}, "the message of 5 has no prompt"),
        ({"role": "NOBODY", "prompt": "x"}, "no chat server knows the role 'NOBODY'"),
        ({"role": "user", "content": 5}, "use a text or a list of parts"),
        ({"role": "user", "content": ["x"]}, "part 0 of a message's content must be an object"),
    ],
)
def test_what_no_server_takes_is_refused(item: Any, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        ModelFormat().messages([item])


def test_aisbench_keeps_other_roles_and_fields() -> None:
    model = ModelFormat(dialect="aisbench")
    given = {"role": "tool", "prompt": "x", "name": "n"}
    assert model.messages([given]) == [{"content": "x", "role": "tool", "name": "n"}]


def test_parts_are_not_joined_with_a_text_where_empty_messages_are_dropped() -> None:
    parts = [{"type": "text", "text": "hi"}]
    contents = [parts, "a", "", "b", parts]
    raw = RawMessages([{"role": "user", "content": content} for content in contents])
    found = [message["content"] for message in sent(raw, meta_template="hf-chat")]
    assert found == [parts, "a\nb", parts]


@pytest.mark.parametrize("dialect", ["opencompass", "aisbench"])
def test_what_no_message_can_hold_is_refused(dialect: str) -> None:
    spoken = {"role": "HUMAN", "prompt_mm": {"text": {"type": "text", "text": "hi"}}}
    asked: Dialogue = [Mark("round", True), spoken, Mark("round", False)]
    with pytest.raises(TemplateError, match="content of a message is an object; use a text or"):
        sent(asked, meta_template=ROLES, dialect=dialect)
