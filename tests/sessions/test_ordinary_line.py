"""The line of an ordinary result is the one that the general writer writes."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.results import any_text, make_result, results

from lve.checkers.questions import Answer
from lve.messages import Completion, Message, Role, ToolCall, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.result_info import ordinary_line
from lve.sessions.journal.result_json import is_surely_readable, result_line, result_to_json

NAN = float("nan")


def ordinary(question: str = "hi", text: str = "hello", **changes: Any) -> InstanceResult:
    """Return the result of one answer; fields of its completion begin with `c_`."""
    usage, seconds = changes.pop("usage", Usage(3, 4)), changes.pop("latency_s", 0.25)
    cached = changes.pop("cached", False)
    own = {name[2:]: changes.pop(name) for name in [*changes] if name.startswith("c_")}
    fields = {"usage": usage, "latency_s": seconds, "cached": cached, "model": "m-1"} | own
    turns = (Message(question), Message(text, Role.assistant, variable="response"))
    transcript = Transcript(turns, (Completion(text, **fields),), filled=(1,))
    more = {"usage": usage, "latency_s": seconds, "cached": cached, "responses": (text,)}
    return make_result(**{"args": {"name": "Ann"}, "transcripts": (transcript,)} | more | changes)


numbers = st.none() | st.floats(0, 1e9, allow_nan=False)


TIE_S = 1.7265625
"""Half of a microsecond, which is rounded to the even one."""


@example(ordinary(latency_s=TIE_S), None, None)
@given(
    st.builds(
        ordinary,
        *(any_text, any_text),
        args=st.dictionaries(any_text, any_text | st.integers(0, 10**18) | st.none()),
        reason=any_text,
        source=any_text,
        recorded=st.sampled_from([None, "passed", "failed"]),
        verdict=st.sampled_from(["passed", "failed"]),
        usage=st.builds(Usage, st.integers(0, 10**9), st.integers(0, 10**9)),
        latency_s=st.floats(0, 1e9),
        cached=st.booleans(),
        c_model=st.none() | any_text,
        c_finish_reason=st.none() | any_text,
    ),
    numbers,
    numbers,
)
def test_an_ordinary_line_is_the_same_byte_for_byte(
    result: InstanceResult, cost: float | None, score: float | None
) -> None:
    result.cost, result.score = cost, score
    line = ordinary_line(result)
    assert line is not None
    assert is_surely_readable(result)
    assert json.loads(line) == json.loads(result_line(result))
    with suppress(TypeError):  # half a surrogate pair: small numbers are spelled differently
        orjson.dumps(result_to_json(result))
        assert line == result_line(result)


@given(results)
def test_any_other_line_is_left_to_the_general_writer(result: InstanceResult) -> None:
    line = ordinary_line(result)
    assert line is None or (line == result_line(result) and is_surely_readable(result))


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "error", "error_kind": "checker"},
        {"verdict": "inconclusive"},
        {"verdict": "passed", "error_kind": "odd"},
        {"judged_by": "a" * 64},
        {"asked": (Answer("q", "judge", "m"),)},
        {"advisory": True},
        {"labels": ("a", "b")},
        {"sent": ("a",)},
        {"unbound": True},
        {"answered_by": ""},
        {"cause": "why"},
        {"variant": "v"},
        {"score": NAN},
        {"score": 1},
        {"cost": float("inf")},
        {"cost": -1.0},
        {"reason": b"bytes"},
        {"args": {"x": NAN}},
        {"args": {"x": [1]}},
        {"responses": ({"a": "b"},)},
        {"latency_s": -1.0},
        {"latency_s": 1},
        {"cached": 1},
        {"usage": Usage(1.5, 2)},  # type: ignore[arg-type]
        {"usage": Usage(3, True)},
        {"usage": Usage(3, 4, 1)},
        {"usage": Usage(3, 4, 0, 1)},
        {"c_usage": Usage(3, 4)},
        {"c_latency_s": 0.5},
        {"c_cached": True},
        {"c_model": 7},
        {"c_finish_reason": b"stop"},
        {"c_first_token_s": 0.1},
        {"c_logprobs": [{"token": "a"}]},
        {"c_left_out": ("temperature",)},
        {"c_reasoning": "so"},
        {"c_contexts": ("a text",)},
        {"c_metadata": {"a": 1}},
        {"c_cost": 0.1},
    ],
)
def test_what_few_results_have_is_left_to_the_general_writer(changes: dict[str, Any]) -> None:
    assert ordinary_line(ordinary()) is not None
    assert ordinary_line(ordinary(**changes)) is None


@pytest.mark.parametrize(
    "message",
    [
        Message([{"type": "text", "text": "hi"}]),
        Message("hi", image_url="https://a.example/x.png"),
        Message("hi", Role.assistant, tool_calls=(ToolCall("1", "f", "{}"),)),
        Message("hi", Role.tool, tool_call_id="1"),
    ],
)
def test_messages_with_more_than_text_are_left_to_the_general_writer(message: Message) -> None:
    result = ordinary()
    transcript = result.transcripts[0]
    mixed = replace(transcript, messages=(message, transcript.messages[1]))
    assert ordinary_line(replace(result, transcripts=(mixed,))) is None
    for other in (replace(transcript, name="run"), replace(transcript, completions=())):
        assert ordinary_line(replace(result, transcripts=(other,))) is None
    assert ordinary_line(replace(result, transcripts=(transcript, transcript))) is None
