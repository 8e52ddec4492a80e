"""What the model server is told to do and what it has seen."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.openai_answers import AnswerFunction, Raw, Received, Scripted, sum_or_echo, unit

FAULTS = (
    "429",
    "429nohdr",
    "429date",
    "500",
    "503",
    "400",
    "401",
    "reset",
    "hang",
    "truncated",
    "html",
    "empty",
    "null",
    "length",
    "filter",
)


@dataclass
class Behaviour:
    """What the server does. Every field may be changed while it runs."""

    answer: AnswerFunction = sum_or_echo
    latency_s: float = 0.0
    quick: int = 0
    """Only so many requests are answered after `latency_s`, the others in an hour; 0: all are."""
    hold_until: int = 0
    """Answers wait until so many requests have been in flight at a time, whatever the machine's
    speed; for `HOLD_S` at most."""
    token_latency_s: float = 0.0
    """Pause between the events of a streamed answer."""
    faults: Iterator[str | None] | None = None
    """Fault of the first request, of the second, ... (None: no fault); used up first."""
    fail_rate: float = 0.0
    """Share of requests that fail, chosen by body and attempt, so that a run is repeatable."""
    fail_kinds: Sequence[str] = ("429", "500", "503", "reset", "truncated", "empty", "null")
    fail_attempts: int = 0
    """Only the first so many attempts of a body fail; 0: no limit."""
    retry_after: str = "1"
    max_in_flight: int = 0
    """More requests in flight than this get a 429; 0: no limit."""
    api_key: str | None = None
    """The key that requests must bring as `Authorization: Bearer` or `api-key`."""
    refuse: Mapping[str, str] = field(default_factory=dict)
    """Keys of the body that get a 400, each with its message."""
    raw: Raw | None = None
    """Bytes sent for whatever is asked."""
    serve: Callable[[Received], Raw | Scripted | None] | None = None
    """Answers what it wants to, such as files and batches; the rest is answered as ever."""
    missing: Sequence[str] = ()
    """Ends of paths that this server hasn't got."""
    seed: int = 0


@dataclass
class State:
    """What the server has seen."""

    behaviour: Behaviour = field(default_factory=Behaviour)
    keep: bool = True
    """Whether requests are kept (tests) or only counted (benchmarks)."""
    requests: list[Received] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    attempts: Counter[int] = field(default_factory=Counter)
    """Hash of a body -> how often it came."""
    in_flight: int = 0
    max_in_flight: int = 0
    held: list[Callable[[], None]] = field(default_factory=list)
    """Answers that wait."""
    connections: set[Any] = field(default_factory=set)
    cpu_started: float = field(default_factory=time.process_time)

    def reset(self) -> None:
        """Forget what was seen; connections and behaviour stay."""
        self.requests.clear()
        self.count.clear()
        self.failures.clear()
        self.attempts.clear()
        self.max_in_flight = self.in_flight
        self.cpu_started = time.process_time()

    def stats(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        return {
            **{name: self.count[name] for name in ("requests", "answered", "streams", "gone")},
            # What it would bill: also for answers that it tore, or never got to send.
            **{name: self.count[name] for name in ("prompt_tokens", "completion_tokens")},
            "connections": self.count["connections"],
            "open_connections": len(self.connections),
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "distinct_bodies": len(self.attempts),
            "duplicates": self.attempts.total() - len(self.attempts),
            "failures": dict(self.failures),
            "cpu_s": round(time.process_time() - self.cpu_started, 4),
        }

    def release(self) -> None:
        """Let the answers go that were held back, and hold no more."""
        self.behaviour.hold_until = 0
        held, self.held = self.held, []
        for answer in held:
            answer()

    def bill(self, usage: Mapping[str, int]) -> None:
        """Count the tokens of an answer."""
        self.count["prompt_tokens"] += usage["prompt_tokens"]
        self.count["completion_tokens"] += usage["completion_tokens"]

    def fault_of(self, request: Received) -> str | None:
        """Return the fault that this request meets, if any."""
        plan = self.behaviour
        if plan.max_in_flight and self.in_flight > plan.max_in_flight:
            return "429"
        if plan.faults is not None:
            try:
                return next(plan.faults)
            except StopIteration:
                plan.faults = None
        if not plan.fail_rate or (plan.fail_attempts and request.attempt >= plan.fail_attempts):
            return None
        if unit(plan.seed, "fail", request.body, request.attempt) >= plan.fail_rate:
            return None
        place = unit(plan.seed, "kind", request.body, request.attempt) * len(plan.fail_kinds)
        return plan.fail_kinds[int(place)]
