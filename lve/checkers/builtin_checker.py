"""Base classes of the built-in checkers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from lve.checkers.arguments import ArgumentError, fields_of
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judging_limits import total_work
from lve.named_tuples import NamedTuple

if TYPE_CHECKING:
    from lve.checkers.usable_names import ArgNames
    from lve.spec.spec import Spec


ExampleAnswers = str | tuple[str, ...] | Mapping[str, str]
"""One answer; one answer per run; or variable -> answer of each turn."""


class CheckExample(NamedTuple):
    """A check as tests write it, with answers that pass and answers that fail."""

    check: Mapping[str, Any]
    passes: tuple[ExampleAnswers, ...] = ()
    fails: tuple[ExampleAnswers, ...] = ()


class BuiltinChecker(ABC):
    """Base of all built-in checkers. Subclasses are frozen dataclasses; their fields are the
    checker's arguments."""

    __slots__ = ()

    needs_model: ClassVar[bool] = False
    """Whether it loads a model or an optional library. `lve check` doesn't run such checkers."""
    shares_process: ClassVar[str] = ""
    """With `needs_model`: checkers with the same name here load the same library, and share one
    process. Empty: only checkers of the same class do."""
    needs_reference: ClassVar[bool] = False
    """Whether it compares with the right answer of the data set."""
    by_turn: ClassVar[bool] = False
    """Whether a list of right answers has one for each turn of a dialogue."""
    takes_on: ClassVar[bool] = True
    """Whether `on` can choose the answers that it judges."""
    compares_answers: ClassVar[bool] = False
    """Whether it compares answers with each other, so that it must see all of them at once."""
    needs_several: ClassVar[bool] = False
    """Whether it needs at least two answers."""
    limit_s: ClassVar[float] = 5.0
    """Seconds for one judgement in another process."""
    takes_answers: ClassVar[bool] = True
    """Whether its text arguments may contain answers of the tested model. False for texts that
    instruct a judge: an answer must not instruct it."""
    own_templates: ClassVar[frozenset[str]] = frozenset()
    """Names of text arguments that the checker fills itself."""
    fills_objects: ClassVar[bool] = False
    """Whether the checker fills the texts inside objects. If not, a placeholder there is told."""
    patterns: ClassVar[frozenset[str]] = frozenset()
    """Names of arguments that are regular expressions. Answers filled into them are escaped."""

    tier: ClassVar[Literal["data", "expr", "code"]] = "data"
    """`expr` if it runs an expression or pattern of the test, `code` if it runs programs
    (docs/concepts.md)."""
    combines: ClassVar[bool] = False
    """Whether its main value has other checks (`lve.checkers.library.combined.meta.Combining`)."""

    @classmethod
    def checks_in(cls, value: Any) -> list[Any]:
        """Return the checks in `value`, the checker's main value; none unless it combines
        checks."""
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
        """Return the checker with its file arguments resolved in `folder`, the test's folder.

        Raises:
            ArgumentError: an argument names a file outside `folder`, or one that can't be read.
        """
        return self

    def work(self, context: CheckContext) -> int | None:
        """Same as `RunnableChecker.work`."""
        return None

    def postprocess_response(self, response: str) -> str:
        """Return the response in the form that is written to files."""
        return response

    def prepare(self) -> None:
        """Same as `RunnableChecker.prepare`."""
        return

    def needed_names(self, spec: Spec, arg_names: ArgNames | None) -> frozenset[str]:
        """Return the names of args that an instance must have. The arguments are those of
        `name_errors`."""
        return frozenset()

    def name_errors(self, spec: Spec, arg_names: ArgNames | None) -> list[ArgumentError]:
        """Return an error for each unknown name of a parameter in the checker's arguments.

        Args:
            spec: the test.
            arg_names: names that instances can have; None if they are unknown.
        """
        return []


class PerRunChecker(BuiltinChecker):
    """Judges the last answer of each run. An instance passes if all of its runs do."""

    __slots__ = ()

    @abstractmethod
    def check_response(self, response: str, context: CheckContext) -> Verdict:
        """Return the verdict on one run's answer."""

    def work_on(self, length: int, context: CheckContext) -> int | None:
        """Return the work of judging one answer, in the unit of `work`.

        Args:
            length: characters of the answer.
            context: the whole context.
        """
        return None

    def work(self, context: CheckContext) -> int | None:
        transcripts = context.transcripts
        if len(transcripts) == 1:
            return self.work_on(len(transcripts[0].response), context)
        return total_work(self.work_on(len(text), context) for text in context.responses)

    def check(self, context: CheckContext) -> Verdict:
        runs = context.transcripts
        if len(runs) == 1:
            answer = runs[0].messages[-1].content
            return self.check_response(answer if isinstance(answer, str) else "", context)
        verdicts = [
            self.check_response(run.response, replace(context, transcripts=(run,))) for run in runs
        ]
        for outcome in ("failed", "error", "inconclusive"):
            for number, verdict in enumerate(verdicts, 1):
                if verdict.outcome == outcome:
                    reason = f"run {number} of {len(verdicts)}: {verdict.reason}"
                    return replace(verdict, reason=reason, labels=None)
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
    """Judges the last answer of each run, in time proportional to its length."""

    __slots__ = ()

    work_per_character: ClassVar[int] = 300
    """Work per character of the answer, in the unit of `work`."""
    reads: ClassVar[int] = 10**12
    """The most characters of an answer that take `work_per_character`; the rest is skipped."""

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return self.work_per_character * min(length, self.reads) + 5 * length


Labels = tuple[str, str] | None
"""As in `Verdict`."""


def judged(good: bool, reason: str, score: float | None = None, labels: Labels = None) -> Verdict:
    """Return `passed` or `failed`."""
    return Verdict("passed" if good else "failed", reason, score, None, labels)


def only_true(name: str, value: object, *, or_else: str = "") -> None:
    """Refuse the main value `false`, which would check nothing, and an empty one.

    Args:
        name: of the check.
        value: its main value.
        or_else: what it may be besides `true`, such as `an object`.

    Raises:
        ArgumentError: `value` is false or an empty text.
    """
    if value is False or value == "":
        message = f"'{name}' is true or {or_else}" if or_else else f"'{name}' is true"
        raise ArgumentError(name, message, hint=f"use {{not: {{{name}: true}}}}")
