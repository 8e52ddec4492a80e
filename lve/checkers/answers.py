"""The answers of an instance that checks compare with each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lve.checkers.arguments import ArgumentError
from lve.checkers.contract import CheckContext
from lve.checkers.names import answer_names
from lve.checkers.turns import places, until
from lve.errors import CheckerError
from lve.messages import Transcript
from lve.spec.model import Spec
from lve.suggest import did_you_mean

ONE_ANSWER = (
    "there is only one answer, and nothing to compare it with: ask several times with"
    " `multi_run_prompt` and `repetitions`, or in several turns"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One of several answers."""

    text: str
    label: str
    """What it is, for reasons: "answer 'first'", "run 2 of 3"."""
    run: Transcript
    """The conversation up to it."""

    @property
    def names(self) -> tuple[str | None, str | None]:
        """Its variable, and the name of its run."""
        return self.run.messages[-1].variable, self.run.name

    def alone(self, context: CheckContext) -> CheckContext:
        """Return the context with this answer alone; those before it can be named."""
        before = {
            message.variable: message.content
            for message in self.run.messages[:-1]
            if message.variable is not None and isinstance(message.content, str)
        }
        others = {**context.other_answers, **before}
        return replace(context, transcripts=(self.run,), other_answers=others)


def answers_of(context: CheckContext) -> list[Answer]:
    """Return the answers to compare: those of all turns of the only run, or the last ones of
    several runs.

    Raises:
        CheckerError: there is only one.
    """
    runs = list(context.transcripts)
    if len(runs) == 1:
        runs = [until(runs[0], at) for at in places(runs[0]).values()]
    if len(runs) < 2:
        raise CheckerError(ONE_ANSWER, code="missing_answer")
    variables = [run.messages[-1].variable for run in runs]
    are_turns = len({*variables}) == len(runs)
    return [
        Answer(run.response, _label(run, number, len(runs), variable if are_turns else None), run)
        for number, (run, variable) in enumerate(zip(runs, variables, strict=True), 1)
    ]


def _label(run: Transcript, number: int, count: int, variable: str | None) -> str:
    if variable is not None:
        return f"answer '{variable}'"
    return f"run {number} of {count}" + (f" ('{run.name}')" if run.name else "")


def unknown_names(spec: Spec, argument: str, names: Iterable[str]) -> list[ArgumentError]:
    """Return what is wrong with names of answers in an argument: variables, or names of runs."""
    known, runs = answer_names(spec), [source.name for source in spec.prompts if source.name]
    return [
        ArgumentError(
            argument,
            f"'{name}' is no variable of an answer, and no name of a run",
            hint=did_you_mean(name, [*known.names, *runs])
            or f"there are {', '.join([known.listed(), *runs])}",
            code="unknown_variable",
        )
        for name in dict.fromkeys(names)
        if name not in known and name not in runs
    ]
