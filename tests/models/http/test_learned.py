"""What lve learns from each way in which servers refuse an arg or system messages, and which
addresses are whose."""

from __future__ import annotations

import json
from typing import Any

from support.recorded_calls import Calls, changed, grid, record

from lve.errors import PermanentModelError
from lve.models.http.adjustments import Adjustments, _without_system
from lve.models.http.connections.proxy import _is_in_network
from lve.models.registry import _is_server

ERRORS: tuple[Any, ...] = (
    {"error": {"message": "no", "param": "temperature"}},
    {"error": {"message": "no", "param": "top_k"}},
    {"error": {"message": "no", "param": "messages[0].content"}},
    {"error": {"message": "'temperature' and 'seed' are not supported"}},
    {"error": {"message": "Unsupported parameter: temperature"}},
    {"error": {"message": "use 'max_completion_tokens' instead of 'max_tokens'"}},
    {"error": {"message": "use 'max_completion_tokens'"}},
    {"error": {"message": "use 'max_tokens' instead of 'max_completion_tokens'"}},
    {"error": {"message": "a" * 2000 + "'temperature'"}},
    {"error": "`seed` is not permitted"},
    {"detail": [{"loc": ["body", "seed"], "msg": "not permitted"}]},
    {"detail": [{"loc": ["body", 0], "msg": "Unsupported parameter: 'seed'"}, "temperature"]},
    {"detail": [{"loc": None, "msg": "extra fields", "input": "'temperature'"}]},
    {"detail": [{"loc": ["body", "prompt"], "msg": "'temperature'"}]},
    {"detail": "'seed' is unknown"},
    {"object": "error", "message": "'stream_options' is unknown", "code": 400},
    {"error": {"message": "system messages are not supported"}},
    {"error": {"message": "System role not supported"}},
    {"error": {"message": "does not support 'system', use 'developer'"}},
    {"error": {"message": "unsupported value: 'developer' role"}},
    {"error": {"message": "system messages"}},
    {"error": {"message": None}},
    {"error": {}},
    [],
    "no",
)
ARGS: tuple[dict[str, Any], ...] = (
    {"temperature": 0, "max_tokens": 5, "seed": 1},
    {"temperature": 0, "max_completion_tokens": 5, "stream_options": {}},
)
SYSTEM, OTHER, USER, MODEL = (
    {"role": "system", "content": "S"},
    {"role": "system", "content": [{"type": "text", "text": "P"}]},
    {"role": "user", "content": "U"},
    {"role": "assistant", "content": "A"},
)
PARTS, INPUT, NOTHING = (
    {"role": "user", "content": [{"type": "text", "text": "U"}]},
    {"role": "user", "content": [{"type": "input_text", "text": "U"}]},
    {"role": "user", "content": None},
)
DIALOGUES = (
    (SYSTEM, USER, MODEL, USER),
    (SYSTEM, SYSTEM, PARTS),
    (SYSTEM, INPUT),
    (SYSTEM, NOTHING),
    (USER, SYSTEM, MODEL, SYSTEM),
    (OTHER, USER),
    (SYSTEM, OTHER, USER),
)
ROLES = ("system", "developer", "user")
NETWORKS = ("10.1.0.0/8", "11.0.0.1, [::1]", "x,10.1.2.3", " ::/64", "", "10.1.2.4")
BY_DEFAULT = ((), ("temperature", "seed", "max_tokens"))


def learned(error: object, args: int, by_default: tuple[str, ...], status: int) -> object:
    """Return what a server's error teaches twice: what users are told, and what changes."""
    said: list[str] = []
    adjustments = Adjustments("m", tell=said.append)
    body = {**ARGS[args], "messages": [{"role": "user", "content": "Hi"}]}
    return of_body(adjustments, said, error, body, by_default, status)


def of_system(error: object, role: str) -> object:
    said: list[str] = []
    adjustments = Adjustments("m", tell=said.append)
    body = {"messages": [{"role": role, "content": "Hi"}]}
    return of_body(adjustments, said, error, body, (), 400)


def of_body(
    adjustments: Adjustments,
    said: list[str],
    error: object,
    body: dict[str, Any],
    by_default: tuple[str, ...],
    status: int,
) -> object:
    failure = PermanentModelError("no", kind="bad_request", status=status)
    for _ in range(2):
        after = adjustments.learn_from(
            failure, json.dumps(error).encode(), body, frozenset(by_default)
        )
    changes = adjustments.left_out, adjustments.renamed, adjustments.system_as
    return type(after).__name__, str(after), said, changes


def without_system(index: int, role: str) -> object:
    return list(_without_system([dict(m) for m in DIALOGUES[index]], role))  # type: ignore[arg-type]


def all_calls() -> Calls:
    return {
        **grid(learned, ERRORS, range(len(ARGS)), BY_DEFAULT, (400,)),
        **grid(learned, ERRORS[:1], (0,), BY_DEFAULT[1:], (401, 404, 422, 500)),
        **grid(of_system, ERRORS[16:21], ROLES),
        **grid(without_system, range(len(DIALOGUES)), ("developer", "user")),
        **grid(_is_in_network, ("10.1.2.3", "::1", "h", "11.0.0.1"), NETWORKS),
        **grid(_is_server, ("bedrock", "ollama", "openai", "x"), (None, "http://h")),
    }


def test_each_error_teaches_what_is_recorded() -> None:
    assert changed("learned", all_calls()) == {}


if __name__ == "__main__":
    record("learned", all_calls())
