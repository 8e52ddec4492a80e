"""The interface between lve and checkers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from lve.messages import Transcript

if TYPE_CHECKING:
    from lve.checkers.asking import Answers

UNMEASURED = "nothing was measured"
"""How the reason of a check begins that needs what only a server can measure."""
Outcome = Literal["passed", "failed", "error", "inconclusive"]


@dataclass(slots=True)
class Verdict:
    """The verdict of a checker on one instance."""

    outcome: Outcome
    reason: str = ""
    """Why, for readers who don't know the code: "expected 42, found 41"."""
    score: float | None = None
    """From 0 to 1, if the checker has a scale."""

    @property
    def passed(self) -> bool:
        """Whether the model behaved."""
        return self.outcome == "passed"


@dataclass(slots=True)
class CheckContext:
    """Everything that a checker gets to see."""

    transcripts: tuple[Transcript, ...]
    """One per run, in order; exactly one unless the test has several runs."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The instance's parameters, as in its file."""
    reference: Any = None
    """The right answer, if the data set has an output column."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """The instance's parameters and model args together, as in its file."""
    parsed: Any = None
    """The JSON value of the last answer, if the test wants JSON (`prompt_object`)."""
    is_parsed: bool = False
    """Whether `parsed` has a value (`null` is one)."""
    recorded: tuple[str | Mapping[str, str], ...] = ()
    """The answers that the instance's file has, one per run."""
    cost: float | None = None
    """US dollars that the answers cost: nothing from the cache. None without a price."""
    answers: Answers | None = None
    """What models have said to the checkers' questions so far; None: none may be asked."""
    other_answers: Mapping[str, str] = field(default_factory=dict)
    """Variable -> text of the run's other answers, if `transcripts` has only the one that counts
    (`on`)."""

    @property
    def response(self) -> str:
        """Text of the last message of the last run."""
        return self.transcripts[-1].response

    @property
    def responses(self) -> list[str]:
        """Text of the last message of every run."""
        return [transcript.response for transcript in self.transcripts]

    @property
    def variables(self) -> dict[str, str]:
        """Result name -> text, of the last run."""
        own = self.transcripts[-1].variables
        return {**self.other_answers, **own} if self.other_answers else own


@runtime_checkable
class Checker(Protocol):
    """Judges an instance. Its fields are its arguments."""

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict. An exception becomes an `error`, never a `failed`."""
        ...

    def postprocess_response(self, response: str) -> str:
        """Return the response as it may be written to files (redacted, say)."""
        ...


class Part(Protocol):
    """A check inside of another one, whose arguments may depend on the instance."""

    def check_fully(self, context: CheckContext) -> Verdict:
        """Return the verdict."""
        ...

    def work(self, context: CheckContext) -> int | None:
        """As `MeasuredChecker.work`."""
        ...


class MeasuredChecker(Checker, Protocol):
    """A checker that can tell how much work a judgement is."""

    def work(self, context: CheckContext) -> int | None:
        """Return an upper bound of the work of judging the context, if there is one.

        Returns:
            About how many characters have to be compared, or what takes as long (1 ns each). None
            if nothing bounds it: then it is always done in a process that can be ended.
        """
        ...

    def prepare(self) -> None:
        """Load models and libraries before the first judgement.

        Raises:
            MissingExtraError: a package or model is not installed.
        """
        ...
