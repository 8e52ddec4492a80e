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
from lve.results.serialize import result_line, result_to_json

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
