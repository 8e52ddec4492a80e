"""Hostile inputs from a seed: mutated real files, and texts made by a grammar.

`inputs(kind, seed)` never ends, and gives the same bytes for the same seed on every machine.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

PIECES = (
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b'"',
    b"'",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"- ",
    b"? ",
    b"&a ",
    b"*a",
    b"<<: *a",
    b"!!python/object:os.system ",
    b"!x ",
    b"%YAML 9\n",
    b"---\n",
    b"...\n",
    b"|\n ",
    b">-\n ",
    b"#",
    b"null",
    b"true",
    b"NaN",
    b"-Infinity",
    b".nan",
    b".inf",
    b"1e999",
    b"0x" + b"f" * 40,
    b"0x" + b"f" * 5000,
    b"9" * 50,
    b"9" * 5000,
    b"-",
    b"0o7",
    b"1:2:3",
    b"2001-99-99",
    b"\x00",
    b"\x85",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xf0\x9f\x98\x80",
    b"{a}",
    b"{{",
    b"}}",
    b"{a.b}",
    b"{a[0]}",
    b"{a!r:>99999}",
    b'"repeats":',
    b'"content":',
    b'"role":',
    b'"args":',
    b'"$ref":',
    b"repeats: ",
    b"prompt: ",
)
"""What texts are made of that parsers stumble over."""

DOCUMENT = {
    "description": "d",
    "model": "openai/gpt-4",
    "prompt": [{"role": "user", "content": "Say {a}"}, {"role": "assistant", "variable": "x"}],
    "prompt_parameters": ["a"],
    "checker_args": {"checker_name": "RegexChecker", "pattern": "x", "match_safe": True},
    "tags": [{"name": "severity", "value": "low"}],
    "expect": {"pass_rate": ">=0.9"},
    "examples": [{"verdict": "passed", "response": "x"}],
}
YAML = b"""description: d
model: openai/gpt-4
prompt: &p
  - {role: user, content: "Say {a}"}
prompt_parameters: [a]
checker_args:
  checker_name: RegexChecker
  pattern: x
  match_safe: true
timeout_s: 0x1F
tags:
  - name: severity
    value: |
      low
"""
INSTANCE = {
    "args": {"a": "b", "temperature": 0.5},
    "response": "x",
    "passed": True,
    "author": "me",
    "run_info": {"timestamp": "2024-01-01"},
}
RESULT = {
    "version": 1, "test": "t", "model": "m", "source": "instances/x.jsonl", "line": 1, "repeat": 0,
    "verdict": "passed", "recorded": None, "reason": "r", "args": {"a": "b"}, "responses": ["x"],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1}, "cost": None, "latency_s": 0.5,
    "cached": False, "error_kind": None, "score": None, "transcripts": [],
}  # fmt: skip
SESSION = {"version": 1, "status": "complete", "tests": {}, "models": [], "paths": [], "git": None}
CHAT = {
    "id": "c", "model": "m", "choices": [{"index": 0, "finish_reason": "stop",
    "message": {"role": "assistant", "content": "hello"}}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
}  # fmt: skip
SCHEMA = {
    "$ref": "#/$defs/a",
    "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}, "uniqueItems": True}},
}


def _line(value: object) -> bytes:
    return json.dumps(value).encode()


SEEDS: dict[str, tuple[bytes, ...]] = {
    "json": (_line(DOCUMENT), json.dumps(DOCUMENT, indent=1).encode(), _line(SCHEMA)),
    "yaml": (YAML, _line(DOCUMENT)),
    "toml": (b'[tool.lve]\nmodel = "m"\n[tool.lve.caps]\nrows = 10\n', b"a.b = [1, {c = 2}]\n"),
    "prompt": (b"Say {a}, {{b}}\n", _line({"role": "user", "content": "{a}"}) + b"\n"),
    "instances": (
        _line(INSTANCE) + b"\n" + _line(INSTANCE),
        json.dumps([INSTANCE], indent=1).encode(),
    ),
    "schema": (_line(SCHEMA), json.dumps(SCHEMA, indent=1).encode()),
    "session": (_line(SESSION),),
    "journal": (_line(RESULT) + b"\n" + _line(RESULT) + b"\n",),
    "server": (_line(CHAT), b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n'),
    "answer": (b"Here it is:\n```json\n[[], [[]]]\n```", _line({"a": [1, 2.5, None]})),
}
"""By kind, what is mutated."""


def inputs(kind: str, seed: int) -> Iterator[bytes]:
    """Yield hostile inputs of a kind, for ever."""
    draw = random.Random(f"{kind} {seed}")
    while True:
        yield _mutated(draw, kind) if draw.random() < 0.7 else _grown(draw)


def _mutated(draw: random.Random, kind: str) -> bytes:
    data = draw.choice(SEEDS[kind])
    for _ in range(draw.randint(1, 4)):
        data = draw.choice(MUTATIONS)(draw, data)
    return data


def _grown(draw: random.Random) -> bytes:
    pieces = draw.choices(PIECES, k=draw.randint(1, 30))
    if draw.random() < 0.02:  # one of them very often: nesting, digits, doubled keys
        pieces.insert(draw.randrange(len(pieces)), draw.choice(PIECES) * draw.randint(100, 3000))
    return b"".join(pieces)


def _inserted(draw: random.Random, data: bytes) -> bytes:
    at = draw.randint(0, len(data))
    return data[:at] + draw.choice(PIECES) + data[at:]


def _replaced(draw: random.Random, data: bytes) -> bytes:
    at, end = sorted((draw.randint(0, len(data)), draw.randint(0, len(data))))
    return data[:at] + draw.choice(PIECES) + data[min(end, at + 12) :]


def _cut(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randint(0, len(data))]


def _doubled(draw: random.Random, data: bytes) -> bytes:
    at, end = sorted((draw.randint(0, len(data)), draw.randint(0, len(data))))
    return data[:end] + data[at:end] * draw.randint(1, 8) + data[end:]


def _flipped(draw: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(min(3, len(changed))):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _inserted, _replaced, _cut, _doubled, _flipped,
)  # fmt: skip
