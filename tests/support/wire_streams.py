"""What servers of models send, as bytes: the cases of `tests/cases/wire`, one file an API.

    stream      events: an object is one event, a text is sent as it is, {latin1} is bytes
    body        the same answer if it isn't streamed; or body_text, if it is no strict JSON
    open        whether the stream's body has no end, and the connection stays open
    hang_up     whether the server hangs up without the end of the body
    completion  what it is: the fields that aren't empty, or
    error       {kind, status, says}

`said` makes bytes of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from support.event_stream import event_stream
from support.hostile_server import chunk, head, whole
from support.server import Raw

from lve.settings.model_settings import ModelSettings

CASES = Path(__file__).parents[1] / "cases" / "wire"
Case = Mapping[str, Any]


class Api(NamedTuple):
    """How models of an API are named, and where their servers are."""

    model: str
    version: str
    settings: Mapping[str, Any] = {}


APIS = {
    "chat": Api("openai/m", "/v1", {"api": "chat"}),
    "responses": Api("openai/m", "/v1", {"api": "responses"}),
    "anthropic": Api("anthropic/m", "/v1"),
    "gemini": Api("gemini/m", "/v1beta"),
    "bedrock": Api("bedrock/m", ""),
}


def cases(api: str) -> dict[str, Case]:
    """Return the cases of an API by their names."""
    found = json.loads((CASES / f"{api}.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def entry(api: str, port: int) -> ModelSettings:
    """Return the settings of a model of an API at a server on loopback; Bedrock's is in the
    environment."""
    if api == "bedrock":
        return ModelSettings(provider="bedrock", model="m")
    name, version, more = APIS[api]
    return ModelSettings(
        provider=name.partition("/")[0],
        base_url=f"http://127.0.0.1:{port}{version}",
        api_key_env="KEY_OF_A_TEST",
        model="m",
        **more,
    )


def said(api: str, case: Case, *, stream: bool) -> Raw:
    """Return what the server of a case sends."""
    if not stream:
        text = case["body_text"] if "body_text" in case else json.dumps(case["body"])
        return Raw(whole(text.encode(), "Content-Type: application/json"))
    kind = "application/vnd.amazon.eventstream" if api == "bedrock" else "text/event-stream"
    body = events(api, case["stream"])
    if not (case.get("open") or case.get("hang_up")):
        return Raw(whole(body, f"Content-Type: {kind}"))
    data = head(f"Content-Type: {kind}", "Transfer-Encoding: chunked") + chunk(body)
    return Raw(data, close=bool(case.get("hang_up")))


def events(api: str, items: list[Any]) -> bytes:
    """Return events as bytes."""
    if api == "bedrock":
        return event_stream(items)
    return b"".join(map(_event, items))


def _event(item: Any) -> bytes:
    if isinstance(item, str):
        return item.encode()
    if "latin1" in item:
        return bytes(item["latin1"], "latin-1")
    name = f"event: {item['type']}\n" if "type" in item else ""
    return f"{name}data: {json.dumps(item)}\n\n".encode()
