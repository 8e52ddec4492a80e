"""Combines the verdicts of a test's checkers into one. Errors become verdicts, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from lve.checkers.binding.bound import BoundChecker
from lve.checkers.contract import CheckContext, Verdict, all_parts, common_code, first_labels
from lve.checkers.judging_limits import IN_PROCESS_S, NeedsProcessError
from lve.checkers.usable_names import why_unjudgeable
from lve.errors import CheckerError, LveError

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer
    from lve.spec.spec import Instance

Check = Callable[[BoundChecker, CheckContext], Verdict]
Read = Callable[["JsonAnswer", str], object]

TOGETHER_S = 60.0
"""Seconds of judging one instance after which its remaining built-in checkers are skipped."""


class Judge:
    """Judges the instances of one test.

    Attributes:
        checkers: the checkers, in the order of the test document.
        may_take_long: whether a checker always runs in another process or loads a model, so that
            judging has to wait for it.
        answer: the JSON that an answer must be before it is checked; None accepts any text.
        runs_code: whether a checker is custom code.
        postprocesses: whether a checker may change answers before they are written.
        asks: whether a checker asks a model.
        advisory: indexes of the checkers whose verdicts are reported but don't count.
        is_advisory: whether no verdict counts, so that the test can't fail.
    """

    def __init__(
        self,
        checkers: Sequence[BoundChecker],
        *,
        pass_when: Literal["all", "any"] = "all",
        answer: JsonAnswer | None = None,
        advisory: Collection[int] = (),
    ) -> None:
        """Args:
        checkers: the checkers, in the order of the test document.
        pass_when: whether all checkers must pass, or one of them.
        answer: the JSON that an answer must be before it is checked; None accepts any text.
        advisory: indexes of the checkers whose verdicts are reported but don't count.
        """
        self.checkers = tuple(checkers)
        self._pass_when = pass_when
        self.answer = answer
        self._only = self.checkers[0] if len(self.checkers) == 1 and answer is None else None
        """The fast path: nearly all tests have one checker and accept any text."""
        self.runs_code = any(checker.stop is not None for checker in self.checkers)
        self.may_take_long = self.runs_code or any(checker.is_slow for checker in self.checkers)
        self._needed = frozenset(name for checker in self.checkers for name in checker.needs.names)
        self._needs_reference = any(checker.needs.reference for checker in self.checkers)
        self.postprocesses = any(checker.postprocesses for checker in self.checkers)
        self.asks = any(checker.roles for checker in self.checkers)
        self.advisory = frozenset(advisory)
        self.is_advisory = bool(self.advisory) and len(self.advisory) == len(self.checkers)

    def why_unjudgeable(self, instance: Instance) -> str | None:
        """Return why no answer to `instance` can pass: what it lacks that the checkers need. None
        if nothing is missing."""
        args, parameters = instance.args, instance.parameters
        lacks = self._needs_reference
        if not lacks and parameters.keys() >= self._needed and None not in parameters.values():
            return None  # nearly always
        for name in self._needed:
            if args.get(name) is None and parameters.get(name) is None:
                lacks = True
        if not lacks:
            return None
        needs = [checker.needs for checker in self.checkers]
        return why_unjudgeable(needs, instance, pass_when=self._pass_when)

    def stop(self) -> None:
        """Stop the processes of the checkers. Running judgements get the verdict `error`."""
        for checker in self.checkers:
            if checker.stop is not None:
                checker.stop()
            if checker.out_of_process is not None:
                checker.out_of_process.stop()

    def judge(self, context: CheckContext) -> Verdict:
        """Return the verdict on one instance; `error` with the reason if a checker fails."""
        return self._judged(context, BoundChecker.check, lambda answer, text: answer.read(text))

    def judge_in_process(self, context: CheckContext) -> Verdict:
        """Return the same verdict as `judge`, if this process can reach it within milliseconds.

        Raises:
            NeedsProcessError: it may take longer. Call `judge`, in a thread that can wait.
        """
        if self._only is not None:
            return verdict_of(self._only, context, BoundChecker.check_in_process)
        return self._judged(context, BoundChecker.check_in_process, _value_in_process)

    def _judged(self, context: CheckContext, check: Check, read: Read) -> Verdict:
        if self.answer is not None:
            try:
                for text in context.responses:  # of a test with several runs, all have to fit
                    value = read(self.answer, text)
            except ValueError as error:
                return _with_cause(Verdict("failed", str(error)), context)
            except CheckerError as error:
                return Verdict.of_error(error)
            context = replace(context, parsed=value, is_parsed=True)
        if len(self.checkers) == 1:
            return verdict_of(self.checkers[0], context, check)
        is_in_process = check is BoundChecker.check_in_process
        return self._combined(
            self._verdicts(context, check, IN_PROCESS_S if is_in_process else None)
        )

    def _verdicts(
        self, context: CheckContext, check: Check, limit_s: float | None
    ) -> list[Verdict]:
        """Return each checker's verdict, within limits for their total time: many quick checkers
        can be slow together."""
        began = time.monotonic()
        verdicts = []
        for checker in self.checkers:
            seconds = time.monotonic() - began
            if limit_s is not None and seconds > limit_s:
                raise NeedsProcessError
            if seconds > TOGETHER_S and not (checker.is_slow or checker.stop):
                skipped = f"{checker.name}: skipped: judging has taken {TOGETHER_S:.0f} s already"
                verdicts.append(Verdict("error", skipped))
            else:
                verdicts.append(verdict_of(checker, context, check))
        return verdicts

    def _combined(self, verdicts: list[Verdict]) -> Verdict:
        by_checker = list(zip(self.checkers, verdicts, strict=True))
        if not self.advisory or self.is_advisory:
            return self._decided(by_checker)
        verdict = self._decided([n for i, n in enumerate(by_checker) if i not in self.advisory])
        advice = [by_checker[i] for i in sorted(self.advisory)]
        reasons = "; ".join(f"{checker.name} {v.outcome}: {v.reason}" for checker, v in advice)
        return replace(verdict, reason=f"{verdict.reason}; advisory: {reasons}")

    def _decided(self, by_checker: list[tuple[BoundChecker, Verdict]]) -> Verdict:
        decisive = "failed" if self._pass_when == "all" else "passed"
        labels = first_labels((v for _, v in by_checker), is_any=decisive == "passed")
        parts = all_parts(v for _, v in by_checker)
        with_outcome = (
            [pair for pair in by_checker if pair[1].outcome == outcome]
            for outcome in (decisive, "error", "inconclusive")
        )
        deciding = next(filter(None, with_outcome), by_checker)
        reasons = "; ".join(_named_reason(checker, v) for checker, v in deciding)
        code = common_code(v for _, v in deciding)
        return replace(deciding[0][1], reason=reasons, code=code, labels=labels, parts=parts)

    def postprocess(self, text: str) -> str:
        """Return `text`, an answer, as all checkers let it be written.

        Raises:
            CheckerError: A checker's `postprocess_response` crashed. The answer must not be
                written then.
        """
        for checker in self.checkers:
            text = checker.postprocess(text)
        return text


def _named_reason(checker: BoundChecker, verdict: Verdict) -> str:
    """Return a verdict's reason, with the name of its checker before it."""
    # Errors of a checker's process begin with its name already.
    return (name := f"{checker.name}: ") + verdict.reason.removeprefix(name)


