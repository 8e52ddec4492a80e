"""Malformed answers of Bedrock."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from extensions.bedrock.test_stream import KEYS, WORDS
from hypothesis import given
from support.any_json import any_json

from lve.errors import ModelError
from lve.extensions.bedrock.answer import parse_converse
from lve.models.chat_model import wrong_with


@given(any_json(KEYS, WORDS), any_json(("inputTokens", "outputTokens"), WORDS))
def test_whatever_comes_is_a_completion_or_an_error(block: Any, usage: Any) -> None:
    message = {"content": [block]}
    whole = {"output": {"message": message}, "stopReason": "end_turn", "usage": usage}
    for data in (block, whole):
        with suppress(ModelError):
            body = json.dumps(data).encode()
            assert wrong_with(parse_converse(body, latency_s=0.1, secret=None)) is None
