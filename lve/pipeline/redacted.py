"""Answers as they may be written, and what becomes of those that were changed for it.

A verdict is reached on the whole answer. What is written then lacks what the checkers of the test
or lve itself take out (personal data, secrets), so it can't be judged again: its verdict stays as
long as the checkers do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from lve.checkers.asking import Answers
from lve.checkers.contract import CheckContext, Outcome, Verdict
from lve.checkers.judge import Judge
from lve.checkers.resolve import checkers_sum
from lve.error_kinds import CHECKER_ERROR
from lve.errors import CheckerError
from lve.execution.completions import redacted
from lve.messages import Part, Role, Transcript
from lve.redaction import Redactor
from lve.results.records import REDACTED_ANSWER
from lve.spec.model import Instance, Recorded, Spec

Transcripts = tuple[Transcript, ...]


class Judged(NamedTuple):
    """A verdict, and the answers as they may be written."""

    verdict: Verdict
    transcripts: Transcripts
    error_kind: str | None = None
    judged_by: str | None = None
    """As in `InstanceResult`."""


def judge_and_redact(
    context: CheckContext,
    ask: Callable[[CheckContext], Verdict],
    *,
    redacts: Judge,
    redact: Redactor,
    judged_by: Callable[[], str],
) -> Judged:
    """Judge whole answers, then take out what may not be written.

    Args:
        context: what the checkers look at: the answers, and what led to them.
        ask: asks the judge.
        redacts: the judge, which may redact.
        redact: takes out secrets.
        judged_by: gives the sum of the test's checkers.

    Raises:
        TooMuchHereError: as `ask`.
    """
    whole = context.transcripts
    verdict = ask(context)
    kind = CHECKER_ERROR if verdict.outcome == "error" else None
    if not (redacts.redacts or redact.has_secrets):
        return Judged(verdict, whole, kind)
    kept = tuple([redacted_transcript(one, redact) for one in whole])
    if _differ(kept, whole):
        verdict = _without_quotes(verdict, ask(replace(context, transcripts=kept)))
    if redacts.redacts:
        try:
            kept = tuple([_postprocessed(one, redacts) for one in kept])
            if len(redacts.checkers) > 1 and _differ(kept, whole):  # the others quote the answer
                verdict = replace(verdict, reason=redacts.postprocess(verdict.reason))
        except CheckerError as error:  # what can't be redacted must not be written
            return Judged(Verdict("error", str(error)), (), CHECKER_ERROR)
    return Judged(verdict, kept, kind, judged_by() if _differ(kept, whole) else None)


def _without_quotes(verdict: Verdict, other: Verdict) -> Verdict:
    """Return a verdict on an answer with a secret, with the reason that the answer without it got:
    reasons quote, and a part of a secret isn't recognised."""
    if other.outcome == verdict.outcome:
        return replace(verdict, reason=other.reason)
    return replace(
        verdict, reason="(the reason isn't shown, because the answer has a secret in it)"
    )


def _differ(kept: Transcripts, whole: Transcripts) -> bool:
    """Whether an answer that is kept isn't what the model said."""
    pairs = zip(kept, whole, strict=True)
    return any(one is not other and one.messages != other.messages for one, other in pairs)


def redacted_transcript(transcript: Transcript, redact: Redactor) -> Transcript:
    """Return a transcript without secrets in its answers and in what came after the first one."""
    found = transcript.completions
    completions = tuple([redacted(completion, redact) for completion in found])
    is_same = all(one is other for one, other in zip(completions, found, strict=True))
    if is_same and len(found) <= 1:
        return transcript
    kept = _with_answers(transcript, redact)
    if is_same and kept.messages == transcript.messages:
        return transcript
    return replace(kept, completions=completions)


def _postprocessed(transcript: Transcript, judge: Judge) -> Transcript:
    """Return a transcript as the checkers want it written.

    Raises:
        CheckerError: the checker's redaction crashed.
    """
    kept = _with_answers(transcript, judge.postprocess)
    if kept.messages == transcript.messages:
        return transcript
    answers = [kept.messages[index] for index in kept.filled]
    completions = tuple(
        replace(completion, text=str(one.content), tool_calls=one.tool_calls, logprobs=None)
        for completion, one in zip(transcript.completions, answers, strict=False)
    )
    return replace(kept, completions=completions)


