"""A result as a line of the journal, and back."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from support.results import make_result, make_transcript, results

from lve.checkers.questions import Answer
from lve.documents import json_lines
from lve.documents.json_lines import json_line
from lve.documents.read import read_document
from lve.documents.validation.schema import validate
from lve.messages import Completion, Message, Role, ToolCall, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal import result_json
from lve.sessions.journal.result_json import (
    args_of_line,
    identity_of_line,
    result_from_json,
    result_line,
    result_to_json,
)

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


@pytest.mark.parametrize(
    "args", [{"temperature": 0.0}, {"a": 1, "top_p": 0.95, "stop": ["x"], "more": {"x": -1.5}}]
)
def test_finite_numbers_do_not_keep_a_line_from_the_fast_writer(
    args: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = make_result(args=args, score=0.5)
    slowly = json_line(result_to_json(result))
    for module in (result_json, json_lines):
        monkeypatch.setattr(module, "json_line", lambda _: pytest.fail("written slowly"))

    line = result_line(result)

    assert json.loads(line) == json.loads(slowly)


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


def test_calls_of_tools_and_what_the_model_thought_are_kept(tmp_path: Path) -> None:
    calls = (ToolCall("c1", "weather", '{"city": "Rome"}'),)
    asks = Message("", Role.assistant, "call", tool_calls=calls)
    transcript = make_transcript()
    question, answer = transcript.messages
    messages = (question, asks, Message("sunny", Role.tool, tool_call_id="c1"), answer)
    thought = replace(transcript.completions[0], text="", tool_calls=calls, reasoning="Rome?")
    completions = (thought, *transcript.completions)
    held = replace(transcript, messages=messages, completions=completions, filled=(1, 3))

    result = make_result(transcripts=(held,))
    file = tmp_path / "result.json"
    file.write_text(result_line(result))

    document = read_document(file)
    assert validate(document, "result") == []
    assert result_from_json(document.data).transcripts == (held,)


@pytest.mark.parametrize("cause", [None, "h: refused"])
def test_the_cause_of_an_error_is_kept_and_older_sessions_have_none(
    cause: str | None, tmp_path: Path
) -> None:
    result = make_result(verdict="error", reason="h: refused (after 4 attempts)", cause=cause)
    file = tmp_path / "result.json"
    file.write_text(result_line(result))
    document = read_document(file)
    assert validate(document, "result") == []
    assert ("cause" in document.data) == (cause is not None)
    assert result_from_json(document.data).cause == cause


def test_what_stands_in_a_part_is_kept_as_its_sum() -> None:
    data = "QUJD" * 1000
    parts = (
        {"type": "text", "text": data},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}", "detail": "x"}},
        {"type": "image_url", "image_url": f"data:image/png;base64,{data}"},
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
        {"type": "file", "file": {"filename": "a", "file_data": f"data:x;base64,{data}"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/" + data}},
        {"type": "file", "file": 3},
    )
    transcript = replace(make_transcript(), messages=(Message(parts),), filled=())
    line = json.loads(result_line(make_result(transcripts=(transcript,))))
    kept = line["transcripts"][0]["messages"][0]["content"]
    assert kept[0] == parts[0]
    assert kept[1]["image_url"]["url"].startswith("data:image/png;base64,sha256=")
    assert kept[1]["image_url"]["detail"] == "x"
    assert kept[2]["image_url"] == kept[1]["image_url"]["url"]
    assert kept[3]["input_audio"]["data"].startswith("data:,sha256=")
    assert kept[4]["file"]["file_data"].startswith("data:x;base64,sha256=")
    assert list(kept[5:]) == list(parts[5:])


FIELDS: dict[str, Any] = {
    "recorded": "failed",
    "responses": ("a", {"x": "b", "y": ""}),
    "transcripts": (make_transcript("a", "b"), make_transcript("c", "d")),
    "usage": Usage(1, 2, 1, 1),
    "cost": 0.5,
    "latency_s": 1.5,
    "cached": True,
    "error_kind": "checker",
    "score": -0.5,
    "judged_by": "sha256:0",
    "asked": (Answer("q", "judge", "m", Completion("yes", "stop"), cost=0.25),),
    "advisory": True,
    "labels": ("a", "b"),
    "parts": {"tokens": (1.0, 2.0)},
    "sent": ("sha256:1", "sha256:2"),
    "unbound": True,
    "answered_by": "",
    "cause": "why",
    "variant": "short",
}
"""For each field with a default another value."""


@pytest.mark.parametrize("name", FIELDS)
def test_each_field_comes_back(name: str) -> None:
    result = make_result(**{name: FIELDS[name]})
    back = result_from_json(json.loads(result_line(result)))
    assert (getattr(back, name), back) == (FIELDS[name], result)


def test_every_field_that_is_written_has_a_value_here() -> None:
    optional = {
        each.name
        for each in fields(InstanceResult)
        if each.compare and (each.default, each.default_factory) != (MISSING, MISSING)
    }
    assert FIELDS.keys() == optional
    plain = InstanceResult("t", "m", "s", 1, 0, {}, "passed", "")
    assert result_from_json(json.loads(result_line(plain))) == plain


@pytest.mark.parametrize("count", [0, 1, 2])
def test_each_completion_comes_back_even_if_no_message_has_its_text(count: int) -> None:
    """A model that calls tools completes one turn several times."""
    transcript = make_transcript()
    more = tuple(Completion("", "tool_calls", Usage(n, 1)) for n in range(count))
    transcript = replace(transcript, completions=(*transcript.completions, *more))
    back = result_from_json(json.loads(result_line(make_result(transcripts=(transcript,)))))
    assert back.transcripts[0].completions == transcript.completions
