"""What the model server of the tests and benchmarks says: pure functions from request to body."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

_SUM = re.compile(r"Compute (-?\d+) \+ (-?\d+)")
_TOKEN = re.compile(r"\s*\S+|\s+$")


@dataclass(slots=True)
class Received:
    """One request as it reached the server."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes
    attempt: int = 0
    """How often the same body had been received before."""
    query: str = ""
    _json: Any = None

    @property
    def json(self) -> Any:
        """The body, parsed."""
        if self._json is None:
            self._json = json.loads(self.body)
        return self._json

    @property
    def prompt(self) -> str:
        """Text of the last user message, or the text of a completions prompt."""
        if "prompt" in self.json:
            return str(self.json["prompt"])
        texts = [text_of(m.get("content")) for m in self.json["messages"] if m["role"] == "user"]
        return texts[-1] if texts else ""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with more to it than its text."""

    text: str | None = None
    finish_reason: str = "stop"
    message: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of the message (`refusal`, `tool_calls`, ...)."""
    chunks: Sequence[str] | None = None
    """How a streamed answer is cut; one word each when absent."""
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Raw:
    """Exactly these bytes on the wire."""

    data: bytes
    close: bool = False
    """Whether the connection is closed after them."""


Said = bytes | float | None
"""Bytes, seconds to wait, or None: hang up."""


@dataclass(frozen=True, slots=True)
class Scripted:
    """What is sent one after the other, as fast as anybody listens."""

    said: Iterable[Said]


Answer = str | Reply | Raw | Mapping[str, Any] | int
"""A text, a Reply, Raw bytes, a whole JSON body, or the status of an OpenAI error."""
AnswerFunction = Callable[[Received], Answer]


def sum_or_echo(request: Received) -> Answer:
    """Answer `Compute 2 + 3` with the sum, anything else with its own first words."""
    sums = _SUM.findall(request.prompt)
    if sums:
        return str(int(sums[-1][0]) + int(sums[-1][1]))
    digest = blake2b(request.prompt.encode(), digest_size=4).hexdigest()
    return f"echo {digest}: " + " ".join(request.prompt.split()[:12])


def text_of(content: Any) -> str:
    """Return the text of a message's content, parts joined."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return " ".join(part.get("text", "") for part in content)
    return ""


def tokens_of(text: str) -> list[str]:
    """Cut a text into the server's tokens: words with the space before them."""
    return _TOKEN.findall(text)


