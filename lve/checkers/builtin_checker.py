"""Base classes of the built-in checkers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from lve.checkers.arguments import fields_of
from lve.checkers.contract import CheckContext, Verdict

if TYPE_CHECKING:
    from lve.checkers.arguments import ArgumentError
    from lve.checkers.names import KnownNames
    from lve.spec.model import Spec


ExampleAnswers = str | tuple[str, ...] | Mapping[str, str]
"""The only answer; one for each run; or variable -> text of each turn."""


class CheckExample(NamedTuple):
    """A check as a test writes it, with answers that it passes and fails."""

    check: Mapping[str, Any]
    passes: tuple[ExampleAnswers, ...] = ()
    fails: tuple[ExampleAnswers, ...] = ()


class BuiltinChecker(ABC):
    """Base of all built-in checkers. Subclasses are frozen dataclasses whose fields are
    arguments."""

    __slots__ = ()

    needs_model: ClassVar[bool] = False
    """Whether it loads a model or an optional library. `lve check` doesn't run such checkers."""
    needs_reference: ClassVar[bool] = False
    """Whether it compares with the right answer of the data set."""
    by_turn: ClassVar[bool] = False
    """Whether it compares each answer of a dialogue with its own one of a list of right answers."""
    takes_on: ClassVar[bool] = True
    """Whether `on` can say which answers it looks at."""
    compares_answers: ClassVar[bool] = False
    """Whether it compares answers with each other, and so looks at all of them together."""
    needs_several: ClassVar[bool] = False
    """Whether it can't judge one answer alone."""
    limit_s: ClassVar[float] = 5.0
    """Seconds for one judgement in the other process."""
    takes_answers: ClassVar[bool] = True
    """Whether its texts may hold answers of the tested model: not those that a judge obeys."""
    own_templates: ClassVar[frozenset[str]] = frozenset()
    """Text arguments that the checker itself fills with values of the instance."""
    patterns: ClassVar[frozenset[str]] = frozenset()
    """Arguments that are regular expressions: an answer in one stands for itself."""

    tier: ClassVar[Literal["data", "expr"]] = "data"
    """Whether it computes something that the test wrote (docs/concepts.md)."""
    combines: ClassVar[bool] = False
    """Whether its main value is other checks (`lve.checkers.library.combined.meta.Combining`)."""

    @classmethod
    def checks_in(cls, value: Any) -> list[Any]:
        """Return what stands for checks in its main value, if it combines any."""
        if not cls.combines:
            return []
        return value if isinstance(value, list) else [value]

    examples: ClassVar[tuple[CheckExample, ...]] = ()
    """What `lve show checker` and the documentation show."""

    @classmethod
    def shown_name(cls) -> str:
        """Return the name that a test document uses."""
        return cls.__name__

    @abstractmethod
    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict."""

    def in_folder(self, folder: Path) -> BuiltinChecker:
        """Return the checker for a test in a folder. Its arguments may name nothing outside of it.

        Raises:
            ArgumentError: an argument does.
        """
        return self

    def work(self, context: CheckContext) -> int | None:
        """As `MeasuredChecker.work`."""
        return None

    def postprocess_response(self, response: str) -> str:
        """Return the response as it may be written to files."""
        return response

    def prepare(self) -> None:
        """As `MeasuredChecker.prepare`."""
        return

    def needed_names(self, spec: Spec, known: KnownNames | None) -> frozenset[str]:
        """Return the args of an instance without which it can't judge; arguments as of
        `name_errors`."""
        return frozenset()

    def name_errors(self, spec: Spec, known: KnownNames | None) -> list[ArgumentError]:
        """Return what is wrong with names of parameters inside the arguments.

        Args:
            spec: the test.
            known: names that instances can have, None if that can't be said.
        """
        return []


class PerRunChecker(BuiltinChecker):
    """Judges the last answer of each run. An instance passes if all of its runs do."""

    __slots__ = ()

    @abstractmethod
    def check_response(self, response: str, context: CheckContext) -> Verdict:
        """Return the verdict on one run's answer."""

    def work_on(self, length: int, context: CheckContext) -> int | None:
        """Return how much work one run's answer is (see `work`).

        Args:
            length: characters of the answer.
            context: all that is judged.
        """
        return None

    def work(self, context: CheckContext) -> int | None:
        transcripts = context.transcripts
        if len(transcripts) == 1:
            return self.work_on(len(transcripts[0].response), context)
        parts = [self.work_on(len(text), context) for text in context.responses]
        return None if None in parts else sum(part for part in parts if part is not None)

    def check(self, context: CheckContext) -> Verdict:
        if len(context.transcripts) == 1:
            return self.check_response(context.transcripts[0].response, context)
        runs = context.transcripts
        verdicts = [
            self.check_response(run.response, replace(context, transcripts=(run,))) for run in runs
        ]
        for number, verdict in enumerate(verdicts, 1):
            if verdict.outcome == "failed":
                reason = f"run {number} of {len(verdicts)}: {verdict.reason}"
                return Verdict("failed", reason, verdict.score)
        return Verdict("passed", f"all {len(verdicts)} runs: {verdicts[0].reason}")


class Check(BuiltinChecker):
    """A checker of the short form: its first field has its name and its main value."""

    __slots__ = ()

    @classmethod
    def shown_name(cls) -> str:
        return next(iter(fields_of(cls)))

    def values(self) -> tuple[Any, ...]:
        """Return the main value as a tuple: all of a list, or the only one."""
        value = getattr(self, next(iter(fields_of(type(self)).values())).name)
        return value if isinstance(value, tuple) else (value,)


class AnswerCheck(Check, PerRunChecker):
    """Judges the last answer of each run, in a time that grows with its length."""

    __slots__ = ()

    work_per_character: ClassVar[int] = 300
    reads: ClassVar[int] = 10**12
    """Characters of a long answer that it looks at closely."""

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return self.work_per_character * min(length, self.reads) + 5 * length


def judged(good: bool, reason: str, score: float | None = None) -> Verdict:
    """Return `passed` or `failed`."""
    return Verdict("passed" if good else "failed", reason, score)
