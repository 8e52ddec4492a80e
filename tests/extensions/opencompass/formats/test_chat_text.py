"""Messages as one text, with the meta template of a local model."""

from __future__ import annotations

import pytest

from lve.errors import PermanentModelError, TemplateError
from lve.extensions.opencompass.formats.model_format import chat_writer
from lve.messages import Message, Role
from lve.settings.model_settings import ModelSettings

META = {
    "begin": "<<",
    "round": [
        {"role": "HUMAN", "begin": "H:", "end": "\n"},
        {"role": "BOT", "begin": "B:", "end": "\n", "generate": True},
    ],
    "reserved_roles": [{"role": "SYSTEM", "begin": "S:", "end": "\n"}],
}
DIALOGUE = (
    Message("be kind", Role.system),
    Message("one"),
    Message("1", Role.assistant),
    Message("two"),
)


def written(meta: object, *messages: Message) -> str:
    write = chat_writer(ModelSettings(provider="hf", meta_template=meta))
    assert write is not None
    return write(messages)


def test_a_dialogue_ends_where_the_model_speaks() -> None:
    assert written(META, *DIALOGUE) == "<<S:be kind\nH:one\nB:1\nH:two\nB:"


def test_braces_are_text() -> None:
    assert written(META, Message("{a} {{b}}")) == "<<H:{a} {{b}}\nB:"


def test_a_template_without_system_lets_human_say_it() -> None:
    meta = {"round": META["round"]}
    assert written(meta, *DIALOGUE[:2]).startswith("H:be kind\nH:one\n")


def test_a_template_by_name() -> None:
    assert written("chatml", Message("hi")) == (
        "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
    )


def test_parts_of_text_are_joined_and_others_refused() -> None:
    assert written(META, Message([{"type": "text", "text": "a"}])) == "<<H:a\nB:"
    with pytest.raises(PermanentModelError, match="takes text only"):
        written(META, Message([{"type": "image_url", "image_url": {"url": "x"}}]))


@pytest.mark.parametrize(
    "settings",
    [None, ModelSettings(), ModelSettings(kind="api", meta_template="api")],
    ids=["nothing", "no template", "chat messages"],
)
def test_without_such_a_template_there_is_no_writer(settings: ModelSettings | None) -> None:
    assert chat_writer(settings) is None


def test_a_bad_template_is_refused_at_once() -> None:
    with pytest.raises(TemplateError):
        chat_writer(ModelSettings(meta_template={"round": "x"}))
