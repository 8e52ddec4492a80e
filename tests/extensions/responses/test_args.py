"""Model args of the Responses API: what servers refuse, and how their errors name it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from extensions.responses import responses_api
from extensions.responses.responses_api import HAS_TYPES, HELLO
from support.server import Raw, Received, model_server

from lve.errors import AdjustedRequestError, PermanentModelError
from lve.extensions.responses.items import names_in_api, response_args
from lve.messages import Message, Role
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

Refuses = Callable[[Mapping[str, Any]], Raw | None]


def twice(refuses: Refuses, request: ChatRequest) -> tuple[list[Received], list[str]]:
    """Return what a server gets that refuses the first attempt, and what lve says of it."""

    def reply(asked: Mapping[str, Any]) -> Any:
        return refuses(asked) or responses_api.response(asked, [responses_api.message("Hello")])

    async def run() -> None:
        entry = ModelSettings(model="test-model", api="responses")
        model = create_model(
            "m", Settings(models={"m": entry}), base_url=server.url, tell=told.append
        )
        try:
            with pytest.raises(AdjustedRequestError):
                await model.complete(request)
            assert (await model.complete(request)).text == "Hello"
        finally:
            await model.aclose()

    told: list[str] = []
    with model_server(responses_api.strict(reply)) as server:
        asyncio.run(run())
        return list(server.requests), told


def no_encryption(asked: Mapping[str, Any]) -> Raw | None:
    if "reasoning.encrypted_content" not in asked.get("include", ()):
        return None
    return responses_api.refuse("Encrypted content is not supported.", param="include")


def test_a_model_that_encrypts_nothing_isnt_asked_for_it_again() -> None:
    sent, told = twice(no_encryption, HELLO)
    assert "include" not in sent[1].json
    assert told == ["m refuses `include`: lve leaves it out"]


@pytest.mark.parametrize("tools", [[{"type": "function", "function": {"name": "w"}}], 7])
def test_a_choice_among_tools_is_written_as_the_api_has_it(tools: Any) -> None:
    chosen = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": tools}}
    flat = [{"type": "function", "name": "w"}] if tools != 7 else 7
    assert response_args({"tool_choice": chosen}, frozenset())["tool_choice"] == {
        "type": "allowed_tools",
        "mode": "required",
        "tools": flat,
    }


def test_what_the_user_wants_included_stays() -> None:
    sent, _ = twice(no_encryption, ChatRequest(HELLO.messages, {"logprobs": True}))
    assert sent[1].json["include"] == ["message.output_text.logprobs"]


def test_a_temperature_of_lves_own_is_left_out() -> None:
    def refuses(asked: Mapping[str, Any]) -> Raw | None:
        if "temperature" not in asked:
            return None
        said = "Unsupported parameter: 'temperature' is not supported with this model."
        return responses_api.refuse(said, param="temperature")

    args, by_default = {"temperature": 0.0}, frozenset({"temperature"})
    sent, _ = twice(refuses, ChatRequest(HELLO.messages, args, by_default=by_default))
    assert "temperature" not in sent[1].json


@pytest.mark.parametrize("role", ["developer", "user"])
def test_system_messages_are_sent_as_the_model_takes_them(role: str) -> None:
    def refuses(asked: Mapping[str, Any]) -> Raw | None:
        if all(item.get("role") != "system" for item in asked["input"]):
            return None
        hint = ", use 'developer'" if role == "developer" else ""
        return responses_api.refuse(f"The role 'system' is not supported{hint}.")

    said = [{"type": "text", "text": "Hi"}]
    messages = (Message("Be brief.", Role.system), Message(said))
    sent, _ = twice(refuses, ChatRequest(messages))
    text = {"type": "input_text", "text": "Be brief."}
    hi = {"type": "input_text", "text": "Hi"}
    assert sent[1].json["input"] == (
        [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": [hi]}]
        if role == "developer"
        else [{"role": "user", "content": [text | {"text": "Be brief."}, hi]}]
    )


@pytest.mark.parametrize(
    ("args", "param", "named"),
    [
        ({"max_tokens": 5}, "max_output_tokens", "max_tokens"),
        ({"max_completion_tokens": 5}, "max_output_tokens", "max_completion_tokens"),
        ({"reasoning_effort": "none"}, "reasoning.effort", "reasoning_effort"),
        ({"reasoning_summary": "auto"}, "reasoning.summary", "reasoning_summary"),
        ({"verbosity": "low"}, "text.verbosity", "verbosity"),
        ({"verbosity": "low"}, "text", "verbosity"),
        ({"response_format": {"type": "json_object"}}, "text.format", "response_format"),
        ({"temperature": 0.5}, "temperature", "temperature"),
        ({"store": True}, "store", "store"),
    ],
)
def test_an_error_names_the_arg_as_the_user_wrote_it(
    args: dict[str, Any], param: str, named: str
) -> None:
    def reply(asked: Mapping[str, Any]) -> Raw:
        return responses_api.refuse("Not this.", param=param)

    with (
        model_server(responses_api.strict(reply)) as server,
        pytest.raises(PermanentModelError, match=f"--model-arg {named}=null"),
    ):
        responses_api.ask(server, ChatRequest(HELLO.messages, args))


@pytest.mark.skipif(not HAS_TYPES, reason="the types of this openai are too old")
def test_an_arg_that_the_api_doesnt_have_is_sent_so_that_the_error_names_it() -> None:
    with (
        model_server(responses_api.says("x")) as server,
        pytest.raises(PermanentModelError, match="--model-arg seed=null"),
    ):
        responses_api.ask(server, ChatRequest(HELLO.messages, {"seed": 7}))


def test_nulls_arent_sent() -> None:
    assert response_args({"top_p": None, "max_tokens": None}, frozenset({"include"})) == {
        "store": False
    }


def test_a_bound_that_is_no_number_is_left_to_the_server() -> None:
    args = {"max_tokens": "many", "max_completion_tokens": 5}
    assert response_args(args, frozenset())["max_output_tokens"] == "many"
    assert names_in_api({}) == {}


@pytest.mark.parametrize("first", [5, 7])
@pytest.mark.parametrize("second", [5, 6, 7, None])
def test_of_several_limits_the_smallest_is_sent(first: int, second: int | None) -> None:
    names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
    for one, other in itertools.permutations(names, 2):
        body = response_args({one: first, other: second}, frozenset())
        least = min(first, second or first)
        assert (body["max_output_tokens"], {*names} & {*body}) == (least, {"max_output_tokens"})
