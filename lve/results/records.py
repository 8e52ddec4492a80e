"""What is known of one instance after it ran: the unit of journals and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from lve.checkers.base import Outcome
from lve.messages import Transcript, Usage
from lve.value_object import value_object


@value_object(frozen=True, slots=True)
class InstanceResult:
    """One instance (and repeat) of one test against one model."""

    test: str
    """`Spec.path`: the test folder relative to the workspace root."""
    model: str
    source: str
    """Where the instance stands, relative to the test folder."""
    line: int
    """From 1."""
    repeat: int
    """From 0."""
    args: Mapping[str, Any]
    verdict: Outcome
    reason: str
    recorded: Literal["passed", "failed"] | None = None
    """The verdict in the instance file, where it has one."""
    responses: tuple[str | Mapping[str, str], ...] = ()
    """One per run, redacted: a text, or variable -> text in multi-variable tests."""
    transcripts: tuple[Transcript, ...] = ()
    """One per run, postprocessed."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    """US dollars, where the settings have a price."""
    latency_s: float = 0.0
    """Sum over the completions."""
    cached: bool = False
    """Whether every completion came from the cache."""
    error_kind: str | None = None
    """Stable word for what went wrong: a `ModelError.kind`, `checker` or `prompt`."""
    score: float | None = None

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """What identifies it in a session."""
        return (self.test, self.model, self.source, self.line, self.repeat)