def _with_answers(transcript: Transcript, change: Callable[[str], str]) -> Transcript:
    """Return a transcript with other texts as answers and calls, and in all messages after the
    first answer that may repeat one: results of calls, messages of the prompt that hold
    `{variable}`, what a simulated user says."""
    messages, filled = list(transcript.messages), set(transcript.filled)
    for index in range(min(filled, default=len(messages)), len(messages)):
        message = messages[index]
        if message.role is Role.assistant and index not in filled:
            continue  # it was written before anybody answered
        if isinstance(message.content, str):
            changed = tuple([c._replace(arguments=change(c.arguments)) for c in message.tool_calls])
            content = change(message.content)
            messages[index] = replace(message, content=content, tool_calls=changed)
        elif message.content is not None:
            parts = [_changed_part(part, change) for part in message.content]
            messages[index] = replace(message, content=parts)
    return replace(transcript, messages=tuple(messages))


def _changed_part(part: Part, change: Callable[[str], str]) -> Part:
    text = part.get("text")
    return {**part, "text": change(text)} if isinstance(text, str) else part


def judged_by(recorded: Recorded) -> str | None:
    """Return the sum of the checkers that judged a recorded answer before it was redacted; None for
    a whole answer."""
    said = recorded.run_info.get("redacted")
    return str(said.get("judged_by")) if isinstance(said, Mapping) else None


def verified(kept: Judged, context: CheckContext, ask: Callable[[CheckContext], Verdict]) -> Judged:
    """Return a verdict that an instance file says of a redacted answer, if it passes as it is
    written, too: a file that somebody contributed must not pass what fails when it is judged.

    Args:
        kept: the recorded verdict, from `kept_verdict`.
        context: what the checkers look at: the redacted answers, and what led to them.
        ask: asks the judge.

    Raises:
        TooMuchHereError: as `ask`.
    """
    if kept.verdict.outcome != "passed" or ask(context).outcome == "passed":
        return kept
    why = f"{REDACTED_ANSWER}: recorded as passed, and fails as it is written"
    error = Verdict("error", f"{why}: ask the model again, or use --trust if the file is yours")
    return Judged(error, kept.transcripts, "redacted", kept.judged_by)


def kept_verdict(
    spec: Spec,
    transcripts: Transcripts,
    judged_by: str,
    outcome: Outcome | None,
    reason: str = "",
    score: float | None = None,
) -> Judged:
    """Return the verdict of answers that were redacted: the one that was reached on the whole ones,
    if the checkers are the same.

    Args:
        spec: the test.
        transcripts: with the redacted answers.
        judged_by: sum of the checkers that reached it.
        outcome: that it was; None if that isn't known.
        reason: of it.
        score: of it.
    """
    if outcome is None or judged_by != checkers_sum(spec):
        why = "its checkers have changed since" if outcome else "its verdict isn't known"
        error = Verdict("error", f"{REDACTED_ANSWER}, and {why}: ask the model again")
        return Judged(error, transcripts, "redacted", judged_by)
    kept = f"{REDACTED_ANSWER}: this is the verdict on the whole one"
    if kept not in reason:  # a verdict may be kept again
        reason = f"{reason} ({kept})" if reason else kept
    verdict = Verdict(outcome, reason, score)
    return Judged(verdict, transcripts, CHECKER_ERROR if outcome == "error" else None, judged_by)


def context_of(
    instance: Instance,
    transcripts: tuple[Transcript, ...],
    cost: float | None,
    answers: Answers | None = None,
) -> CheckContext:
    """Return what the checkers see of an instance."""
    recorded = instance.recorded.responses if instance.recorded else ()
    parameters, reference = instance.parameters, instance.reference
    # By position, as this runs for every instance: a class takes keywords as a dict.
    return CheckContext(
        transcripts, parameters, reference, instance.args, None, False, recorded, cost, answers
    )
