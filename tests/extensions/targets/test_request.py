"""What an application is asked."""

from __future__ import annotations

import pytest

from lve.errors import PermanentModelError
from lve.extensions.targets.request import NAMES, Takes, app_request, state_of
from lve.messages import Message, Role, Tool, ToolCall
from lve.models.chat_model import ChatRequest

PROMPT_ONLY = Takes(frozenset({"prompt"}))
REMEMBERED = Takes(frozenset({"prompt", "session"}))
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


def answer(text: str, session: str | None = "s1", target: str = "t") -> Message:
    state = state_of(target, session)
    return Message(text, Role.assistant, provider_state=state)


def test_everything_is_there_for_who_takes_everything() -> None:
    request = ChatRequest(
        (Message("Be kind.", Role.system), Message("Hi"), answer("Hello"), Message("Bye")),
        {"temperature": 0.0, "top_p": 0.5},
        by_default=frozenset({"temperature"}),
    )
    made = app_request(request, "t", Takes())
    assert (made.prompt, made.system, made.session) == ("Bye", "Be kind.", "s1")
    assert [message["role"] for message in made.messages] == ["system", "user", "assistant", "user"]
    assert made.args == {"top_p": 0.5}
    assert made.values().keys() == set(NAMES)


def test_each_conversation_has_a_session_of_its_own() -> None:
    first = app_request(ChatRequest((Message("Hi"),)), "t", Takes()).session
    second = app_request(ChatRequest((Message("Hi"),)), "t", Takes()).session
    assert first
    assert second
    assert first != second
    begun = Takes(frozenset({"prompt", "session"}), own_session=False)
    assert app_request(ChatRequest((Message("Hi"),)), "t", begun).session is None


def test_the_session_of_another_target_is_not_its_own() -> None:
    request = ChatRequest((Message("Hi"), answer("Hello", "s1", "other"), Message("Bye")))
    assert app_request(request, "t", Takes()).session != "s1"


@pytest.mark.parametrize(
    ("messages", "lost"),
    [
        ((Message("Be kind.", Role.system), Message("Hi")), "the system message would be lost"),
        ((Message("Hi"), answer("Hello"), Message("Bye")), "the other messages"),
        ((Message("A"), Message("B")), "the other messages"),
    ],
)
def test_nothing_is_lost_unnoticed(messages: tuple[Message, ...], lost: str) -> None:
    with pytest.raises(PermanentModelError, match=lost) as error:
        app_request(ChatRequest(messages), "t", PROMPT_ONLY)
    assert error.value.kind == "not_supported"


def test_an_application_that_remembers_gets_the_newest_message() -> None:
    request = ChatRequest((Message("Hi"), answer("Hello"), Message("Bye")))
    made = app_request(request, "t", REMEMBERED)
    assert (made.prompt, made.session) == ("Bye", "s1")


def test_it_can_not_remember_what_it_never_said() -> None:
    given = Message("Hello", Role.assistant)
    with pytest.raises(PermanentModelError, match="would be lost"):
        app_request(ChatRequest((Message("Hi"), given, Message("Bye"))), "t", REMEMBERED)


def test_calls_in_its_own_answers_were_its_own_matter() -> None:
    called = answer("Hello")
    called.tool_calls = (ToolCall("1", "f", "{}"),)
    made = app_request(ChatRequest((Message("Hi"), called, Message("Bye"))), "t", Takes())
    assert made.messages[1] == {"role": "assistant", "content": "Hello"}


def test_text_parts_are_a_prompt_and_images_are_none() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert app_request(ChatRequest((Message(parts),)), "t", PROMPT_ONLY).prompt == "ab"
    with pytest.raises(PermanentModelError, match="an image or a file"):
        app_request(ChatRequest((Message([*parts, IMAGE]),)), "t", PROMPT_ONLY)
    messages = Takes(frozenset({"messages"}))
    assert app_request(ChatRequest((Message([IMAGE]),)), "t", messages).prompt == ""


def test_an_application_rates_nothing_and_has_its_own_tools() -> None:
    for request in (
        ChatRequest((Message("Hi"),), score=True),
        ChatRequest((Message("Hi"),), tools=(Tool("f"),)),
    ):
        with pytest.raises(PermanentModelError, match="is an application"):
            app_request(request, "t", Takes())


def test_a_text_to_continue_is_a_prompt() -> None:
    assert app_request(ChatRequest(prompt="Once"), "t", PROMPT_ONLY).prompt == "Once"
