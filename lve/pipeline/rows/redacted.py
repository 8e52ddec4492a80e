"""Judges answers and redacts them: removes secrets, and what the test's checkers redact (personal
data, say), before anything is written.

The whole answer is judged. The redacted one can't be judged again, because what the verdict depends
on may be missing. So its verdict is kept for as long as the test's checkers stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from lve.checkers.contract import CheckContext, Outcome, Verdict
from lve.checkers.judge import Judge
from lve.checkers.resolve import checkers_sum
from lve.checkers.valid_verdict import MAX_REASON, cut_reason
from lve.errors import CheckerError
from lve.execution.completions import redacted
from lve.messages import Part, Role, Transcript
from lve.models.error_kinds import CHECKER_ERROR
from lve.secrets.redaction import redact
from lve.sessions.instance_result import REDACTED_ANSWER, Judged
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Spec

Transcripts = tuple[Transcript, ...]


def judge_and_redact(
    context: CheckContext,
    judge: Callable[[CheckContext], Verdict],
    *,
    postprocessor: Judge,
    judged_by: Callable[[], str],
) -> Judged:
    """Judge whole answers, then redact them.

    Args:
        context: the answers and all else that checkers look at.
        judge: returns the verdict.
        postprocessor: the test's judge, whose checkers may change answers before they are written.
        judged_by: returns the hash of the test's checkers.

    Raises:
        NeedsProcessError: as `judge`.
    """
    verdict = judge(context)
    if postprocessor.postprocesses or redact.has_secrets:
        judged = _redacted(context, verdict, judge, postprocessor, judged_by)
    else:
        kind = CHECKER_ERROR if verdict.outcome == "error" else None
        judged = Judged(verdict, context.transcripts, kind)
        if len(verdict.reason) <= MAX_REASON:
            return judged  # nearly always
    if len(judged.verdict.reason) <= MAX_REASON:
        return judged
    # A secret that is cut can't be recognised any more.
    reason = cut_reason(redact(judged.verdict.reason))
    return replace(judged, verdict=replace(judged.verdict, reason=reason))


def _redacted(
    context: CheckContext,
    verdict: Verdict,
    judge: Callable[[CheckContext], Verdict],
    postprocessor: Judge,
    judged_by: Callable[[], str],
) -> Judged:
    whole = context.transcripts
    kind = CHECKER_ERROR if verdict.outcome == "error" else None
    written = tuple([redacted_transcript(transcript) for transcript in whole])
    if _differ(written, whole):
        verdict = _without_quotes(verdict, judge(replace(context, transcripts=written)))
    if postprocessor.postprocesses:
        try:
            written = tuple([_postprocessed(transcript, postprocessor) for transcript in written])
            # The other checkers' reasons may quote what one of them removes.
            if len(postprocessor.checkers) > 1 and _differ(written, whole):
                verdict = replace(verdict, reason=postprocessor.postprocess(verdict.reason))
        except CheckerError as error:  # what can't be redacted must not be written
            return Judged(Verdict("error", str(error)), (), CHECKER_ERROR)
    return Judged(verdict, written, kind, judged_by() if _differ(written, whole) else None)


def _without_quotes(verdict: Verdict, other: Verdict) -> Verdict:
    """Return a verdict on an answer with a secret, with the reason from judging the answer without
    it.

    Reasons quote the answer, and the redactor doesn't recognise a secret that is cut off.
    """
    hidden = "(the reason isn't shown, because the answer has a secret in it)"
    is_same = other.outcome == verdict.outcome
    return replace(verdict, reason=other.reason if is_same else hidden)


def _differ(written: Transcripts, whole: Transcripts) -> bool:
    """Whether a redacted transcript differs from the original."""
    pairs = zip(written, whole, strict=True)
    return any(new is not old and new.messages != old.messages for new, old in pairs)


def redacted_transcript(transcript: Transcript) -> Transcript:
    """Return a transcript without secrets in its answers and in all messages after the first
    answer."""
    originals = transcript.completions
    completions = tuple([redacted(completion) for completion in originals])
    is_same = all(copy is other for copy, other in zip(completions, originals, strict=True))
    if is_same and len(originals) <= 1:
        return transcript
    written = _with_answers(transcript, redact)
    if is_same and written.messages == transcript.messages:
        return transcript
    return replace(written, completions=completions)


def _postprocessed(transcript: Transcript, judge: Judge) -> Transcript:
    """Return a transcript as redacted by the test's checkers.

    Raises:
        CheckerError: a checker's redaction crashed.
    """
    written = _with_answers(transcript, judge.postprocess)
    if written.messages == transcript.messages:
        return transcript
    answers = [written.messages[index] for index in written.filled]
    completions = tuple(
        replace(completion, text=str(answer.content), tool_calls=answer.tool_calls, logprobs=None)
        for completion, answer in zip(transcript.completions, answers, strict=False)
    )
    return replace(written, completions=completions)


def _with_answers(transcript: Transcript, change: Callable[[str], str]) -> Transcript:
    """Return a transcript with `change` applied to the answers, to tool calls, and to all later
    messages that may repeat an answer: results of calls, messages with `{variable}`, the simulated
    user's."""
    messages, filled = list(transcript.messages), set(transcript.filled)
    for index in range(min(filled, default=len(messages)), len(messages)):
        message = messages[index]
        if message.role is Role.assistant and index not in filled:
            continue  # a given assistant message, written before any answer
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
    """Return the hash of the checkers that judged a recorded answer before it was redacted; None if
    it wasn't redacted."""
    info = recorded.run_info.get("redacted")
    return str(info.get("judged_by")) if isinstance(info, Mapping) else None


def verified(
    judged: Judged, context: CheckContext, judge: Callable[[CheckContext], Verdict]
) -> Judged:
    """Return the recorded verdict of a redacted answer, or an error if it is `passed` although the
    redacted answer fails: a contributed instance file must not claim such a verdict.

    Args:
        judged: the recorded verdict, from `kept_verdict`.
        context: the redacted answers and all else that checkers look at.
        judge: returns the verdict on the redacted answers.

    Raises:
        NeedsProcessError: as `judge`.
    """
    if judged.verdict.outcome != "passed" or judge(context).outcome == "passed":
        return judged
    why = f"{REDACTED_ANSWER}: recorded as passed, and fails as it is written"
    error = Verdict("error", f"{why}: ask the model again, or use --trust if the file is yours")
    return Judged(error, judged.transcripts, "redacted", judged.judged_by)


def kept_verdict(
    spec: Spec,
    transcripts: Transcripts,
    judged_by: str,
    outcome: Outcome | None,
    reason: str = "",
    score: float | None = None,
) -> Judged:
    """Return the verdict that the answers got before they were redacted, or an error if the test's
    checkers have changed since.

    Args:
        spec: the test.
        transcripts: the transcripts with the redacted answers.
        judged_by: hash of the checkers that reached the verdict.
        outcome: the verdict; None if it isn't known.
        reason: the verdict's reason.
        score: the verdict's score.
    """
    if outcome is None or judged_by != checkers_sum(spec):
        why = "its checkers have changed since" if outcome else "its verdict isn't known"
        error = Verdict("error", f"{REDACTED_ANSWER}, and {why}: ask the model again")
        return Judged(error, transcripts, "redacted", judged_by)
    note = f"{REDACTED_ANSWER}: this is the verdict on the whole one"
    if note not in reason:  # a verdict may be kept again
        reason = f"{reason} ({note})" if reason else note
    verdict = Verdict(outcome, reason, score)
    return Judged(verdict, transcripts, CHECKER_ERROR if outcome == "error" else None, judged_by)
