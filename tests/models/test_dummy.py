from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from lve.errors import PermanentModelError
from lve.messages import Message
from lve.models.chat_model import ChatRequest
from lve.models.dummy import DummyModel


def answer(text: str = "x", repeat: int = 0, **args: Any) -> str:
    request = ChatRequest((Message(text),), args, repeat=repeat)
    return asyncio.run(DummyModel().complete(request)).text


def test_it_says_hello_world() -> None:
    assert answer(temperature=0.0) == "Hello world"


def test_it_says_what_it_is_told() -> None:
    assert answer(response="Bye") == "Bye"


def test_the_same_conversation_draws_the_same_answer() -> None:
    choices = [str(n) for n in range(10)]
    assert answer("a", random_responses=choices) == answer("a", random_responses=choices)


def test_conversations_and_repeats_draw_from_all_answers() -> None:
    choices = ["a", "b", "c"]
    by_prompt = Counter(answer(f"prompt {n}", random_responses=choices) for n in range(60))
    by_repeat = Counter(answer("one", repeat=n, random_responses=choices) for n in range(60))
    assert set(by_prompt) == set(by_repeat) == set(choices)
    assert max(by_prompt.values()) < 40


@pytest.mark.parametrize("choices", [[], "abc", 3, {"a": 1}])
def test_random_responses_must_be_a_list(choices: object) -> None:
    with pytest.raises(PermanentModelError, match="must be a list"):
        answer(random_responses=choices)
