"""Collects the answers of an instance for checks that compare them with each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lve.checkers.answer_selection import answer_positions, up_to_answer
from lve.checkers.arguments import ArgumentError
from lve.checkers.contract import CheckContext
from lve.checkers.names import answer_names
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.messages import Transcript
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
