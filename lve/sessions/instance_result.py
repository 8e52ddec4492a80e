"""The result of one instance: the unit of journals and reports."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Literal, NewType

from lve.checkers.contract import Outcome, Parts, Verdict
from lve.checkers.questions import Answer
from lve.data_classes import dataclass, field
from lve.errors import UnexpectedError
from lve.messages import Transcript, Usage
from lve.spec.spec import Instance

REPLAY = "replay"
"""The model that returns the recorded answers."""
UNEXPECTED = "unexpected"
"""`error_kind` of a bug in lve."""
REDACTED_ANSWER = "the answer was redacted and can't be judged again"

ResultId = NewType("ResultId", int)
"""Identifies a result within a session. It is a hash to save memory: a session of a million
instances has all ids in memory. The probability that two of a million results have the same id is 3
in 100 million."""


def result_id(test: str, model: str, source: str, line: int, repeat: int) -> ResultId:
    """Return the id of a result, which is valid in this process only.

    Args:
        test: `Spec.path`.
        model: that the test ran against.
        source: file of the instance.
        line: of the instance in the file.
        repeat: from 0.
    """
    return ResultId(hash((test, model, source, line, repeat)))


@dataclass(slots=True)  # a named tuple takes twice as long to make
class Judged:
    """A verdict, and the redacted transcripts."""

    verdict: Verdict
    transcripts: tuple[Transcript, ...]
    error_kind: str | None = None
    judged_by: str | None = None
    """Hash of the checkers, if the transcripts were changed; as in `InstanceResult`."""


@dataclass(slots=True)
class InstanceResult:
    """One instance (and repeat) of one test against one model."""

    test: str
    """`Spec.path`: the test folder relative to the workspace root."""
    model: str
    source: str
    """File of the instance, relative to the test folder."""
    line: int
    """From 1."""
    repeat: int
    """From 0."""
    args: Mapping[str, Any]
    verdict: Outcome
    reason: str
    recorded: Literal["passed", "failed"] | None = None
    """The verdict in the instance file, if there is one."""
    responses: tuple[str | Mapping[str, str], ...] = ()
    """One per run, redacted: a text, or variable -> text if the prompt has several open turns."""
    transcripts: tuple[Transcript, ...] = ()
    """One per run, redacted and with the checkers' `postprocess_response` applied."""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    """US dollars; None if the model has no price in the settings."""
    latency_s: float = 0.0
    """Sum of all completions."""
    cached: bool = False
    """Whether every completion came from the cache."""
    error_kind: str | None = None
    """Kind of the error: a `ModelError.kind`, `checker`, `prompt`, `redacted` or `unexpected`."""
    score: float | None = None
    judged_by: str | None = None
    """If secrets were removed from the answers here: the sum (`checkers_sum`) of the checkers that
    judged the original ones. These answers can't be judged again. Otherwise None."""
    asked: tuple[Answer, ...] = ()
    """Answers of the models that the checkers asked, redacted and without vectors."""
    advisory: bool = False
    """Whether the verdict is only reported and can't fail the test, because its checks aren't
    calibrated well enough."""
    labels: tuple[str, str] | None = None
    """Of an answer that has to choose a label: the right one, and the one that it chose."""
    parts: Parts = None
    """What it adds to metrics over all results."""
    row: int | None = field(default=None, repr=False, compare=False)
    """As `Instance.row`."""
    sent: tuple[str, ...] = ()
    """Hash of what was sent, per run; only if the answers are recorded."""
    unbound: bool = False
    """Whether it is a replayed answer that doesn't say which prompt it is for."""
    answered_by: str | None = None
    """The model whose recorded answer was replayed; empty if the recording names none, None if
    nothing was replayed."""
    cause: str | None = None
    """Of an error, what went wrong, if the reason says more than that; as in `ModelError`."""
    variant: str | None = None
    """The variant of its test's prompt, whose name `test` ends with; None if there are none."""

    @property
    def id(self) -> ResultId:
        """Identifies the result in its session."""
        return result_id(self.test, self.model, self.source, self.line, self.repeat)

    @property
    def failed_as_recorded(self) -> bool:
        """Whether it is a replayed answer that failed now and when it was recorded."""
        return self.model == REPLAY and self.verdict == self.recorded == "failed"

    def judged_again(
        self, judged: Judged, *, recorded: Literal["passed", "failed"] | None, advisory: bool
    ) -> InstanceResult:
        """Return the result of the same answers with a new verdict; the arguments are as in
        `result_of`."""
        verdict, transcripts = judged.verdict, judged.transcripts
        again = copy(self)  # `replace` takes five times as long
        again.verdict, again.reason, again.score = verdict.outcome, verdict.reason, verdict.score
        again.transcripts = transcripts
        again.responses = tuple([transcript.answer for transcript in transcripts])
        again.recorded, again.error_kind = recorded, judged.error_kind
        again.judged_by, again.advisory, again.cause = judged.judged_by, advisory, None
        again.labels, again.parts = verdict.labels, verdict.parts
        return again

    def without_verdict(self, error: UnexpectedError) -> InstanceResult:
        """Return an error result for the same instance, if a bug prevents the real one. It has no
        data from outside of lve, because that may be what triggers the bug."""
        return replace(
            self,
            args={},
            row=None,
            verdict="error",
            reason=str(error),
            responses=(),
            transcripts=(),
            error_kind=UNEXPECTED,
            score=None,
            judged_by=None,
            asked=(),
            cause=None,
            labels=None,
            parts=None,
        )

    def without_amounts(self) -> InstanceResult:
        """Return the result without what its answers took, which can't be written."""
        return replace(
            self,
            usage=Usage(),
            cost=None,
            latency_s=0.0,
            cached=False,
            recorded=None,
            advisory=False,
        )


def result_of(
    test: str,
    model: str,
    instance: Instance,
    repeat: int,
    recorded: Literal["passed", "failed"] | None,
    judged: Judged,
    totals: tuple[Usage, float, bool],
    cost: float | None,
    advisory: bool,
) -> InstanceResult:
    """Return the result of an instance: judged, or an error.

    The arguments are what there is anyway, given by position: values made for the call, and names
    at the call, would each take longer than the result itself.

    Args:
        test, model, repeat, recorded, cost, advisory: as in `InstanceResult`.
        instance: what was run.
        judged: its verdict and its transcripts.
        totals: what the answers took: tokens, seconds, and whether all are from the cache.
    """
    verdict, transcripts = judged.verdict, judged.transcripts
    usage, latency_s, cached = totals
    responses: tuple[Any, ...]
    if len(transcripts) == 1 and transcripts[0].is_plain:
        responses = (transcripts[0].messages[-1].content,)
    else:
        responses = tuple([transcript.answer for transcript in transcripts])
    return InstanceResult(  # the one place that fills a result by position
        test,
        model,
        instance.source,
        instance.line,
        repeat,
        instance.args,
        verdict.outcome,
        verdict.reason,
        recorded,
        responses,
        transcripts,
        usage,
        cost,
        latency_s,
        cached,
        judged.error_kind,
        verdict.score,
        judged.judged_by,
        (),
        advisory,
        verdict.labels,
        verdict.parts,
        instance.row,
    )
