"""The result of one instance: the unit of journals and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NewType

from lve.checkers.asking import Answer
from lve.checkers.contract import Outcome
from lve.errors import UnexpectedError
from lve.messages import Transcript, Usage

REPLAY = "replay"
"""The model that gives the recorded answers again."""
UNEXPECTED = "unexpected"
"""`error_kind` of a bug in lve."""


REDACTED_ANSWER = "the answer was redacted and can't be judged again"

ResultId = NewType("ResultId", int)
"""Identifies a result within a session. A hash, because a session of a million instances holds them
all in memory: two of a million results share one with a probability of 3 in 100 million."""


def result_id(test: str, model: str, source: str, line: int, repeat: int) -> ResultId:
    """Return the id of a result. It differs from process to process.

    Args:
        test: `Spec.path`.
        model: the test ran against.
        source: file of the instance.
        line: of the instance in the file.
        repeat: from 0.
    """
    return ResultId(hash((test, model, source, line, repeat)))


@dataclass(slots=True)
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
    """The verdict in the instance file, if it has one."""
    responses: tuple[str | Mapping[str, str], ...] = ()
    """One per run, redacted: a text, or variable -> text in multi-variable tests."""
    transcripts: tuple[Transcript, ...] = ()
    """One per run, postprocessed."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    """US dollars, if the settings have a price."""
    latency_s: float = 0.0
    """Sum over the completions."""
    cached: bool = False
    """Whether every completion came from the cache."""
    error_kind: str | None = None
    """Stable identifier of what went wrong: a `ModelError.kind`, `checker`, `prompt`, `redacted` or
    `unexpected`."""
    score: float | None = None
    judged_by: str | None = None
    """Sum of the checkers (`checkers_sum`) that judged the whole answers, where those that are kept
    are redacted: they can't be judged again. None where the kept ones are whole."""
    asked: tuple[Answer, ...] = ()
    """What the models said that its checkers asked, redacted and without vectors."""
    advisory: bool = False
    """Whether the verdict is only reported and fails nothing: its checks aren't calibrated well
    enough."""

    @property
    def id(self) -> ResultId:
        """What identifies it in a session."""
        return result_id(self.test, self.model, self.source, self.line, self.repeat)

    @property
    def failed_as_recorded(self) -> bool:
        """Whether it is a recorded answer, judged again, that failed when it was recorded, too."""
        return self.model == REPLAY and self.verdict == self.recorded == "failed"

    def without_verdict(self, error: UnexpectedError) -> InstanceResult:
        """Return an error for the same instance, when a bug prevents its own result. It contains
        nothing foreign, since that may be what triggers the bug."""
        return replace(
            self,
            args={},
            verdict="error",
            reason=str(error),
            responses=(),
            transcripts=(),
            error_kind=UNEXPECTED,
            score=None,
            asked=(),
        )
