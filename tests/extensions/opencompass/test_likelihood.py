"""Rating texts and embedding them, against the test server."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest
from extensions.opencompass.rated import PROMPT

from lve.errors import PermanentModelError, TransientModelError
from lve.extensions.opencompass.likelihood import (
    average_nll,
    first_log_likelihood,
    log_likelihood,
    scored_tokens,
)
from lve.extensions.text_completions.api import parse_text
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.dummy import DummyModel
from lve.models.scripted import ScriptedModel
from lve.models.token_scores import ScoredToken

BAD_LOGPROBS = ["NaN", "Infinity", "1e999", "-1e300", "5", '"nan"', "true", "1" * 400]


TOKENS = (
    ScoredToken("<s>", None, -3),
    ScoredToken("a", -1.0, 0),
    ScoredToken("bc", -2.0, 1),
    ScoredToken("d", -4.0, 3),
)


def test_a_model_that_rates_nothing_says_what_would() -> None:
    found = asyncio.run(DummyModel().complete(ChatRequest(prompt=PROMPT, score=True)))
    with pytest.raises(PermanentModelError, match="echo and logprobs") as caught:
        scored_tokens(found, "dummy/dummy")
    assert caught.value.kind == "not_supported"


def test_the_average_counts_every_token_that_has_a_number() -> None:
    assert average_nll(TOKENS) == pytest.approx(7 / 3)
    assert average_nll(TOKENS, start=3) == 4.0
    assert average_nll(TOKENS[:1]) == math.inf


def test_a_token_over_the_border_belongs_to_the_continuation() -> None:
    assert log_likelihood(TOKENS, start=1) == -6.0
    assert log_likelihood(TOKENS, start=2) == -6.0
    assert log_likelihood(TOKENS, start=3) == -4.0
    assert first_log_likelihood(TOKENS, start=2) == -2.0
    assert first_log_likelihood(TOKENS, start=9) == -math.inf


@pytest.mark.parametrize(
    "logprobs",
    [None, {}, {"tokens": ["a"]}, {"tokens": ["a", "b"], "token_logprobs": [None]}, {"tokens": 3}],
)
def test_missing_log_probabilities_are_a_permanent_error(logprobs: Any) -> None:
    body = json.dumps({"choices": [{"text": "ab", "logprobs": logprobs}]}).encode()
    with pytest.raises(PermanentModelError, match="gives no log-probabilities"):
        parse_text(body, scored="ab")


def test_scripts_and_dummies_take_one_text_too() -> None:
    request = ChatRequest(prompt="Q: hi")
    assert asyncio.run(ScriptedModel({"Q: hi": "A"}).complete(request)).text == "A"


def test_the_first_token_never_counts_also_after_a_start_token() -> None:
    logprobs = [["<s>", None, -3], ["The", -2.0, 0], [" sky", -4.0, 3]]
    tokens = scored_tokens(Completion("", logprobs=logprobs), "m")
    assert [token.logprob for token in tokens] == [None, None, -4.0]


@pytest.mark.parametrize("number", BAD_LOGPROBS)
def test_a_number_that_is_no_log_probability_is_a_bad_answer(number: str) -> None:
    logprobs = f'{{"tokens": ["a", "b", "!"], "token_logprobs": [null, {number}, -1.0]}}'
    body = f'{{"choices": [{{"text": "ab!", "logprobs": {logprobs}}}]}}'.encode()
    with pytest.raises(TransientModelError, match=r"unreadable answer: .* is no log-probability"):
        parse_text(body, scored="ab")


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, "nan", 10**400])
def test_kept_ratings_are_held_against_the_same_rule(number: Any) -> None:
    kept = Completion("", logprobs=[["a", None, 0], ["b", number, 1]])
    with pytest.raises(PermanentModelError, match="numbers that are no log-probabilities"):
        scored_tokens(kept, "m")


@pytest.mark.parametrize("number", ["0", "-9999.0", "1e-3", "-0.0", "-17"])
def test_what_servers_send_for_certain_and_impossible_is_fine(number: str) -> None:
    logprobs = f'{{"tokens": ["a", "b", "!"], "token_logprobs": [null, {number}, null]}}'
    body = f'{{"choices": [{{"text": "ab!", "logprobs": {logprobs}}}]}}'.encode()
    assert scored_tokens(parse_text(body, scored="ab"), "m")[1].logprob == float(number)
