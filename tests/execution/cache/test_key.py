"""What the cache takes for the same request, and what not."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lve.execution.cache.key import key_maker, request_key
from lve.messages import Message, Role, Tool, ToolCall
from lve.models.chat_model import ChatRequest

IDENTITY = {"provider": "openai", "base_url": "http://a/v1", "model": "m"}
HELLO = (Message("be brief", Role.system), Message("hello"))
CALL = ToolCall("1", "f", "{}")
BASE: dict[str, Any] = {"messages": HELLO, "args": {"temperature": 0.0, "seed": 1}}

DIFFERENT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "endpoint": ({**IDENTITY, "base_url": "http://b/v1"}, {}),
    "model": ({**IDENTITY, "model": "n"}, {}),
    "repeat": (IDENTITY, {"repeat": 1}),
    "text": (IDENTITY, {"messages": (HELLO[0], Message("hallo"))}),
    "role": (IDENTITY, {"messages": (HELLO[0], Message("hello", Role.system))}),
    "one message less": (IDENTITY, {"messages": HELLO[:1]}),
    "order of messages": (IDENTITY, {"messages": HELLO[::-1]}),
    "image": (IDENTITY, {"messages": (HELLO[0], Message("hello", image_url="data:x"))}),
    "parts": (IDENTITY, {"messages": (HELLO[0], Message([{"type": "text", "text": "hello"}]))}),
    "call": (IDENTITY, {"messages": (HELLO[0], Message("hello", tool_calls=(CALL,)))}),
    "result of a call": (IDENTITY, {"messages": (HELLO[0], Message("hello", tool_call_id="1"))}),
    "state": (IDENTITY, {"messages": (HELLO[0], Message("hello", provider_state={"a": 1}))}),
    "tools": (IDENTITY, {"tools": (Tool("f"),)}),
    "what a tool is for": (IDENTITY, {"tools": (Tool("f", "adds"),)}),
    "arg value": (IDENTITY, {"args": {"temperature": 0.5, "seed": 1}}),
    "arg name": (IDENTITY, {"args": {"top_p": 0.0, "seed": 1}}),
    "arg less": (IDENTITY, {"args": {"temperature": 0.0}}),
    "arg type": (IDENTITY, {"args": {"temperature": 0.0, "seed": "1"}}),
}

SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "order of args": (IDENTITY, {"args": {"seed": 1, "temperature": 0.0}}),
    "order of identity": (dict(reversed(IDENTITY.items())), {}),
    "stream": (IDENTITY, {"stream": True}),
    "recorded": (IDENTITY, {"recorded": "an answer"}),
    "variable": (IDENTITY, {"messages": (HELLO[0], Message("hello", variable="v"))}),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_can_change_the_answer_changes_the_key(case: str) -> None:
    identity, change = DIFFERENT[case]
    assert request_key(identity, ChatRequest(**{**BASE, **change})) != base_key()


def test_all_different_requests_have_different_keys() -> None:
    keys = {request_key(i, ChatRequest(**{**BASE, **change})) for i, change in DIFFERENT.values()}
    assert len(keys) == len(DIFFERENT)


@pytest.mark.parametrize("case", SAME)
def test_what_cannot_change_the_answer_leaves_the_key(case: str) -> None:
    identity, change = SAME[case]
    assert request_key(identity, ChatRequest(**{**BASE, **change})) == base_key()


def test_the_key_is_the_same_in_every_process() -> None:
    script = (
        "from lve.execution.cache.key import request_key;"
        "from lve.models.chat_model import ChatRequest;"
        "from lve.messages import Message;"
        "print(request_key({'b': 1, 'a': {'d': 1, 'c': 2}}, "
        "ChatRequest((Message('x'),), {'z': 1, 'y': [1]})))"
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(keys) == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(), json_values), st.text(st.characters(codec=None)), st.integers(0, 9)
)
def test_any_request_has_a_key_that_does_not_depend_on_order(
    args: dict[str, Any], text: str, repeat: int
) -> None:
    request = ChatRequest((Message(text),), args, repeat)
    key = request_key(IDENTITY, request)
    assert key == request_key(
        IDENTITY, ChatRequest((Message(text),), dict(reversed(args.items())), repeat)
    )
    assert key != request_key(IDENTITY, ChatRequest((Message(text),), args, repeat + 1))
    assert key != request_key(IDENTITY, ChatRequest((Message(text + "!"),), args, repeat))
    assert len(bytes.fromhex(key)) == 16


def test_args_that_json_cannot_say_still_give_a_key() -> None:
    odd = {1: "int key", "b": {2, 1}, "c": float("nan")}
    assert request_key(IDENTITY, ChatRequest(HELLO, odd)) != base_key()  # type: ignore[arg-type]


def test_a_maker_of_keys_keeps_the_args_of_its_requests_apart() -> None:
    key_of = key_maker(IDENTITY)
    shared, other = {"temperature": 0.0}, {"temperature": 1.0}
    for args in (shared, shared, other, dict(shared), shared):
        request = ChatRequest(HELLO, args)
        assert key_of(request) == request_key(IDENTITY, request)


def base_key() -> str:
    return request_key(IDENTITY, ChatRequest(**BASE))


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates()
    | st.sampled_from(["nan", "inf", "-inf", "NaN", "1", "1.0", "true", "null", "2020-01-01"])
    | st.binary() | st.decimals() | st.just(float("nan"))
)  # fmt: skip
KEYS = st.text() | st.integers() | st.booleans() | st.none()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.sets(st.text() | st.integers() | st.floats(), max_size=3)
    ),
    max_leaves=6,
)


def told_apart(value: Any) -> Any:
    """Return a value that equals another's only if no model could tell them apart."""
    if isinstance(value, dict):
        # JSON has text keys alone: to a server `1` and `"1"` are the same key.
        keys = {json.loads(json.dumps({key: 0})).popitem()[0] for key in value}
        if len(keys) < len(value):
            return "dict", sorted((repr(k), repr(told_apart(v))) for k, v in value.items())
        named = {
            json.loads(json.dumps({k: 0})).popitem()[0]: told_apart(v) for k, v in value.items()
        }
        return "dict", sorted((k, repr(v)) for k, v in named.items())
    if isinstance(value, (list, tuple)):
        return "list", [told_apart(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return "set", sorted(repr(item) for item in value)
    return type(value).__name__, repr(value)


def key_with(value: Any) -> str:
    return request_key(IDENTITY, ChatRequest(HELLO, {"x": value}))


@given(VALUES, VALUES)
@example(float("nan"), "nan")
@example(float("inf"), "inf")
@example([float("nan"), "nan"], ["nan", float("nan")])
@example(0.0, -0.0)
@example(1, 1.0)
@example(1, True)
@example(b"x", "b'x'")
@example({1, 2}, [1, 2])
@example({1: "a", "1": "b"}, {"1": "b"})
@example({"a": float("nan"), "b": 1}, {"a": "nan", "b": 1})
@example(10**30, float(10**30))
@example("\u00e9", "e\u0301")
@example(date(2020, 1, 1), "2020-01-01")
def test_args_that_a_model_could_tell_apart_have_different_keys(one: Any, other: Any) -> None:
    if told_apart(one) != told_apart(other):
        assert key_with(one) != key_with(other)
    else:
        assert key_with(one) == key_with(one)


def test_an_object_that_says_nothing_of_itself_is_never_taken_for_another() -> None:
    assert key_with(object()) != key_with(object())


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (0.5, "18dd896e9acd7af6cb0fe8297352cee4"),
        (
            {"b": [1, None, True], "a b": "\u00e9", "a": {"c": -0.0}},
            "fe228c2a76989bbfe3d2d9ae8a93c299",
        ),
        ((1, 2), "33694c32fc1be6d90e1f4c3319178d37"),
    ],
)
def test_keys_of_earlier_versions_stay(value: Any, key: str) -> None:
    assert key_with(value) == key


@pytest.mark.parametrize(
    ("message", "key"),
    [
        (Message('Hello \u00e9\u2028 \\ " \x7f'), "27fe097d5f0392454ee6bfa0a5fe7f4a"),
        (Message("hi", image_url=""), "57223f732da59079fe2d5269406d5025"),
        (Message("hi", image_url="x"), "a6ca9a109ad69b2bbf9c550d1471beaf"),
        (Message(None, Role.assistant, tool_calls=(CALL,)), "4bd126c5e98f3cfad5455eac3488945b"),
        (Message([{"type": "text", "text": "a"}]), "67d69cfb80e071e02453f1b6fd7144d7"),
    ],
)
def test_messages_keep_the_keys_of_earlier_versions(message: Message, key: str) -> None:
    assert request_key(IDENTITY, ChatRequest((HELLO[0], message), {"temperature": 0.0})) == key
