"""Streamed answers: server-sent events to a completion."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from lve.messages import Completion
from lve.models.decode import decode, objects
from lve.models.failures import error_in_success, malformed
from lve.models.secret import Secret
from lve.models.wire import (
    answer_text,
    first_choice,
    logprobs_of,
    parse_chat,
    parse_usage,
    text_or_none,
)


class StreamReader:
    """Collects the events of one streamed chat completion as they arrive.

    The format is that of the HTML standard, section "Server-sent events", as far as OpenAI uses
    it: `data:` lines, each with one JSON object, the last one `[DONE]`.
    """

    __slots__ = ("_done", "_events", "_other", "_rest", "_started", "first_token_s")

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._rest = b""
        self._events: list[bytes] = []
        self._other: list[bytes] = []
        self._done = False
        self.first_token_s: float | None = None
        """Seconds from making the reader to the first event that carries text."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body, cut anywhere."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if not line.startswith(b"data:"):
                self._other.append(line)
                continue
            value = line[5:].strip()
            if value == b"[DONE]":
                self._done = True
                continue
            if self.first_token_s is None and _has_text(value):
                self.first_token_s = time.perf_counter() - self._started
            self._events.append(value)

    def completion(self, *, latency_s: float, secret: Secret | None = None) -> Completion:
        """Return the whole, once the body has ended.

        Raises:
            TransientModelError: the stream broke off, or says nothing.
            PermanentModelError: an event is an error of a permanent kind.
        """
        if not self._events and not self._done:
            # Some servers ignore `stream` and send the whole at once.
            return parse_chat(
                b"\n".join([*self._other, self._rest]), latency_s=latency_s, secret=secret
            )
        chunks = self._parse()
        for chunk in chunks:
            if chunk.get("error"):
                raise error_in_success(chunk, secret=secret)
        choices = [first_choice(c) for c in chunks if c.get("choices")]
        reasons = (text_or_none(choice.get("finish_reason")) for choice in choices)
        finish_reason = next(filter(None, reasons), None)
        if not self._done and finish_reason is None:
            raise malformed("the stream broke off")
        if not choices:
            first_choice({})
        return Completion(
            text=answer_text(_joined(choices), finish_reason),
            finish_reason=finish_reason,
            usage=parse_usage(next((u for c in chunks if (u := c.get("usage"))), None)),
            latency_s=latency_s,
            first_token_s=self.first_token_s,
            model=text_or_none(chunks[0].get("model")),
            logprobs=_joined_logprobs(choices),
        )

    def _parse(self) -> list[Mapping[str, Any]]:
        # One parse of all events costs a third of one parse per event.
        try:
            chunks = decode(b"[" + b",".join(self._events) + b"]")
        except ValueError:
            raise malformed("an event of the stream is not JSON, or cut short") from None
        if not all(isinstance(chunk, Mapping) for chunk in chunks):
            raise malformed("an event of the stream is not an object")
        return list(chunks)


def _has_text(event: bytes) -> bool:
    """Whether an event carries a piece of the answer (the first one usually has only the role)."""
    try:
        delta = decode(event)["choices"][0]["delta"]
        return bool(delta.get("content") or delta.get("refusal") or delta.get("tool_calls"))
    except (ValueError, LookupError, TypeError, AttributeError):
        return False


def _joined(choices: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Put the deltas together to the message that they are pieces of."""
    texts: dict[str, list[str]] = {}
    calls: list[dict[str, Any]] = []
    for choice in choices:
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            continue
        for name in ("content", "refusal"):
            if isinstance(delta.get(name), str):
                texts.setdefault(name, []).append(delta[name])
        for call in objects(delta.get("tool_calls")):
            _add_call(calls, call)
    message: dict[str, Any] = {name: "".join(pieces) for name, pieces in texts.items()}
    if calls:
        message["tool_calls"] = calls
        # The first event's content is often "", which would hide the calls.
        message["content"] = message.get("content") or None
    return message


def _add_call(calls: list[dict[str, Any]], piece: Mapping[str, Any]) -> None:
    given = piece.get("function")
    function = dict(given) if isinstance(given, Mapping) else {}
    call = next((call for call in calls if _index(call) == _index(piece)), None)
    if call is None:
        calls.append({**piece, "function": function})
        return
    before = text_or_none(call["function"].get("arguments")) or ""
    more = text_or_none(function.get("arguments")) or ""
    call["function"]["arguments"] = before + more


def _index(piece: Mapping[str, Any]) -> int | None:
    """Return which call a piece belongs to; servers that know only one leave it out."""
    index = piece.get("index")
    return index if isinstance(index, int) else None


def _joined_logprobs(choices: list[Mapping[str, Any]]) -> list[Any] | None:
    joined = [entry for choice in choices for entry in logprobs_of(choice) or ()]
    return joined or None
