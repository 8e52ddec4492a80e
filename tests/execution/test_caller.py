"""What a model returns is one answer for all doors: written calls, whole characters, and nothing
that its server gave up."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lve.errors import PermanentModelError
from lve.execution.budgets.budget import Budget, BudgetCaps
from lve.execution.cache.cache import CompletionCache, request_key
from lve.execution.caller import ModelCaller
from lve.execution.completer import Completer
from lve.execution.request_limits import ModelLimits
from lve.execution.stop import StopSignal
from lve.messages import Completion, Message, ToolCall
from lve.models.chat_model import ChatRequest, wrong_with
from lve.models.dummy import DummyModel
from lve.models.openai.wire import parse_chat

REQUEST = ChatRequest((Message("hi"),))


class Model:
    """Returns one answer."""

    name = "test/model"
    identity: ClassVar = {"provider": "test"}

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.count = 0

    async def complete(self, request: ChatRequest) -> Completion:
        self.count += 1
        answer: Completion = self.answer
        return answer

    async def aclose(self) -> None:
        """Nothing is open."""


def answer_of(completion: Any) -> Completion:
    return asyncio.run(ModelCaller(Model(completion)).answer(REQUEST))


def call(arguments: Any, **fields: Any) -> Any:
    values: Any = {"id": "c", "name": "find", "arguments": arguments, **fields}
    return ToolCall(**values)


@pytest.mark.parametrize("kind", [tuple, list])
def test_arguments_may_be_a_dict(kind: Any) -> None:
    calls = kind([call({"q": "tea", "é": [1, None]}), call('{"q": 2}')])
    answer = answer_of(Completion("", tool_calls=calls))
    assert answer.tool_calls == (call('{"q": "tea", "é": [1, null]}'), call('{"q": 2}'))


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ((call(5),), r"tool_calls\[0\]\.arguments must be JSON, as a text or a dict, not 5"),
        ((call("{}"), call({1, 2})), r"tool_calls\[1\]\.arguments must be JSON.* not \{1, 2\}"),
        ((call({"q": {1}}),), r"tool_calls\[0\]\.arguments must be JSON.* not \{'q': \{1\}\}"),
        ((call({"q": float("nan")}),), r"tool_calls\[0\]\.arguments must be JSON"),
        ((call("{}", name=None),), r"tool_calls\[0\]\.name must be a text, not None"),
        ((call("{}", id=7),), r"tool_calls\[0\]\.id must be a text, not 7"),
        (({"name": "f"},), r"tool_calls must be a tuple of lve\.ToolCall, not \("),
        (7, r"tool_calls must be a tuple of lve\.ToolCall, not 7"),
    ],
)
def test_a_message_says_which_field_of_which_call_is_wrong(calls: Any, message: str) -> None:
    with pytest.raises(PermanentModelError, match=message) as caught:
        answer_of(Completion("", tool_calls=calls))
    assert caught.value.kind == "model_crash"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("a\ud83d\ude00b", "a😀b"),
        ("a\ud83db", "a\ufffdb"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("é😀", "é😀"),
        ("plain", "plain"),
    ],
)
def test_every_text_is_in_whole_characters(text: str, whole: str) -> None:
    answer = answer_of(
        Completion(
            text,
            reasoning=text,
            tool_calls=(call(text),),
            logprobs=[{"token": text}],
            contexts=(text,),
        )
    )
    assert answer.text == answer.reasoning == answer.tool_calls[0].arguments == whole
    assert (answer.logprobs, answer.contexts) == ([{"token": whole}], (whole,))
    assert json.loads(json.dumps(answer.text)) == answer.text, "a file changes nothing"
    for part in (Completion("x", reasoning=text), Completion("x", tool_calls=(call(text),))):
        answer = answer_of(part)
        assert whole in (answer.reasoning, *(one.arguments for one in answer.tool_calls))
    assert answer_of(Completion("x", contexts=(text,))).contexts == (whole,)


def asked_after(stored: Completion, path: Path) -> tuple[Completion, int, Completion | None]:
    """Ask with an answer in the cache; return the answer, how often the model was asked, and what
    the cache has then."""

    async def run() -> tuple[Completion, int, Completion | None]:
        cache = CompletionCache.open(path / "cache.db", warn=pytest.fail)
        assert cache is not None
        model, signal = Model(Completion("fresh", "stop")), StopSignal()
        await cache.put(request_key(model.identity, REQUEST), stored)
        completer = Completer(
            model,
            stop_signal=signal,
            limits=ModelLimits(stop_signal=signal, clock=lambda: 0.0, max_connections=1),
            budget=Budget(BudgetCaps(), signal),
            cache=cache,
            key_of=lambda request: request_key(model.identity, request),
        )
        answer = await completer.complete(REQUEST)
        kept = cache.get(request_key(model.identity, REQUEST))
        cache.close()
        return answer, model.count, kept

    return asyncio.run(run())


@pytest.mark.parametrize("reason", ["error", "abort"])
def test_what_a_server_gave_up_is_asked_again_though_it_is_in_the_cache(
    reason: str, tmp_path: Path
) -> None:
    answer, count, kept = asked_after(Completion("Paris is", reason), tmp_path)
    assert (answer.text, count) == ("fresh", 1)
    assert kept is not None
    assert kept.text == "fresh"


@pytest.mark.parametrize("reason", ["stop", "length", None, "errors"])
def test_any_other_answer_is_taken_from_the_cache(reason: str | None, tmp_path: Path) -> None:
    answer, count, _ = asked_after(Completion("Par\ud83dis", reason), tmp_path)
    assert (answer.text, count) == ("Par\ufffdis", 0)


USAGES: list[Any] = [
    None,
    {},
    {"prompt_tokens": 8, "completion_tokens": 1},
    {"prompt_tokens": 8, "completion_tokens": -1},
    {"prompt_tokens": True, "completion_tokens": 1},
    {"prompt_tokens": 8, "completion_tokens": 1, "total_tokens": 9, "prompt_tokens_details": None},
    {
        "prompt_tokens": 8,
        "completion_tokens": 1,
        "total_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 4},
    },
    {
        "prompt_tokens": 8,
        "completion_tokens": 3,
        "total_tokens": 11,
        "completion_tokens_details": {"reasoning_tokens": 2},
    },
]


@pytest.mark.parametrize("usage", USAGES)
@pytest.mark.parametrize("choice", [{}, {"logprobs": {"content": []}}, {"finish_reason": "odd"}])
@pytest.mark.parametrize("said", [{}, {"reasoning_content": "hm"}, {"refusal": None}])
def test_an_answer_that_its_reader_marks_as_plain_is_one(
    usage: Any, choice: dict[str, Any], said: dict[str, Any]
) -> None:
    message = {"role": "assistant", "content": "4", **said}
    choices = [{"message": message, "finish_reason": "stop", **choice}]
    answer = parse_chat(json.dumps({"choices": choices, "model": "m", "usage": usage}).encode())
    is_marked = answer.is_plain
    assert wrong_with(answer) is None
    assert is_marked <= answer.is_plain
    if usage == USAGES[2] and choice == {} and "reasoning_content" not in said:
        assert is_marked, "nearly all answers"


class Marking(DummyModel):
    """Says of a wrong answer that it is plain, as a plugin that changes a good one would."""

    async def complete(self, request: ChatRequest) -> Completion:
        wrong: Any = 5
        answer = Completion(wrong)
        answer.is_plain = True
        return answer


def test_only_models_of_lve_are_believed_that_an_answer_is_plain() -> None:
    with pytest.raises(PermanentModelError, match="must be a text, not 5"):
        asyncio.run(ModelCaller(Marking("dummy/x")).answer(REQUEST))
