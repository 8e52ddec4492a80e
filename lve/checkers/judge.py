"""All checkers of a test together: transcripts in, one verdict out, never an exception."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from lve.checkers.base import CheckContext, Verdict
from lve.checkers.bound import BoundChecker
from lve.errors import LveError
from lve.messages import Transcript

if TYPE_CHECKING:
    from lve.prompts.answer_format import JsonAnswer


class Judge:
    """Judges the instances of one test.

    Attributes:
        checkers: in the order of the test document.
        may_take_long: whether a checker runs in a process of its own, or asks a model of its own,
            so that judging has to wait for it.
        redacts: whether a checker may change answers before they are written.
    """

    def __init__(
        self,
        checkers: Sequence[BoundChecker],
        *,
        pass_when: Literal["all", "any"] = "all",
        answer: JsonAnswer | None = None,
    ) -> None:
        """Args:
        checkers: in the order of the test document.
        pass_when: whether all of them must pass, or one.
        answer: what the last answer has to be before they look at it; None for any text.
        """
        self.checkers = tuple(checkers)
        self._pass_when = pass_when
        self._answer = answer
        self.may_take_long = any(one.stop is not None or one.is_slow for one in self.checkers)
        self.redacts = any(one.redacts for one in self.checkers)

    def stop(self) -> None:
        """End such processes; who waits for them gets an `error`."""
        for checker in self.checkers:
            if checker.stop is not None:
                checker.stop()

    def judge(
        self,
        transcripts: Sequence[Transcript],
        *,
        parameters: Mapping[str, Any],
        args: Mapping[str, Any],
        reference: Any = None,
    ) -> Verdict:
        """Judge one instance.

        Args:
            transcripts: one per run, in order.
            parameters: what filled the prompt.
            args: parameters and model args together; they fill the checkers' texts.
            reference: the right answer, where the data set has one.

        Returns:
            The verdict. What goes wrong in a checker gives `error`, with the reason.
        """
        context = CheckContext(tuple(transcripts), parameters, reference, args)
        if self._answer is not None:
            try:
                value = self._answer.read(context.response)
            except ValueError as error:
                return Verdict("failed", str(error))
            context = replace(context, parsed=value, is_parsed=True)
        if len(self.checkers) == 1:
            return _verdict(self.checkers[0], context)
        return self._combined([_verdict(checker, context) for checker in self.checkers])

    def _combined(self, verdicts: list[Verdict]) -> Verdict:
        decisive = "failed" if self._pass_when == "all" else "passed"
        named = list(zip(self.checkers, verdicts, strict=True))
        for outcome in (decisive, "error", "inconclusive"):
            found = [(checker, v) for checker, v in named if v.outcome == outcome]
            if found:
                reasons = "; ".join(f"{c.name}: {v.reason}" for c, v in found)
                return Verdict(found[0][1].outcome, reasons, found[0][1].score)
        reasons = "; ".join(f"{checker.name}: {v.reason}" for checker, v in named)
        return Verdict(verdicts[0].outcome, reasons, verdicts[0].score)

    def postprocess(self, text: str) -> str:
        """Return an answer as it may be written to files: every checker may redact.

        Raises:
            CheckerError: a checker's redaction crashed. The answer must not be written then.
        """
        for checker in self.checkers:
            text = checker.postprocess(text)
        return text


def _verdict(checker: BoundChecker, context: CheckContext) -> Verdict:
    try:
        return checker.check(context)
    except LveError as error:
        return Verdict("error", f"{checker.name}: {error}")
    except Exception as error:  # a checker is a plugin: whatever it raises is its own failure
        return Verdict("error", f"{checker.name} crashed: {type(error).__name__}: {error}")
