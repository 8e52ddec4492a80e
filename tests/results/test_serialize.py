"""The line of a result: as exact as it is fast."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from support.results import make_result, make_transcript, results

from lve.documents.json_lines import json_line
from lve.messages import Message
from lve.results.records import InstanceResult
from lve.results.serialize import args_of_line, identity_of_line, result_line, result_to_json

NAN = float("nan")


def with_logprobs(value: Any) -> InstanceResult:
    transcript = make_transcript()
    completion = replace(transcript.completions[0], logprobs=value)
    return make_result(transcripts=(replace(transcript, completions=(completion,)),))


def with_content(value: Any) -> InstanceResult:
    transcript = make_transcript()
    messages = (Message(value), *transcript.messages[1:])
    return make_result(transcripts=(replace(transcript, messages=messages),))


@given(results)
def test_the_line_says_what_the_exact_writer_says(result: InstanceResult) -> None:
    line = result_line(result)
    assert line.isascii()
    assert json.loads(line) == json.loads(json_line(result_to_json(result)))


@pytest.mark.parametrize(
    "result",
    [
        make_result(args={"x": NAN}),
        make_result(args={"x": [1, {"y": NAN}]}),
        make_result(score=NAN),
        make_result(score=float("inf")),
        with_logprobs([{"token": "a", "logprob": float("-inf")}]),
        with_content([{"type": "text", "text": "hi", "weight": NAN}]),
    ],
)
def test_a_number_that_json_does_not_have_is_not_lost(result: InstanceResult) -> None:
    line = result_line(result)
    assert line == json_line(result_to_json(result))
    assert '"nan"' in line or '"inf"' in line or '"-inf"' in line


def test_a_line_is_about_the_same_instance_in_whatever_order_its_fields_are() -> None:
    def line(result: InstanceResult, *, backwards: bool = False) -> bytes:
        fields = json.loads(result_line(result))
        return json.dumps(dict(reversed(fields.items())) if backwards else fields).encode() + b"\n"

    result = make_result(args={"a": 1, "b": 2})
    other = replace(result, repeat=result.repeat + 1)
    known = identity_of_line(result_line(result).encode() + b"\n")
    assert identity_of_line(line(result)) == known
    assert identity_of_line(line(result, backwards=True)) == known
    assert identity_of_line(line(other, backwards=True)) != known
    assert args_of_line(line(result, backwards=True)) == args_of_line(line(result))
    assert args_of_line(line(result)) != args_of_line(line(make_result(args={"a": 2})))


@pytest.mark.parametrize("line", [b"", b"[]\n", b"7\n", b"{}\n", b'{"test": "t"}\n', b"{\n"])
def test_a_line_that_holds_no_result_is_only_itself(line: bytes) -> None:
    assert identity_of_line(line) == line
    assert args_of_line(line) == "{}"
