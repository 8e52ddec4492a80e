"""What the log of `--trace` says of requests: cache, attempts, retries, waits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.folders import workspace, write_test
from support.server import ModelServer

from lve.extensions.accounts.requests import why_missed
from lve.messages import Completion
from lve.models.chat_model import ChatRequest

Traced = Callable[..., str]


def test_it_says_why_a_model_is_asked_again(
    root: Path, server: ModelServer, traced: Traced
) -> None:
    log = traced()
    steps = [line.partition("m #1: ")[2] for line in log.splitlines() if "m #1: " in line]
    first = "needs an answer to 1 message, the last: 'Say hello.', with temperature=0.0, "
    assert steps[0].startswith(first)
    assert re.fullmatch(r"cache key [0-9a-f]{12}: looks it up", steps[1])
    assert steps[2] == "asks, because nothing is stored under this key"
    assert re.match(r"rate_limit \(HTTP 429\) after \d\.\d+ s: .*slow down", steps[3])
    assert re.fullmatch(r"attempt 2 comes in \d\.\d+ s, as the server wishes", steps[4])
    assert steps[5].startswith("asks, because")
    assert re.match(r"answered after .* tokens in, \d+ out, finish reason stop: 'Hello'", steps[-1])
    assert "t test.json row 1: repeat 0, m: passed, $" in log


def test_it_says_why_the_cache_has_the_answer_or_is_not_asked(
    root: Path, server: ModelServer, traced: Traced
) -> None:
    traced()
    assert "m #1: found it in the cache: 'Hello'" in traced()
    assert ": not looked at (--refresh)\n" in traced("--refresh")
    assert "cache: not looked at (--no-cache)\n" in traced("--no-cache")


def test_it_says_what_was_waited_for(root: Path, traced: Traced) -> None:
    answers = {"provider": "scripted", "options": {"answers": "answers.yaml"}}
    paced = {**answers, "requests_per_minute": 600, "max_connections": 1}
    workspace(root, json.dumps({"models": {"s": paced}}))
    (root / "answers.yaml").write_text("default: Hello\n", encoding="utf-8")
    write_test(root / "t", model="s")
    log = traced("--repeats", "14")
    assert "s for requests_per_minute or tokens_per_minute" in log
    assert "s for a free connection (max_connections)" in log


class Stored:
    """A cache with one answer under each key."""

    def __init__(self, completion: Completion | None) -> None:
        self.completion = completion

    def get(self, key: str) -> Completion | None:
        return self.completion


@pytest.mark.parametrize(
    ("completion", "says"),
    [
        (None, "nothing is stored under this key"),
        (Completion("x", left_out=("seed",)), "the stored answer was given without seed"),
        (Completion("", finish_reason="content_filter"), "the stored answer is a failure"),
    ],
)
def test_why_the_cache_has_no_answer(completion: Completion | None, says: str) -> None:
    assert why_missed(Stored(completion), "key", ChatRequest()) == says  # type: ignore[arg-type]
