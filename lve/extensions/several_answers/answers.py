"""Collects the answers of an instance for checks that compare them with each other, and reads what
they mean."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

from lve.checkers.answer_selection import answer_positions, up_to_answer
from lve.checkers.arguments import ArgumentError
from lve.checkers.contract import CheckContext
from lve.checkers.extract.bare_text import bare_text
from lve.checkers.extract.numerals.final_number import final_numbers, shown_number
from lve.checkers.extract.settled import settled_labels
from lve.checkers.usable_names import answer_names
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.messages import Transcript
from lve.named_tuples import NamedTuple
from lve.spec.spec import Spec
from lve.suggest import did_you_mean

ONE_ANSWER = (
    "there is only one answer, and nothing to compare it with: ask several times with"
    " `multi_run_prompt` and `repetitions`, or in several turns"
)


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """One of several answers to compare."""

    text: str
    label: str
    """How reasons call it: "answer 'first'", "run 2 of 3"."""
    run: Transcript
    """The conversation up to the answer."""

    @property
    def names(self) -> tuple[str | None, str | None]:
        """The answer's variable and the name of its run."""
        return self.run.messages[-1].variable, self.run.name

    def alone(self, context: CheckContext) -> CheckContext:
        """Return `context` reduced to this answer. Earlier answers of the run remain available as
        variables."""
        before = {
            message.variable: message.content
            for message in self.run.messages[:-1]
            if message.variable is not None and isinstance(message.content, str)
        }
        others = {**context.other_answers, **before}
        return replace(context, transcripts=(self.run,), other_answers=others)


def answers_of(context: CheckContext) -> list[ComparedAnswer]:
    """Return the answers to compare: the last one of each run, or those of all turns if there is
    only one run.

    Raises:
        CheckerError: there is only one answer.
    """
    runs = list(context.transcripts)
    if len(runs) == 1:
        runs = [up_to_answer(runs[0], at) for at in answer_positions(runs[0]).values()]
    if len(runs) < 2:
        raise CheckerError(ONE_ANSWER, code="missing_answer")
    variables = [run.messages[-1].variable for run in runs]
    are_turns = len({*variables}) == len(runs)
    return [
        ComparedAnswer(
            run.response, _label(run, number, len(runs), variable if are_turns else None), run
        )
        for number, (run, variable) in enumerate(zip(runs, variables, strict=True), 1)
    ]


def _label(run: Transcript, number: int, count: int, variable: str | None) -> str:
    if variable is not None:
        return f"answer '{variable}'"
    return f"run {number} of {count}" + (f" ('{run.name}')" if run.name else "")


def unknown_answer_names(spec: Spec, argument: str, names: Iterable[str]) -> list[ArgumentError]:
    """Return an error for each of `names` that is neither an answer's variable nor the name of a
    run.

    Args:
        spec: the test.
        argument: the checker's argument that has the names.
        names: the names to check.
    """
    variables, runs = answer_names(spec), [source.name for source in spec.prompts if source.name]
    return [
        ArgumentError(
            argument,
            f"'{name}' is no variable of an answer, and no name of a run",
            hint=did_you_mean(name, [*variables.names, *runs])
            or f"there are {', '.join([variables.listed(), *runs])}",
            code="unknown_variable",
        )
        for name in dict.fromkeys(names)
        if name not in variables and name not in runs
    ]


YES = ("yes", "ja", "oui", "sí", "sì", "sim", "tak", "да", "是", "是的", "はい", "예", "네", "نعم")
NO = ("no", "nein", "nee", "non", "não", "nie", "нет", "不", "不是", "いいえ", "아니요", "لا")


class Meaning(NamedTuple):
    """The meaning of an answer."""

    values: frozenset[Hashable]
    """The values that it can mean. Two answers agree if they have a value in common."""
    text: str
    """How reasons show it."""


Reader = Callable[[str], Meaning | None]
"""Answer -> its meaning; None if it has no value of that kind."""


def exact(text: str) -> Meaning | None:
    """Return an answer's exact text, without surrounding white space."""
    text = text.strip()
    return Meaning(frozenset({text}), text) if text else None


def bare(text: str) -> Meaning | None:
    """Return an answer's text without formatting."""
    text = bare_text(text)
    return Meaning(frozenset({text}), text) if text else None


def number(text: str) -> Meaning | None:
    """Return the number that an answer settles on."""
    numbers = final_numbers(text)
    return Meaning(frozenset(numbers), shown_number(numbers[0])) if numbers else None


def yes_or_no(text: str) -> Meaning | None:
    """Return whether an answer says yes or no, in one of a dozen languages."""
    labels = settled_labels(text, (*YES, *NO)).labels
    answers = {"yes" if label in YES else "no" for label in labels}
    return Meaning(frozenset(answers), answers.pop()) if len(answers) == 1 else None


def one_of(labels: Sequence[str]) -> Reader:
    """Return a reader for the labels that an answer settles on."""

    def read(text: str) -> Meaning | None:
        settled = settled_labels(text, labels).labels
        return Meaning(frozenset({settled}), " and ".join(sorted(settled))) if settled else None

    return read


READERS: dict[str, Reader] = {"text": bare, "exact": exact, "number": number, "yes_no": yes_or_no}
"""Value of `consistency` or `no_self_contradiction` -> reader."""
