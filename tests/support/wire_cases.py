"""Cases of providers' wires: what lve is asked, what it must send, what comes back, what that is.

A case is a JSON file in tests/cases/models/<provider>/:

    source                 page with the format
    model                  the model's name, without the provider
    settings               of the model: options, api_version, ...
    messages, args, by_default, tools, stream
                           the request, in lve's words
    sent                   the body that the server must get (the last one's, if there are several)
    answers                what the server says: `{status, headers, body}` or `{events}`
    completion             the fields of the completion that aren't empty, or
    error                  `{kind, says, ...}`: the fields of the error, and a part of its text
    tells                  what lve says to the user meanwhile
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from support.strict_server import Answered, Check, StrictServer, strict_server

from lve.errors import AdjustedRequestError, ModelError
from lve.messages import Completion, Message, Role, Tool, ToolCall
from lve.models.chat_model import ChatRequest, wrong_with
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

CASES = Path(__file__).parents[1] / "cases" / "models"
KEY = "key-of-this-test-only"
MOST_ATTEMPTS = 5
UNTOLD = ("latency_s", "first_token_s", "is_plain")


def cases(provider: str) -> list[Path]:
    """Return a provider's cases."""
    return sorted((CASES / provider).glob("*.json"))


def read_case(path: Path) -> dict[str, Any]:
    case = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(case, dict)
    return case


def request_of(case: Mapping[str, Any]) -> ChatRequest:
    """Return the request of a case."""
    return ChatRequest(
        messages=tuple(map(message_of, case.get("messages", ()))),
        args=case.get("args", {}),
        by_default=frozenset(case.get("by_default", ())),
        tools=tuple(Tool(**tool) for tool in case.get("tools", ())),
        stream=case.get("stream", False),
        prompt=case.get("prompt"),
    )


def message_of(given: Mapping[str, Any]) -> Message:
    fields = dict(given)
    fields["role"] = Role(fields.get("role", "user"))
    fields["tool_calls"] = tuple(ToolCall(*call) for call in fields.get("tool_calls", ()))
    return Message(**fields)


def answered(case: Mapping[str, Any]) -> list[Answered]:
    """Return what the server of a case says."""
    return [_answered(one) for one in case.get("answers", ())] or [Answered(500, b"{}")]


def _answered(one: Mapping[str, Any]) -> Answered:
    headers = dict(one.get("headers", {}))
    if "events" in one:
        lines = [
            f"event: {event.get('type', 'message')}\ndata: {json.dumps(event)}\n\n"
            for event in one["events"]
        ]
        return Answered(200, "".join(lines).encode(), {"Content-Type": "text/event-stream"})
    return Answered(one.get("status", 200), json.dumps(one["body"]).encode(), headers)


def play(
    case: Mapping[str, Any], provider: str, check: Check, *, version: str = "v1"
) -> tuple[StrictServer, Completion | ModelError, list[str]]:
    """Ask a server of a case. Return it, what came out, and what lve told the user."""
    told: list[str] = []
    heard: list[list[str]] = []

    def listen() -> Callable[[str], None]:
        heard.append([])
        return heard[-1].append

    name = f"{provider}/{case['model']}"
    with strict_server(check, answered(case)) as server:
        given = {"base_url": f"{server.url}/{version}", "api_key_env": "KEY_OF_A_TEST"}
        entry = ModelSettings(provider=provider, **{**given, **case.get("settings", {})})
        model = create_model(name, Settings(models={name: entry}), tell=told.append)

        async def ask() -> Completion | ModelError:
            try:
                for _ in range(MOST_ATTEMPTS):
                    try:
                        got = await model.complete(replace(request_of(case), listen=listen))
                        assert not heard or "".join(heard[-1]) == got.text, "all of it is heard"
                        assert bool(heard) == case.get("stream", False)
                        return got
                    except AdjustedRequestError:
                        continue
                    except ModelError as error:
                        return error
                raise AssertionError("the model never stops adjusting its requests")
            finally:
                await model.aclose()

        return server, asyncio.run(ask()), told


def judge(case: Mapping[str, Any], server: StrictServer, got: Completion | ModelError) -> None:
    """Compare what was sent and what came out with the case."""
    assert server.wrong == []
    if "sent" in case:
        assert server.requests[-1].body == case["sent"]
    if "error" in case:
        assert isinstance(got, ModelError), got
        assert KEY not in str(got)
        _compare_error(case["error"], got)
    else:
        assert isinstance(got, Completion), got
        assert wrong_with(got) is None
        assert told_of(got) == case["completion"]


def _compare_error(wanted: Mapping[str, Any], error: ModelError) -> None:
    assert wanted.get("says", "") in str(error)
    for name, value in wanted.items():
        if name == "is":
            assert type(error).__name__ == value
        elif name != "says":
            assert getattr(error, name) == value, f"{name} of {error!r}"


def told_of(completion: Completion) -> dict[str, Any]:
    """Return the fields of a completion that aren't empty, as JSON."""
    fields = {k: v for k, v in asdict(completion).items() if k not in UNTOLD}
    assert completion.latency_s > 0
    found: Any = json.loads(json.dumps(fields))
    return {k: v for k, v in found.items() if v not in (None, [], False) or k == "text"}


def names(paths: Sequence[Path]) -> list[str]:
    return [path.stem for path in paths]
