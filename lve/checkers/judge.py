"""Combines all checkers of a test: transcripts in, one verdict out, never an exception."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from lve.checkers.binding.bound import BoundChecker
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.limits import HERE_S, TooMuchHereError
from lve.checkers.names import why_unjudgeable
from lve.errors import CheckerError, LveError

if TYPE_CHECKING:
    from lve.prompts.answers.answer_format import JsonAnswer
    from lve.spec.model import Instance

Check = Callable[[BoundChecker, CheckContext], Verdict]
Read = Callable[["JsonAnswer", str], Any]

TOGETHER_S = 60.0
"""Seconds after which no further built-in checker is asked about an instance."""


class Judge:
    """Judges the instances of one test.

    Attributes:
        checkers: in the order of the test document.
        may_take_long: whether a checker always runs in a process of its own, or asks a model of its
            own, so that judging has to wait for it.
        answer: what the last answer has to be before they look at it; None for any text.
        runs_code: whether a checker is code that somebody brought.
        redacts: whether a checker may change answers before they are written.
        asks: whether a checker asks a model.
        advisory: places of the checkers whose verdicts are only reported.
        is_advisory: whether none of the verdicts count, so that they fail nothing.
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
        checkers: in the order of the test document.
        pass_when: whether all of them must pass, or one.
        answer: what the last answer has to be before they look at it; None for any text.
        advisory: places of the checkers whose verdicts are only reported, as long as another one
            counts.
        """
        self.checkers = tuple(checkers)
        self._pass_when = pass_when
        self.answer = answer
        self._only = self.checkers[0] if len(self.checkers) == 1 and answer is None else None
        """The only checker of a test that accepts any text, as nearly all tests have: the fast
        path."""
        self.runs_code = any(one.stop is not None for one in self.checkers)
        self.may_take_long = self.runs_code or any(one.is_slow for one in self.checkers)
        self._needed = frozenset(name for one in self.checkers for name in one.needs.names)
        self._needs_reference = any(one.needs.reference for one in self.checkers)
        self.redacts = any(one.redacts for one in self.checkers)
        self.asks = any(one.roles for one in self.checkers)
        self.advisory = frozenset(advisory)
        self.is_advisory = bool(self.advisory) and len(self.advisory) == len(self.checkers)

    def why_unjudgeable(self, instance: Instance) -> str | None:
        """Return why no answer to an instance can pass, if it lacks what the checkers need."""
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
        """End the processes of the checkers; judgements under way become an `error`."""
        for checker in self.checkers:
            if checker.stop is not None:
                checker.stop()
            if checker.aside is not None:
                checker.aside.stop()

    def judge(self, context: CheckContext) -> Verdict:
        """Judge one instance. What goes wrong in a checker gives `error`, with the reason."""
        return self._judged(context, BoundChecker.check, _value)

    def judge_here(self, context: CheckContext) -> Verdict:
        """Judge one instance as `judge` does, if that is quick.

        Raises:
            TooMuchHereError: it may take longer. `judge` does it, in a thread that can wait.
        """
        if self._only is not None:
            return verdict_of(self._only, context, BoundChecker.check_here)
        return self._judged(context, BoundChecker.check_here, _value_here)

    def _judged(self, context: CheckContext, check: Check, read: Read) -> Verdict:
        if self.answer is not None:
            try:
                for text in context.responses:  # of a test with several runs, all have to fit
                    value = read(self.answer, text)
            except ValueError as error:
                return Verdict("failed", str(error))
            except CheckerError as error:
                return Verdict("error", str(error))
            context = replace(context, parsed=value, is_parsed=True)
        if len(self.checkers) == 1:
            return verdict_of(self.checkers[0], context, check)
        is_here = check is BoundChecker.check_here
        return self._combined(self._verdicts(context, check, HERE_S if is_here else None))

    def _verdicts(self, context: CheckContext, check: Check, here_s: float | None) -> list[Verdict]:
        """Return each checker's verdict. Many quick checkers may take long together."""
        began = time.monotonic()
        verdicts = []
        for checker in self.checkers:
            seconds = time.monotonic() - began
            if here_s is not None and seconds > here_s:
                raise TooMuchHereError
            if seconds > TOGETHER_S and not (checker.is_slow or checker.stop):
                late = f"{checker.name}: not asked: judging has taken {TOGETHER_S:.0f} s already"
                verdicts.append(Verdict("error", late))
            else:
                verdicts.append(verdict_of(checker, context, check))
        return verdicts

    def _combined(self, verdicts: list[Verdict]) -> Verdict:
        named = list(zip(self.checkers, verdicts, strict=True))
        if not self.advisory or self.is_advisory:
            return self._decided(named)
        verdict = self._decided([n for i, n in enumerate(named) if i not in self.advisory])
        told = "; ".join(f"{named[i][0].name} {_said(named[i][1])}" for i in sorted(self.advisory))
        return replace(verdict, reason=f"{verdict.reason}; advisory: {told}")

    def _decided(self, named: list[tuple[BoundChecker, Verdict]]) -> Verdict:
        decisive = "failed" if self._pass_when == "all" else "passed"
        for outcome in (decisive, "error", "inconclusive"):
            found = [(checker, v) for checker, v in named if v.outcome == outcome]
            if found:
                reasons = "; ".join(f"{c.name}: {v.reason}" for c, v in found)
                return Verdict(found[0][1].outcome, reasons, found[0][1].score)
        reasons = "; ".join(f"{checker.name}: {v.reason}" for checker, v in named)
        return Verdict(named[0][1].outcome, reasons, named[0][1].score)

    def postprocess(self, text: str) -> str:
        """Return an answer after every checker has redacted it.

        Raises:
            CheckerError: a checker's redaction crashed. The answer must not be written then.
        """
        for checker in self.checkers:
            text = checker.postprocess(text)
        return text


def _said(verdict: Verdict) -> str:
    return f"{verdict.outcome}: {verdict.reason}"


def _value(answer: JsonAnswer, text: str) -> Any:
    return answer.read(text)


def _value_here(answer: JsonAnswer, text: str) -> Any:
    from lve.prompts.answers.schema_meter import TooManyStepsError

    try:
        return answer.read_quickly(text)
    except TooManyStepsError:
        raise TooMuchHereError from None


def verdict_of(checker: BoundChecker, context: CheckContext, check: Check) -> Verdict:
    """Return a checker's verdict, whatever happens.

    Args:
        checker: the checker.
        context: what it judges.
        check: how.

    Raises:
        TooMuchHereError: it has to be done somewhere else.
    """
    try:
        return check(checker, context)
    except TooMuchHereError:
        raise
    except LveError as error:
        return Verdict("error", f"{checker.name}: {error}")
    except Exception as error:  # a checker is a plugin: whatever it raises is its own failure
        return Verdict("error", f"{checker.name} crashed: {type(error).__name__}: {error}")