def _value_in_process(answer: JsonAnswer, text: str) -> object:
    from lve.prompts.answers.schema_meter import TooManyStepsError

    try:
        return answer.read_quickly(text)
    except TooManyStepsError:
        raise NeedsProcessError from None


def verdict_of(checker: BoundChecker, context: CheckContext, check: Check) -> Verdict:
    """Return `check(checker, context)`; the verdict `error` if it raises.

    Raises:
        NeedsProcessError: the judgement has to run in another process.
    """
    try:
        return _with_cause(check(checker, context), context)
    except NeedsProcessError:
        raise
    except LveError as error:
        return Verdict.of_error(error, f"{checker.name}: ")
    except Exception as error:  # a checker is a plugin: whatever it raises is its own failure
        return Verdict("error", f"{checker.name} crashed: {type(error).__name__}: {error}")


def _with_cause(verdict: Verdict, context: CheckContext) -> Verdict:
    """Return a verdict whose reason says so if an answer is empty because tokens ran out."""
    if verdict.outcome != "failed":
        return verdict
    empty = [run for run in context.transcripts if run.completions and not run.response.strip()]
    if not any(run.completions[-1].finish_reason == "length" for run in empty):
        return verdict
    return replace(verdict, reason=f"{verdict.reason} (the limit of tokens cut the answer off)")
