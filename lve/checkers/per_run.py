"""Checkers that look at one answer at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from lve.checkers.base import CheckContext, Verdict


class BuiltinChecker(ABC):
    """What the built-in checkers share. Subclasses are frozen dataclasses: a field, an argument."""

    __slots__ = ()

    needs_model: ClassVar[bool] = False
    """Whether it loads a model or a library behind an extra; `lve check` doesn't run those."""
    own_templates: ClassVar[frozenset[str]] = frozenset()
    """Text arguments in which the checker itself puts the instance's values."""

    @abstractmethod
    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict."""

    def postprocess_response(self, response: str) -> str:
        """Return the response as it may be written to files."""
        return response

    def prepare(self) -> None:
        """Load what takes long.

        Raises:
            MissingExtraError: a package or model is not installed.
        """
        return


class PerRunChecker(BuiltinChecker):
    """Judges the last answer of each run. An instance passes if all of its runs do."""

    __slots__ = ()

    @abstractmethod
    def check_response(self, response: str, context: CheckContext) -> Verdict:
        """Return the verdict on one run's answer."""

    def check(self, context: CheckContext) -> Verdict:
        if len(context.transcripts) == 1:
            return self.check_response(context.response, context)
        verdicts = [self.check_response(text, context) for text in context.responses]
        for number, verdict in enumerate(verdicts, 1):
            if verdict.outcome == "failed":
                reason = f"run {number} of {len(verdicts)}: {verdict.reason}"
                return Verdict("failed", reason, verdict.score)
        return Verdict("passed", f"all {len(verdicts)} runs: {verdicts[0].reason}")


def judged(good: bool, reason: str, score: float | None = None) -> Verdict:
    """Return `passed` or `failed`."""
    return Verdict("passed" if good else "failed", reason, score)
