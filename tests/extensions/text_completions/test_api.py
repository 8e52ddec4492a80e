"""`/v1/completions` and `/v1/embeddings`: requests, and how answers are read."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from extensions.opencompass.rated import PROMPT, rated
from support.openai_answers import logprob_of
from support.server import ModelServer, model_server

from lve.errors import PermanentModelError, TransientModelError
from lve.extensions.opencompass.likelihood import log_likelihood, scored_tokens
from lve.extensions.text_completions.api import _tokens, parse_text
from lve.models.chat_model import ChatRequest, EmbeddingModel
from lve.models.openai.wire import parse_chat
from lve.models.registry import create_model
from lve.models.token_scores import ScoredToken
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings


@pytest.fixture(params=["own", "openai"])
def client(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def use(server: ModelServer, client: str, job: Any) -> Any:
    async def run() -> Any:
        entry = ModelSettings(model="m", options={"client": client})
        model = create_model("m", Settings(models={"m": entry}), base_url=server.url)
        try:
            return await job(model)
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_a_rated_prompt_gives_its_tokens_and_only_them(client: str) -> None:
    with model_server("made up by the model") as server:
        request = ChatRequest(prompt=PROMPT, score=True, args={"max_tokens": 50})
        found = use(server, client, lambda model: model.complete(request))
        sent = server.requests[0]
    assert sent.path == "/v1/completions"
    assert (sent.json["max_tokens"], sent.json["echo"]) == (1, True)
    assert scored_tokens(found, "m") == (
        ScoredToken("The", None, 0),
        ScoredToken(" sky", logprob_of(" sky", "The"), 3),
        ScoredToken(" is", logprob_of(" is", " sky"), 7),
        ScoredToken(" blue", logprob_of(" blue", " is"), 10),
    )
    assert found.text == ""


def test_a_text_is_continued_with_the_model_args(client: str) -> None:
    with model_server("5 and more") as server:
        request = ChatRequest(prompt="2 + 3 =", args={"max_tokens": 1, "top_p": None})
        found = use(server, client, lambda model: model.complete(request))
        assert server.requests[0].json == {"model": "m", "prompt": "2 + 3 =", "max_tokens": 1}
    assert (found.text, found.finish_reason) == ("5", "length")


def test_a_chat_only_server_is_named_as_such(client: str) -> None:
    with model_server(missing=["/completions"]) as server:
        request = ChatRequest(prompt=PROMPT, score=True)
        with pytest.raises(PermanentModelError, match="may not offer /completions") as caught:
            use(server, client, lambda model: model.complete(request))
    assert caught.value.kind == "not_supported"


@pytest.mark.parametrize("fault", ["429", "500", "reset", "truncated", "html", "empty"])
def test_faults_are_worth_another_try(client: str, fault: str) -> None:
    with model_server(faults=[fault]) as server, pytest.raises(TransientModelError):
        use(server, client, lambda m: m.complete(ChatRequest(prompt=PROMPT, score=True)))


def test_texts_become_vectors_in_their_order(client: str) -> None:
    async def job(model: EmbeddingModel) -> list[list[float]]:
        assert isinstance(model, EmbeddingModel)
        return await model.embed(["a", "b"])

    with model_server() as server:
        both = use(server, client, job)
        alone = use(server, client, lambda model: model.embed(["b"]))
        assert server.requests[0].json["input"] == ["a", "b"]
    assert both[1] == alone[0] != both[0]


def test_an_echoed_start_token_does_not_move_the_text() -> None:
    starts = [token.start for token in scored_tokens(rated(["<s>", "a", "b", "!"]), "m")]
    assert starts == [-3, 0, 1]


def test_offsets_of_the_server_are_used() -> None:
    odd = rated(["bytes:\\xe2", "b", "!"], text_offset=[0, 1, 2])
    assert [token.start for token in scored_tokens(odd, "m")] == [0, 1]


@pytest.mark.parametrize("value", [-9999.0, "-9999", "-inf", "-Infinity", float("-inf")])
def test_minus_infinity_is_the_least_log_probability(value: object) -> None:
    logprobs = {"tokens": ["a", "b", "!"], "token_logprobs": [None, value, -1.0]}
    choice = {"text": "ab!", "logprobs": logprobs, "finish_reason": "length"}
    body = json.dumps({"choices": [choice], "usage": {"completion_tokens": 1}}).encode()
    tokens = parse_text(body, scored="ab").logprobs
    assert tokens == [["a", None, 0], ["b", -9999.0, 1]]


def test_a_token_of_a_few_bytes_stands_for_its_character() -> None:
    logprobs = {
        "tokens": ["a ", "", "", "b"],
        "token_logprobs": [None, -1.0, -2.0, -3.0],
        "text_offset": [0, 2, 2, 3],
    }
    choice = {"text": "a 日b", "logprobs": logprobs, "finish_reason": "length"}
    body = json.dumps({"choices": [choice], "usage": {"completion_tokens": 1}}).encode()
    tokens = scored_tokens(parse_text(body, scored="a 日"), "m")
    assert [token.text for token in tokens] == ["a ", "日", "日"]
    assert log_likelihood(tokens, start=2) == -3.0


@pytest.mark.parametrize("number", ["NaN", "1e999"])
def test_an_answer_is_kept_without_its_nonsense_numbers(number: str) -> None:
    chat = f'{{"content": [{{"token": "a", "logprob": {number}}}]}}'
    body = f'{{"choices": [{{"message": {{"content": "a"}}, "text": "a", "logprobs": {chat}}}]}}'
    for parse in (parse_chat, parse_text):
        found = parse(body.encode())
        assert (found.text, found.logprobs) == ("a", None)


def test_a_server_that_refuses_texts_says_why(client: str) -> None:
    with model_server(faults=["401"]) as server, pytest.raises(PermanentModelError) as caught:
        use(server, client, lambda model: model.embed(["a"]))
    assert caught.value.status == 401


def test_a_generated_token_that_is_counted_and_not_listed_costs_no_token_of_the_prompt() -> None:
    """As llama-cpp-python answered for SmolLM2: the last token of the prompt was dropped."""
    logprobs = {
        "tokens": ["Answer", ":", " Rome"],
        "token_logprobs": [None, -12.5, -8.25],
        "text_offset": [0, 6, 7],
    }
    assert [token.logprob for token in _tokens(logprobs, "Answer: Rome", 1)] == [None, -12.5, -8.25]
    listed = {name: [*values, values[-1]] for name, values in logprobs.items()}
    assert len(_tokens(listed, "Answer: Rome", 1)) == 3
