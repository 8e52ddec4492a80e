"""What promptfoo gives assertions of calls. The outputs are those of promptfoo 0.121.20, which
asked a server that gave these calls (Nova, Live and Adaline: as its source says)."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.contract import CheckContext
from lve.checkers.extract.answer_text import AnswerText
from lve.checkers.extract.extractors import ExtractingChecker, make_extractor
from lve.extensions.promptfoo_scripts.call_forms import FORMS, Calls, ValueText
from lve.extensions.promptfoo_scripts.script_check import PromptfooScript, Transform
from lve.messages import Completion, Message, Role, ToolCall, Transcript
from lve.sandbox.layers import missing

needs_node = pytest.mark.skipif(
    bool(missing()) or shutil.which("node") is None, reason="no node, or no whole sandbox"
)
CALLS = (ToolCall("c0", "get", '{"at": "Oslo"}'), ToolCall("c1", "put", "{}"))
FUNCTION = {"name": "get", "arguments": '{"at": "Oslo"}'}
LISTED = [
    {"id": "c0", "type": "function", "function": FUNCTION},
    {"id": "c1", "type": "function", "function": {"name": "put", "arguments": "{}"}},
]
PARTS = [
    {"functionCall": {"name": "get", "args": {"at": "Oslo"}}},
    {"functionCall": {"name": "put", "args": {}}},
]
USES = (
    '{"type":"tool_use","id":"c0","name":"get","input":{"at":"Oslo"}}\n\n'
    '{"type":"tool_use","id":"c1","name":"put","input":{}}'
)
ITEMS = (
    '{"type":"function_call","status":"completed","arguments":"{\\"at\\": \\"Oslo\\"}",'
    '"call_id":"c0","name":"get"}\n'
    '{"type":"function_call","name":"put","status":"no_arguments_provided","note":"Function called '
    "but no arguments were extracted. Consider using the correct Responses API tool "
    'format."}'
)
LIVE = [
    {"name": "get", "args": {"at": "Oslo"}, "id": "c0"},
    {"name": "put", "args": {}, "id": "c1"},
]
OUTPUTS: dict[tuple[str, str], Any] = {
    ("chat", ""): LISTED,
    ("chat", "I look."): {"role": "assistant", "content": "I look.", "tool_calls": LISTED},
    ("function", ""): FUNCTION,
    ("function", "I."): {"role": "assistant", "content": "I.", "function_call": FUNCTION},
    ("google", ""): PARTS,
    ("google", "I look."): [{"text": "I look."}, *PARTS],
    ("blocks", ""): USES,
    ("blocks", "I look."): f"I look.\n\n{USES}",
    ("responses", ""): ITEMS,
    ("responses", "I look."): f"I look.\n{ITEMS}",
    ("nova", "I look."): '{"toolUseId":"c0","name":"get","input":{"at":"Oslo"}}\n\n'
    '{"toolUseId":"c1","name":"put","input":{}}',
    ("live", ""): {"text": "", "toolCall": {"functionCalls": LIVE}},
    ("adaline", "I."): [
        {"modality": "text", "value": "I."},
        {"modality": "tool-call", "index": 0, "id": "c0", **FUNCTION},
        {"modality": "tool-call", "index": 1, "id": "c1", "name": "put", "arguments": "{}"},
    ],
}


def answer(text: str, calls: tuple[ToolCall, ...] = CALLS) -> AnswerText:
    said = AnswerText(text)
    said.calls = calls
    return said


def value_of(text: str) -> Any:
    return text.value if isinstance(text, ValueText) else str(text)


@pytest.mark.parametrize(("form", "text"), list(OUTPUTS))
def test_each_form(form: str, text: str) -> None:
    output = Calls(form)(answer(text))
    expected = OUTPUTS[form, text]
    assert value_of(output) == expected
    compact = json.dumps(expected, separators=(",", ":"))  # also the order of keys
    assert output == (expected if isinstance(expected, str) else compact)


def test_every_form_has_an_output() -> None:
    assert {form for form, _ in OUTPUTS} == set(FORMS)


def test_answers_without_calls_stay_texts_but_of_live() -> None:
    assert {value_of(Calls(form)(answer('{"a": 1}', ()))) for form in {*FORMS} - {"live"}} == {
        '{"a": 1}'
    }
    assert value_of(Calls("chat")("a")) == "a"
    assert value_of(Calls("live")(answer("a", ()))) == {
        "text": "a",
        "toolCall": {"functionCalls": []},
    }


def test_arguments_that_are_no_json_stay_texts() -> None:
    [part] = value_of(Calls("google")(answer("", (ToolCall("", "get", "{"),))))
    assert part["functionCall"]["args"] == "{"


def test_a_form_is_one_of_these() -> None:
    with pytest.raises(ArgumentError, match="no form 'chats'; there are chat, function"):
        make_extractor({"type": "promptfoo_calls", "form": "chats"})


def verdict(script: str, *steps: Any, text: str = "") -> str:
    messages = (Message("Where?"), Message(text, Role.assistant, tool_calls=CALLS))
    run = Transcript(messages, (Completion(text, tool_calls=CALLS),), filled=(1,))
    check = build(PromptfooScript, {"promptfoo_script": script})
    extract = make_extractor(list(steps))
    return ExtractingChecker(check, extract).check(CheckContext((run,))).outcome


@needs_node
def test_scripts_and_transforms_get_values() -> None:
    calls = {"type": "promptfoo_calls", "form": "chat"}
    assert verdict("JSON.parse(output[0].function.arguments).at === 'Oslo'", calls) == "passed"
    assert verdict("output.tool_calls.length === 2", calls, text="I look.") == "passed"
    first = {"type": "promptfoo_script", "script": "output[0].function"}
    second = {"type": "promptfoo_script", "script": "({n: output.name.length, a: [1]})"}
    assert verdict("output.n === 3 && output.a[0] === 1", calls, first, second) == "passed"
    assert verdict("output === 'get'", calls, first, second) == "failed"
    assert Transform("({a: [1, 'é']})")("x") == '{"a":[1,"é"]}'
