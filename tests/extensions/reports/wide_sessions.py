"""Two sessions with results of every kind, at fixed times: what reports say of them is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from support.recorded import session_folder
from support.results import make_result

from lve.checkers.questions import Answer
from lve.messages import Completion, Message, Role, ToolCall, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation

BEGAN = datetime(2026, 11, 28, 9, 30, tzinfo=UTC)
MODELS = ("openai/m", "n")
PICTURE = "https://example.org/a.png"
CALLS = (
    ToolCall("c1", "look", '{"at": "it"}'),
    ToolCall("c2", "look", "{"),
    ToolCall("c3", "look", "[1]"),
)
PARTS = ({"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": PICTURE}})
LONG = Transcript(
    (
        Message("Be <brief>.", Role.system),
        Message("What is it?", image_url=PICTURE),
        Message(None, image_url=PICTURE),
        Message(PARTS),
        Message("", Role.assistant, tool_calls=CALLS),
        Message("a cat", Role.tool, tool_call_id="c1"),
        Message("A c\ud800at.\x1b[2J", Role.assistant, variable="what"),
    ),
    (
        Completion("", "tool_calls", Usage(5, 2, 1, 1), 0.5, 0.123456, "m-2026", reasoning="Hm."),
        Completion("A cat.", "length", Usage(7, 3), 0.25, model="m-2027", cached=True),
    ),
    name="first",
    filled=(4, 6),
)
SHORT = Transcript(
    (Message("2 + 2?"), Message("4", Role.assistant)),
    (Completion("4", "stop", Usage(3, 1), 0.125, model="m-2026"),),
    filled=(1,),
)
UNKNOWN = Transcript((Message("?"), Message("!", Role.assistant)), (Completion("!"),), filled=(1,))
JUDGE = (
    Answer("k1", "judge", "big/j", Completion("no", "stop", Usage(9, 1)), 0.002),
    Answer("k2", "judge", "big/j", problem="it is asleep", problem_kind="timeout"),
    Answer("k3", "embedding", "", vector=(0.5,)),
)
RESULTS: tuple[tuple[str, list[dict[str, Any]]], ...] = (
    (
        "a/b",
        [
            {"transcripts": (LONG, SHORT), "responses": ("A cat.", "4"), "score": 0.75,
             "args": {"q": "it", "n": {"x": [1]}, "temperature": 0.5}, "reason": "right & <good>",
             "usage": Usage(12, 5, 1, 1), "cost": 0.0125, "latency_s": 0.7654321},
            {"repeat": 1, "verdict": "failed", "reason": "=wrong\n\tagain", "transcripts": (SHORT,),
             "args": {"q": "-it"}, "recorded": "passed", "asked": JUDGE, "cached": True},
            {"line": 2, "verdict": "error", "reason": "it is asleep", "error_kind": "timeout",
             "transcripts": (), "responses": (), "latency_s": 60.0, "cost": 0.0},
            {"line": 3, "verdict": "inconclusive", "reason": "", "judged_by": "sum",
             "responses": ({"what": "A cat.", "why": "its ears"},), "transcripts": (LONG,)},
            {"line": 4, "verdict": "error", "reason": "", "args": {}, "transcripts": (UNKNOWN,)},
        ],
    ),
    ("", [{"verdict": "passed" if n < 7 else "failed", "line": n, "reason": f"{n % 3}",
           "labels": ("yes", "yes" if n % 3 else "no"), "advisory": n > 8} for n in range(1, 10)]),
    ("weak", [{"verdict": "failed", "repeat": n // 2, "line": n % 2 + 1} for n in range(4)]),
    ("weak/no", [{"verdict": "passed", "reason": "as always", "score": 1.0, "latency_s": 0.0}]),
    ("advised", [{"verdict": "failed", "reason": "", "advisory": True},
                 {"verdict": "passed", "line": 2, "advisory": True}]),
    ("silent", [{"verdict": "error", "error_kind": "timeout", "cost": 0.25}]),
    ("counted", [{"verdict": "error", "reason": "odd"}, {"line": 2}, {"line": 3}]),
)  # fmt: skip
EXPECTED = {
    "": Expectation("rate", threshold=0.5),
    "weak": Expectation("fail"),
    "weak/no": Expectation("fail"),
    "counted": Expectation("rate", threshold=0.5, claim="results", max_errors=1),
}
TAGS = (("owasp", "LLM01"), ("severity", "high"), ("attack", "rot13"))


def results_of(model: str, shift: int) -> Iterator[InstanceResult]:
    """Yield the results of a model; some have another verdict where they are shifted."""
    for test, rows in RESULTS:
        for number, row in enumerate(rows):
            verdict = row.get("verdict", "passed")
            if shift and number % 4 == 1 and verdict in ("passed", "failed"):
                verdict = "failed" if verdict == "passed" else "passed"
            yield make_result(**{"reason": "", **row, "verdict": verdict}, test=test, model=model)


def described(test: str, model: str | None, **more: Any) -> SessionTest:
    """Return what a session knows of a test."""
    fields: dict[str, Any] = {"document": f"{test}/test.yaml" if test else None}
    if test == "a/b":
        about = {"description": "What is 'it'?", "category": "a", "parameters": ("q", "n", "z")}
        fields |= {**about, "tags": TAGS, "author": "Ann"}
    elif test == "silent":
        fields |= {"tags": (("owasp", "LLM02"), ("atlas", "AML.T0051"))}
    elif test == "weak":
        fields |= {"tags": TAGS[:1], "by": ("owasp",)}
    return SessionTest(test, model, expect=EXPECTED.get(test, Expectation()), **fields, **more)


def wide_session(
    state: Path, models: tuple[str, ...] = MODELS, shift: int = 0, **info: Any
) -> SessionFolder:
    """Write a session and return its folder.

    Args:
        state: folder of sessions.
        models: whose results it has.
        shift: not 0: some verdicts are others, and it began so many hours later.
        info: as of `session_folder`.
    """
    began = BEGAN + timedelta(hours=shift)
    tests = [described(test, model) for test, _ in RESULTS for model in models]
    refused = [
        described("old", None, skipped="it needs <torch>", is_unavailable=True),
        described("off", None, skipped=""),
        described("bad", None, problems=("bad/test.yaml:1:2: no & such key", "and another")),
    ]
    results = [result for model in models for result in results_of(model, shift)]
    plain = {
        "models": [*models],
        "paths": ["a", "/home/x/weak"],
        "roles": {"judge": "big/j"},
        "spent": {"requests": 12, "cost": 0.5},
        "git": {"commit": "9f2c1e7a"},
        "tests": {test: {"document": "3f" * 16} for test, _ in RESULTS if test},
        "sent": {"n": {"left_out": ["temperature"]}},
        "ended": began + timedelta(seconds=74.5),
        **info,
    }
    return session_folder(state, results, [*tests, *refused], began=began, **plain)
