"""Whole results in the form that the page reads. Each text is written only once per chunk."""

from __future__ import annotations

import re

from lve.checkers.questions import Answer
from lve.documents.json_lines import json_line
from lve.escape import head
from lve.extensions.reports.columns import parameters_in
from lve.messages import Completion, Message, Transcript
from lve.reporting.transcript import returned_texts
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_tests import SessionTest

MAX_TEXT = 1_000_000
"""Characters of one text on the page; the session's folder has all of it."""
SNIPPET = 160
"""Characters of a reason in the page's summary."""
_BLANKS = re.compile(r"[ \t\r\n]+")


class Texts:
    """Numbers the texts of a chunk, so that results can refer to them."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.characters = 0

    def number(self, text: str) -> int:
        """Return the number of a text; a new text gets the next one. A very long text is cut."""
        if len(text) > MAX_TEXT:
            text = (
                f"{head(text, MAX_TEXT)}… ({len(text) - MAX_TEXT:,} more characters are not shown)"
            )
        if text not in self.texts:
            self.texts[text] = len(self.texts)
            self.characters += len(text)
        return self.texts[text]


def detail_of(result: InstanceResult, test: SessionTest, texts: Texts) -> dict[str, object]:
    """Return a result with numbers instead of its texts.

    Args:
        result: the result.
        test: its test, which knows which args are parameters.
        texts: numbers the texts.
    """
    names = parameters_in(result.args, test)
    parameters = {k: v for k, v in result.args.items() if k in names}
    model_args = {k: v for k, v in result.args.items() if k not in names}
    detail: dict[str, object] = {
        "reason": texts.number(result.reason),
        "parameters": texts.number(json_line(parameters)),
        "model_args": texts.number(json_line(model_args)),
        "transcripts": [_transcript(part, texts) for part in result.transcripts],
    }
    if result.asked:
        detail["asked"] = [_role_answer(part, texts) for part in result.asked]
    return detail


def _transcript(transcript: Transcript, texts: Texts) -> dict[str, object]:
    answers = dict(zip(transcript.filled, transcript.completions, strict=False))
    filled, messages = frozenset(transcript.filled), list[dict[str, object]]()
    for place, part in enumerate(transcript.messages):
        messages.append(_message(part, place in filled, texts))
        if place in answers:
            messages += [
                {"role": title, "text": texts.number(text)}
                for title, text in returned_texts(answers[place])
            ]
    fields: dict[str, object] = {
        "messages": messages,
        "completions": [_completion(part) for part in transcript.completions],
    }
    if transcript.name is not None:
        fields["name"] = transcript.name
    return fields


def _message(message: Message, is_answer: bool, texts: Texts) -> dict[str, object]:
    fields: dict[str, object] = {"role": message.role.value}
    if isinstance(message.content, str):
        fields["text"] = texts.number(message.content)
    elif message.content is not None:
        fields["parts"] = texts.number(json_line([dict(part) for part in message.content]))
    if message.variable is not None:
        fields["variable"] = message.variable
    if message.image_url is not None:
        fields["image_url"] = texts.number(message.image_url)
    if message.tool_calls:
        fields["tool_calls"] = [
            {"name": call.name, "arguments": texts.number(call.arguments)}
            for call in message.tool_calls
        ]
    if is_answer:
        fields["is_answer"] = True
    return fields


def _completion(completion: Completion) -> dict[str, object]:
    usage = completion.usage
    fields: dict[str, object] = {
        "model": completion.model,
        "finish_reason": completion.finish_reason,
        "tokens_in": usage and usage.prompt_tokens,
        "tokens_out": usage and usage.completion_tokens,
        "latency_s": short(completion.latency_s),
        "first_token_s": short(completion.first_token_s or 0.0),
        "cached": completion.cached,
    }
    return {name: value for name, value in fields.items() if value}


def _role_answer(answer: Answer, texts: Texts) -> dict[str, object]:
    text = answer.problem if answer.completion is None else answer.completion.text
    fields: dict[str, object] = {"role": answer.role, "model": answer.model}
    if text is not None:
        fields["text"] = texts.number(text)
    if answer.cost:
        fields["cost"] = answer.cost
    return fields


def short(value: float) -> float:
    """Return a measured number rounded to three digits: each digit costs a byte per result."""
    return float(f"{value:.3g}")


def snippet(text: str) -> str:
    """Return the beginning of a text on one line."""
    line = _BLANKS.sub(" ", head(text, 2 * SNIPPET)).strip()
    return line if len(line) <= SNIPPET else f"{head(line, SNIPPET)}…"
