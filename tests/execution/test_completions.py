"""Completions as JSON, and without secrets: what applications return beside the text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.known_secrets import knowing

from lve.errors import PermanentModelError
from lve.execution.cache.value import completion_from_value, completion_to_value
from lve.execution.completions import in_microseconds, redacted, returned_to_json, with_returned
from lve.messages import Completion, Message, Role, ToolCall, Transcript

WHOLE = Completion(
    "answer",
    "stop",
    contexts=("a key", "b"),
    metadata={"deep": [{"key": "a key"}], "a key": 1},
    cost=0.25,
    tool_calls=(ToolCall("1", "search", "{}"),),
)


def test_all_that_is_returned_is_stored() -> None:
    stored = completion_from_value(completion_to_value(WHOLE))
    assert (stored.contexts, stored.metadata, stored.cost) == (
        WHOLE.contexts,
        WHOLE.metadata,
        WHOLE.cost,
    )


def nested(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "forged",
    [
        {"contexts": [1]},
        {"contexts": "text"},
        {"metadata": []},
        {"metadata": nested(100)},
        {"cost": -1},
        {"cost": "1"},
        {"cost": 10**400},
        {"cost": True},
    ],
)
def test_a_forged_value_is_refused(forged: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        completion_from_value({**completion_to_value(WHOLE), **forged})


def test_no_secret_is_left_in_what_is_returned() -> None:
    with knowing("k3y-0f-the-app-98"):
        hidden = redacted(
            replace(
                WHOLE,
                contexts=("it is k3y-0f-the-app-98", "b"),
                metadata={"deep": [{"k": "k3y-0f-the-app-98"}], "k3y-0f-the-app-98": 1},
            )
        )
    assert "k3y-0f" not in str(hidden)
    assert hidden.contexts[1] == "b"


def transcript(*more: Message) -> Transcript:
    answer = Message("answer", Role.assistant, tool_calls=WHOLE.tool_calls)
    return Transcript((Message("hi"), answer, *more), (WHOLE,), filled=(1,))


def test_a_replay_gets_what_was_returned() -> None:
    plain = Transcript((Message("hi"), Message("answer", Role.assistant)), (Completion("answer"),))
    plain.filled = (1,)
    returned = returned_to_json(transcript())
    replayed = with_returned(plain, returned)
    assert replayed.completions[0].contexts == WHOLE.contexts
    assert replayed.completions[0].cost == 0.25
    assert replayed.messages[1].tool_calls == WHOLE.tool_calls
    assert returned_to_json(plain) == []
    with pytest.raises(PermanentModelError, match="recorded beside the answer"):
        with_returned(plain, [{"contexts": [1]}])


def test_calls_that_tools_answered_are_not_the_applications_own() -> None:
    result = Message("sunny", Role.tool, tool_call_id="1")
    assert "tool_calls" not in returned_to_json(transcript(result))[0]


@given(st.one_of(st.floats(0, 1e9), st.integers(0, 10**15).map(lambda n: n / 1e6), st.floats()))
@example(1.7265625)
@example(0.0000005)
def test_seconds_in_microseconds_are_what_round_returns(seconds: float) -> None:
    assert repr(in_microseconds(seconds)) == repr(round(seconds, 6))
    assert repr(in_microseconds(round(seconds, 6))) == repr(round(seconds, 6))
