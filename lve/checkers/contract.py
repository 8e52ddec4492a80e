"""The interface between lve and checkers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from lve.data_classes import dataclass, field
from lve.errors import LveError
from lve.messages import Transcript
from lve.spec.check_names import CONTEXTS, METADATA, TOOL_CALLS

if TYPE_CHECKING:
    from lve.checkers.questions import Answers

Outcome = Literal["passed", "failed", "error", "inconclusive"]
Parts = Mapping[str, tuple[float, ...]] | None
"""Of metrics over all results, such as BLEU: name -> what this result adds to the sums that the
metric is computed from."""


@dataclass(slots=True)
class Verdict:
    """The verdict of a checker on one instance."""

    outcome: Outcome
    reason: str = ""
    """Why, for readers who don't know the code: "expected 42, found 41". Results have the first
    10,000 characters."""
    score: float | None = None
    """If the checker has a scale: a number, usually from 0 to 1, and never beyond a million."""
    code: str | None = field(default=None, compare=False, repr=False)
    """The code of lve's error (`lve explain CODE`) for which nothing was judged. None for another
    outcome, and for errors that differ."""
    labels: tuple[str, str] | None = field(default=None, compare=False, repr=False)
    """Of an answer that has to choose a label: the right one, and the one that it chose. Reports
    have a confusion matrix of them."""
    parts: Parts = field(default=None, compare=False, repr=False)

    @property
    def passed(self) -> bool:
        """Whether the model behaved."""
        return self.outcome == "passed"

    @classmethod
    def of_error(cls, error: LveError, prefix: str = "") -> Verdict:
        """Return the verdict `error` with the message of an error after `prefix`."""
        return cls("error", f"{prefix}{error}", None, error.code)


def common_code(verdicts: Iterable[Verdict]) -> str | None:
    """Return the code that all verdicts have; None if there is none."""
    codes = {verdict.code for verdict in verdicts}
    return codes.pop() if len(codes) == 1 else None


def first_labels(verdicts: Iterable[Verdict], *, is_any: bool = False) -> tuple[str, str] | None:
    """Return the labels of the first verdict that has some; None if none has. Where any of the
    checks may pass (`is_any`), one that passed counts first: it has the label that was right."""
    first = None
    for verdict in verdicts:
        if verdict.labels is not None:
            if not is_any or verdict.passed:
                return verdict.labels
            first = first or verdict.labels
    return first


def all_parts(verdicts: Iterable[Verdict]) -> Parts:
    """Return the parts of all verdicts, but none of a metric that several give different numbers
    of: a report would have the score of one of them."""
    parts: dict[str, tuple[float, ...]] = {}
    differing = set[str]()
    for verdict in verdicts:
        for name, numbers in (verdict.parts or {}).items():
            if parts.setdefault(name, numbers) != numbers:
                differing.add(name)
    return {name: numbers for name, numbers in parts.items() if name not in differing} or None


@dataclass(slots=True)
class CheckContext:
    """Everything that a checker can see."""

    transcripts: tuple[Transcript, ...]
    """One per run, in order; exactly one unless the test has several runs."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The instance's parameters, as its file has them."""
    reference: Any = None
    """The right answer, if the data set has an output column."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """The instance's parameters and model args together, as its file has them."""
    parsed: Any = None
    """The JSON value of the last answer, if the test wants JSON (`prompt_object`)."""
    is_parsed: bool = False
    """Whether `parsed` is set. None can also be the value of the JSON text `null`."""
    recorded: tuple[str | Mapping[str, str], ...] = ()
    """The answers recorded in the instance's file, one per run."""
    cost: float | None = None
    """What the answers cost, in US dollars; cached ones cost 0. None if the model has no price."""
    answers: Answers | None = None
    """The models' answers to the checkers' questions so far; None if checkers can't ask models."""
    other_answers: Mapping[str, str] = field(default_factory=dict)
    """Variable -> text of the run's other answers, where `on` has reduced `transcripts` to one
    answer."""

    @property
    def response(self) -> str:
        """Text of the last message of the last run."""
        return self.transcripts[-1].response

    @property
    def responses(self) -> list[str]:
        """Text of the last message of every run."""
        return [transcript.response for transcript in self.transcripts]

    @property
    def returned(self) -> dict[str, Any]:
        """What the tested application returned beside the last answer; see `RETURNED`."""
        last = self.transcripts[-1].completions[-1:]
        calls = [call for completion in last for call in completion.tool_calls]
        return {
            CONTEXTS: [text for completion in last for text in completion.contexts],
            METADATA: {k: v for completion in last for k, v in (completion.metadata or {}).items()},
            TOOL_CALLS: [{"name": call.name, "arguments": call.arguments} for call in calls],
        }

    @property
    def variables(self) -> dict[str, str]:
        """Variable -> text of the answers of the last run."""
        own = self.transcripts[-1].variables
        return {**self.other_answers, **own} if self.other_answers else own


@runtime_checkable
class Checker(Protocol):
    """Judges an instance. Its fields are its arguments."""

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict. An exception becomes an `error`, never a `failed`."""
        ...

    def postprocess_response(self, response: str) -> str:
        """Return the response as it is written to files, for example without personal data."""
        ...


class InnerCheck(Protocol):
    """A check inside another check, such as one of a list in `all`. Its arguments may depend on
    the instance."""

    def check_fully(self, context: CheckContext) -> Verdict:
        """Return the verdict."""
        ...

    def work(self, context: CheckContext) -> int | None:
        """Same as `RunnableChecker.work`."""
        ...


class RunnableChecker(Checker, Protocol):
    """A checker as lve runs it: it can be prepared, and estimates the work of a judgement."""

    def work(self, context: CheckContext) -> int | None:
        """Return an upper bound for the work of judging `context`.

        Returns:
            The work in units of about 1 ns, the time to compare two characters. None if it has no
            bound; the judgement then always runs in a process that can be killed.
        """
        ...

    def prepare(self) -> None:
        """Load models and libraries before the first judgement.

        Raises:
            MissingExtraError: a package or model is not installed.
        """
        ...
