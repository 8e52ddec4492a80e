"""What an application's answer may be: each key of each kind, there and not there."""

from __future__ import annotations

from typing import Any

from support.recorded_calls import Calls, changed, grid, record

from lve.errors import ModelError
from lve.extensions.targets import reply, workers
from lve.extensions.targets.exec import plugin as exec_plugin

VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    1,
    -1,
    1.5,
    1e9,
    "",
    "text",
    [],
    ["a"],
    [1],
    {},
    {"text": "t"},
    {"a": 1},
)
CONTEXTS = ({"content": "c"}, {"page_content": "p"}, [{"text": "a"}, "b"], ("a",), ["a"] * 10_001)
CALLS = (
    [{"name": "f"}],
    [{"name": "f", "arguments": {"a": 1}, "id": "i"}],
    [{"function": {"name": "f", "arguments": "{"}, "id": "i"}],
    [{"name": "f", "args": {"b": 2}}],
    [{"id": "i"}],
    ["f"],
    "f",
)
USAGES = (
    {"prompt_tokens": 1},
    {"prompt_tokens": 1, "completion_tokens": 2},
    {"input_tokens": 3, "output_tokens": 4},
    {"prompt_tokens": 5, "completion_tokens": 6, "cached_tokens": 5, "reasoning_tokens": 6},
    {"prompt_tokens": 5, "completion_tokens": 6, "cached_tokens": 6, "reasoning_tokens": 7},
    {"prompt_tokens": -1},
    {"prompt_tokens": "1"},
    {"total_tokens": 1},
)
WHOLE = (
    {"text": "a", "contexts": ["b"], "finish_reason": "stop", "reasoning": "r", "session": 7},
    {"text": "a", "cost": 0.5, "usage": USAGES[1], "metadata": {"m": 1}, "tool_calls": CALLS[0]},
    {"error": "no", "text": "a"},
    {"error": "no", "retry": True},
    {"error": "no", "retry": 1},
    {"error": "", "text": "a"},
    {"retry": True},
    {"text": "a", "texts": 1},
    {"text": None},
)
ENDS: tuple[dict[str, Any], ...] = (
    {},
    {"output": "x"},
    {"error": "no\x1b"},
    {"error": "no", "code": 1, "stderr": "one\ntwo\n"},
    {"error": "no", "output": "x"},
    {"code": 0},
    {"code": 3, "output": "x"},
    {"code": -9, "stderr": "cut off", "is_cut": True},
    {"code": workers.TRY_LATER, "stderr": "\n \n"},
    {"code": 2, "stderr": "a" * 900},
)
OUTPUTS = (
    *("", "text", "{", '{"text": "a"}', ' \n{"text": "a"}', '"a"', "[1]", "7", "null"),
    '{"a": 1} b',
    "[" * 200 + "]" * 200, '{"a":' * 100 + "1" + "}" * 100, "\ud800",
)  # fmt: skip


def ended(answer: dict[str, Any]) -> object:
    """Return what a command's end says, and what comes of it as an answer."""
    try:
        output: object = workers._output({"output": "", **answer}, "the command")
    except ModelError as error:
        output = f"{type(error).__name__}: {error.kind} {error}"
    return workers._failure(answer), output


def value_of(output: str, only_json: bool) -> object:
    return exec_plugin._value_of(output, only_json=only_json)


def all_calls() -> Calls:
    return {
        **grid(ended, ENDS),
        **grid(value_of, OUTPUTS, (False, True)),
        **grid(reply.reply_from, (*VALUES, *WHOLE)),
        **grid(reply.text_from, VALUES),
        **grid(reply.contexts_from, (*VALUES, *CONTEXTS)),
        **grid(reply.calls_from, (*VALUES, *CALLS)),
        **grid(reply.usage_from, (*VALUES, *USAGES)),
        **grid(reply.cost_from, (*VALUES, 1e6, 1e6 + 1, 1e12)),
        **grid(reply.metadata_from, (*VALUES, {"a": float("nan")}, {1: {2}})),
        **grid(reply.session_from, VALUES),
        **grid(reply.kind_of, (*VALUES, (), b"")),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("targets", all_calls()) == {}


if __name__ == "__main__":
    record("targets", all_calls())
