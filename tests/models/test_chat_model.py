"""The interface between lve and models of plugins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lve.messages import Completion, Usage
from lve.models.chat_model import (
    MODEL_MEMBERS,
    ChatModel,
    holds_timeout,
    is_free,
    states_cost,
    wrong_with,
)
from lve.pipeline.roles.role_models import identity_of_vectors


def completion(text: Any = "x", **fields: Any) -> Completion:
    """Return one with fields of any type."""
    return Completion(text, **fields)


def counted(prompt: Any, answer: Any) -> Completion:
    """Return one with tokens of any type."""
    return Completion("x", usage=Usage(prompt, answer))


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (None, "it answered with a NoneType"),
        (completion(5), "Completion.text must be a text, not 5"),
        (completion(None), "Completion.text must be a text, not None"),
        (completion(finish_reason=1), "Completion.finish_reason must be a text or None, not 1"),
        (completion(latency_s="x"), "Completion.latency_s must be seconds, not 'x'"),
        (completion(model=5), "Completion.model must be a text or None, not 5"),
        (completion(first_token_s="x"), "Completion.first_token_s must be seconds or None"),
        (completion(usage=7), "Completion.usage must be a lve.Usage or None, not 7"),
        (counted(-5, 0), "whole numbers from 0 on, not Usage(prompt_tokens=-5, completion"),
        (counted(1, "x"), "whole numbers from 0 on"),
        (counted(1.5, 1), "whole numbers from 0 on"),
        (counted(None, 1), "whole numbers from 0 on"),
        (counted(True, 1), "whole numbers from 0 on"),
        (counted(1, 10**9 + 1), "more than 1000000000 tokens"),
        (completion(usage=Usage(1, 1, 2)), "more cached or reasoning tokens than tokens"),
        (completion(usage=Usage(1, 1, 0, 2)), "more cached or reasoning tokens than tokens"),
        (completion(reasoning=1), "Completion.reasoning must be a text or None, not 1"),
        (completion(tool_calls=["x"]), "must be a tuple of lve.ToolCall"),
    ],
)
def test_what_is_wrong_with_an_answer(answer: object, wrong: str) -> None:
    assert wrong in str(wrong_with(answer))


@pytest.mark.parametrize(
    "answer", [completion(), counted(0, 5), completion(finish_reason="stop", latency_s=1)]
)
def test_nothing_is_wrong_with_a_good_answer(answer: Completion) -> None:
    assert wrong_with(answer) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": 5},
        *({"finish_reason": 1}, {"model": 5}, {"latency_s": "x"}, {"first_token_s": "x"}),
        *({"usage": Usage(-1, 0)}, {"usage": Usage(0, -1)}, {"usage": Usage(10**9 + 1, 0)}),
        *({"usage": Usage(0, 10**9 + 1)}, {"usage": Usage(1.0, 1)}, {"usage": Usage(1, True)}),
        *({"usage": Usage(1, 1, 2)}, {"usage": Usage(1, 1, 0, 2)}, {"usage": 7}),
        *({"tool_calls": ["x"]}, {"reasoning": 1}),
    ],
)
def test_one_wrong_field_of_an_ordinary_completion_is_noticed(wrong: dict[str, Any]) -> None:
    ordinary: dict[str, Any] = {"text": "x", "finish_reason": "stop", "model": "m"}
    ordinary |= {"usage": Usage(1, 1), "latency_s": 0.5}
    assert wrong_with(Completion(**ordinary)) is None
    assert wrong_with(Completion(**{**ordinary, **wrong})) is not None


def test_the_members_of_a_model_are_those_of_the_protocol() -> None:
    assert set(MODEL_MEMBERS) == {name for name in vars(ChatModel) if not name.startswith("_")}


@pytest.mark.parametrize("ask", [holds_timeout, is_free, states_cost])
def test_a_plugin_model_that_does_not_say_has_none_of_what_is_optional(
    ask: Callable[[ChatModel], bool],
) -> None:
    class Plain:
        name = "plain"

    plain: Any = Plain()
    assert ask(plain) is False
    setattr(plain, ask.__name__, True)
    assert ask(plain) is True


@pytest.mark.parametrize(
    ("identity", "of_vectors"),
    [(None, None), ({"model": "m"}, {"model": "m", "gives": "vectors"})],
)
def test_vectors_have_another_identity_than_answers(identity: Any, of_vectors: Any) -> None:
    class Plain:
        name = "plain"

        async def embed(self, texts: Any, *, timeout_s: float = 0.0) -> Any:
            return []

    plain: Any = Plain()
    plain.identity = identity
    assert identity_of_vectors(plain) == of_vectors