def unit(*parts: object) -> float:
    """Return a number in [0, 1) that depends on nothing but the parts."""
    digest = blake2b("\0".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def logprob_of(token: str, previous: str) -> float:
    """Return the log-probability that this server gives a token after another."""
    return -round(0.01 + 6 * unit("logprob", token, previous), 6)


def chat_body(request: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    """Return a chat completion."""
    words = sum(text_of(m.get("content")).count(" ") + 1 for m in request["messages"])
    text, finish_reason = _limited(request, reply)
    message = {"role": "assistant", "content": text, **reply.message}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}
    if request.get("logprobs") and text:
        choice["logprobs"] = {"content": _chat_logprobs(text, request.get("top_logprobs") or 0)}
    body = {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 1700000000,
        "model": request.get("model"),
        "choices": [choice],
        "usage": _usage(words, len(tokens_of(text or ""))),
    }
    if request.get("prompt_logprobs") is not None:
        body["prompt_logprobs"] = _prompt_logprobs(request["messages"])
    return body


def _prompt_logprobs(messages: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the rated tokens of a chat as vLLM does: the first one without a rating."""
    tokens = tokens_of("\n".join(text_of(message.get("content")) for message in messages))
    rated = [
        {str(n): {"logprob": logprob_of(token, tokens[n - 1]), "rank": 1, "decoded_token": token}}
        for n, token in enumerate(tokens)
    ]
    return [None, *rated[1:]]


def _limited(request: Mapping[str, Any], reply: Reply) -> tuple[str | None, str]:
    limit = request.get("max_completion_tokens") or request.get("max_tokens")
    if limit is None or reply.text is None or len(tokens := tokens_of(reply.text)) <= limit:
        return reply.text, reply.finish_reason
    return "".join(tokens[:limit]), "length"


def _usage(prompt: int, completion: int) -> dict[str, int]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _chat_logprobs(text: str, top: int) -> list[dict[str, Any]]:
    previous, entries = "", []
    for token in tokens_of(text):
        value = logprob_of(token, previous)
        entries.append(
            {
                "token": token,
                "logprob": value,
                "bytes": list(token.encode()),
                "top_logprobs": [
                    {"token": f"{token}~{n}", "logprob": value - n} for n in range(top)
                ],
            }
        )
        previous = token
    return entries


def chat_chunks(
    body: Mapping[str, Any], reply: Reply, *, include_usage: bool
) -> list[dict[str, Any]]:
    """Return the events of the same chat completion, streamed."""
    choice = body["choices"][0]
    text = choice["message"]["content"]
    head = {**body, "object": "chat.completion.chunk"}
    del head["choices"], head["usage"]
    pieces = reply.chunks if reply.chunks is not None else tokens_of(text or "")
    logprobs = (choice["logprobs"] or {}).get("content", [])

    def event(delta: Mapping[str, Any], finish: str | None, n: int = -1) -> dict[str, Any]:
        own = {"content": logprobs[n : n + 1]} if logprobs and n >= 0 else None
        parts = {"index": 0, "delta": delta, "logprobs": own, "finish_reason": finish}
        return {**head, "choices": [parts]}

    start = None if text is None else ""
    events = [event({"role": "assistant", "content": start, **reply.message}, None)]
    events += [event({"content": piece}, None, n) for n, piece in enumerate(pieces)]
    events.append(event({}, choice["finish_reason"]))
    if include_usage:
        events.append({**head, "choices": [], "usage": body["usage"]})
    return events


def completions_body(request: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Return a text completion of one or several prompts, with echo and logprobs if asked."""
    prompts = request["prompt"]
    prompts = [prompts] if isinstance(prompts, str) else prompts
    limit = request.get("max_tokens")
    limit = 16 if limit is None else limit
    choices: list[dict[str, Any]] = []
    for prompt, text in zip(prompts, texts, strict=True):
        own = tokens_of(prompt) if request.get("echo") else []
        tokens = own + tokens_of(text)[:limit]
        choice: dict[str, Any] = {
            "text": "".join(tokens),
            "index": len(choices),
            "logprobs": None,
            "finish_reason": "length",
        }
        if request.get("logprobs") is not None:
            choice["logprobs"] = _text_logprobs(tokens, starts_at_prompt=bool(own))
        choices.append(choice)
    return {
        "id": "cmpl-test",
        "object": "text_completion",
        "created": 1700000000,
        "model": request.get("model"),
        "choices": choices,
        "usage": _usage(sum(len(tokens_of(p)) for p in prompts), limit * len(prompts)),
    }


def _text_logprobs(tokens: list[str], *, starts_at_prompt: bool) -> dict[str, Any]:
    values: list[float | None] = []
    offsets, position, previous = [], 0, ""
    for n, token in enumerate(tokens):
        first = n == 0 and starts_at_prompt
        values.append(None if first else logprob_of(token, previous))
        offsets.append(position)
        position += len(token)
        previous = token
    return {
        "tokens": tokens,
        "token_logprobs": values,
        "top_logprobs": [
            None if v is None else {t: v} for t, v in zip(tokens, values, strict=True)
        ],
        "text_offset": offsets,
    }


def embeddings_body(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return vectors of eight numbers that depend on nothing but the text."""
    inputs = request["input"]
    inputs = [inputs] if isinstance(inputs, str) else inputs
    data = [
        {
            "object": "embedding",
            "index": n,
            "embedding": [round(2 * unit("embedding", text, k) - 1, 6) for k in range(8)],
        }
        for n, text in enumerate(inputs)
    ]
    return {
        "object": "list",
        "model": request.get("model"),
        "data": data,
        "usage": {"prompt_tokens": len(inputs), "total_tokens": len(inputs)},
    }


def error_body(message: str, code: str) -> bytes:
    """Return OpenAI's form of an error."""
    error = {"message": message, "type": code, "param": None, "code": code}
    return json.dumps({"error": error}).encode()
