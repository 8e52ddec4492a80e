"""The script that calls functions: its parts, in this process."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

import lve
from lve.extensions.targets.python.worker_script import (
    TargetError,
    Worker,
    call,
    crash_text,
    load,
    parameters_of,
    reply_value,
)

VALUES = {"prompt": "p", "messages": ["m"], "system": "s", "session": "i", "args": {"a": 1}}


def everything(question: str, /, messages: Any, *rest: Any, session: str = "", **more: Any) -> Any:
    return (question, messages, rest, session, more)


@pytest.mark.parametrize(
    ("function", "takes"),
    [
        (lambda prompt: prompt, {"prompt": "prompt"}),
        (lambda q: q, {"q": "prompt"}),
        (lambda messages, k=1: messages, {"messages": "messages"}),
        (lambda q, args, system: q, {"q": "prompt", "args": "args", "system": "system"}),
        (functools.partial(lambda db, q: q, "db"), {"q": "prompt"}),
        (everything, {"question": "prompt", "messages": "messages", "session": "session"}),
    ],
)
def test_a_signature_says_what_is_taken(function: Any, takes: dict[str, str]) -> None:
    assert parameters_of(function) == takes


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda: 1, "neither the prompt"),
        (lambda session: 1, "neither the prompt"),
        (lambda q, db: 1, "`db` needs a value"),
        (lambda messages, db: 1, "`db` needs a value"),
        (dict, "can't be read|neither"),
    ],
)
def test_a_signature_that_can_not_be_filled_is_refused(function: Any, why: str) -> None:
    with pytest.raises(TargetError, match=why):
        parameters_of(function)


def test_a_function_gets_what_it_takes() -> None:
    assert call(everything, parameters_of(everything), VALUES) == ("p", ["m"], (), "i", {})


def test_results_become_json() -> None:
    completion = lve.Completion(
        "t", usage=lve.Usage(3, 2), tool_calls=(lve.ToolCall("1", "f", "{}"),), contexts=("c",)
    )
    assert reply_value(completion) == {
        "text": "t",
        "contexts": ("c",),
        "tool_calls": [{"id": "1", "name": "f", "arguments": "{}"}],
        "usage": {
            "prompt_tokens": 3,
            "completion_tokens": 2,
            "cached_tokens": 0,
            "reasoning_tokens": 0,
        },
    }
    assert reply_value("x") == "x"
    for wrong in (None, 7, ["x"]):
        with pytest.raises(TargetError, match="return a text"):
            reply_value(wrong)


def test_a_worker_answers_lines(tmp_path: Path) -> None:
    def answer(prompt: str) -> Any:
        if prompt == "crash":
            raise ValueError("odd")
        return {"text": prompt} if prompt != "odd" else {"text": {1, 2}}

    worker = Worker(answer, str(tmp_path))
    assert worker.takes == ["prompt"]
    assert worker.answer(json.dumps({**VALUES, "prompt": "hi"})) == {"text": "hi"}
    assert worker.answer(json.dumps({**VALUES, "prompt": "crash"})) == {"error": "ValueError: odd"}
    assert "no JSON" in worker.answer(json.dumps({**VALUES, "prompt": "odd"}))["error"]


def test_all_calls_of_an_async_function_share_a_loop(tmp_path: Path) -> None:
    import asyncio

    async def answer(prompt: str) -> str:
        return str(id(asyncio.get_running_loop()))

    worker = Worker(answer, str(tmp_path))
    assert worker.answer(json.dumps(VALUES)) == worker.answer(json.dumps(VALUES))
    assert worker._loop is not None
    worker._loop.close()


def test_a_crash_names_the_last_place_in_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [])
    (tmp_path / "odd_app.py").write_text(
        "import json\ndef f(p):\n  json.loads(p)", encoding="utf-8"
    )
    function = load(str(tmp_path), "odd_app.py:f")
    with pytest.raises(json.JSONDecodeError) as error:
        function("{")
    assert crash_text(error.value, str(tmp_path)).endswith("(odd_app.py:3)")
    with pytest.raises(TargetError, match="no function `g`"):
        load(str(tmp_path), "odd_app.py:g")
