"""Answers of servers that rate a prompt."""

from __future__ import annotations

import json
from typing import Any

from lve.extensions.text_completions.api import parse_text
from lve.messages import Completion

PROMPT = "The sky is blue"


def rated(tokens: list[str], **more: Any) -> Completion:
    logprobs = {"tokens": tokens, "token_logprobs": [None] + [-1.0] * (len(tokens) - 1), **more}
    choice = {"text": "".join(tokens), "logprobs": logprobs}
    return parse_text(json.dumps({"choices": [choice]}).encode(), scored="ab")
