"""What promptfoo gives assertions of an answer that calls tools, in its providers' forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from lve.checkers.arguments import ArgumentError
from lve.checkers.extract.answer_text import AnswerText
from lve.json_types import JsonObject, JsonValue
from lve.messages import ToolCall
from lve.prompts.tools.calls import arguments_of
from lve.suggest import did_you_mean


class ValueText(str):
    """A value as JSON, for assertions on texts; scripts get the value itself."""

    value: JsonValue


def as_output(value: JsonValue) -> str:
    """Return a value as the text that promptfoo makes of it; a text is itself."""
    if isinstance(value, str):
        return value
    text = ValueText(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    text.value = value
    return text


class Calls:
    """Gives an answer that calls tools the form that a provider of promptfoo gives it: a filter of
    `extract`. Other answers stay as they are."""

    def __init__(self, form: str) -> None:
        """Args:
            form: one of `FORMS`.

        Raises:
            ArgumentError: there is no such form.
        """
        if form not in FORMS:
            message = f"extractor 'promptfoo_calls': there is no form {form!r}; "
            hint = did_you_mean(form, FORMS)
            raise ArgumentError("extract", message + f"there are {', '.join(FORMS)}", hint=hint)
        self._form = form

    def __call__(self, text: str) -> str:
        """Return the text; of an answer with calls, or of `live`, what promptfoo has instead."""
        calls = text.calls if isinstance(text, AnswerText) else ()
        return as_output(FORMS[self._form](text, calls)) if calls or self._form == "live" else text


Said = Sequence[ToolCall]


def _function(call: ToolCall) -> JsonObject:
    return {"name": call.name, "arguments": call.arguments}


def _arguments(call: ToolCall) -> JsonValue:
    arguments = arguments_of(call.arguments)
    return call.arguments if arguments is None else arguments


def _chat(text: str, calls: Said) -> JsonValue:
    listed: list[JsonValue] = [
        {"id": call.id, "type": "function", "function": _function(call)} for call in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": listed} if text else listed


def _function_call(text: str, calls: Said) -> JsonValue:
    call = _function(calls[0])
    return {"role": "assistant", "content": text, "function_call": call} if text else call


def _google(text: str, calls: Said) -> JsonValue:
    parts: list[JsonValue] = [{"text": text}] if text else []
    return parts + [
        {"functionCall": {"name": call.name, "args": _arguments(call)}} for call in calls
    ]


def _live(text: str, calls: Said) -> JsonValue:
    listed: list[JsonValue] = [
        {"name": call.name, "args": _arguments(call), "id": call.id} for call in calls
    ]
    return {"text": text, "toolCall": {"functionCalls": listed}}


def _adaline(text: str, calls: Said) -> JsonValue:
    parts: list[JsonValue] = [{"modality": "text", "value": text}] if text else []
    return parts + [
        {"modality": "tool-call", "index": index, "id": call.id, **_function(call)}
        for index, call in enumerate(calls)
    ]


def _joined(between: str, block: Callable[[ToolCall], JsonObject]) -> Callable[[str, Said], str]:
    def joined(text: str, calls: Said) -> str:
        blocks = [as_output(block(call)) for call in calls]
        return between.join([*([text] if text else []), *blocks])

    return joined


def _use(call: ToolCall) -> JsonObject:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call)}


def _nova(_: str, calls: Said) -> JsonValue:
    uses: list[JsonObject] = [
        {"toolUseId": call.id, "name": call.name, "input": _arguments(call)} for call in calls
    ]
    return "\n\n".join(map(as_output, uses))


NO_ARGUMENTS: JsonObject = {
    "status": "no_arguments_provided",
    "note": "Function called but no arguments were extracted. Consider using the correct Responses "
    "API tool format.",
}


def _item(call: ToolCall) -> JsonObject:
    if call.arguments == "{}":  # which promptfoo takes for a mistake
        return {"type": "function_call", "name": call.name, **NO_ARGUMENTS}
    own: JsonObject = {"arguments": call.arguments, "call_id": call.id, "name": call.name}
    return {"type": "function_call", "status": "completed", **own}


FORMS: Mapping[str, Callable[[str, Said], JsonValue]] = {
    "chat": _chat,
    "function": _function_call,
    "responses": _joined("\n", _item),
    "google": _google,
    "live": _live,
    "blocks": _joined("\n\n", _use),
    "nova": _nova,
    "adaline": _adaline,
}
"""Name of a form -> what promptfoo makes of a text and calls of tools. Read in promptfoo 0.121's
providers: OpenAI's chats and their old `functions`, its responses, Gemini, Gemini Live, Anthropic
(also Bedrock's Converse), Nova, and Adaline's gateway."""
