"""Judges that answer as a test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.judging import context_of

from lve.checkers.contract import Verdict
from lve.checkers.judge import Judge
from lve.checkers.questions import Answer, Question
from lve.messages import Completion, Usage
from lve.pipeline.roles.asking import judged_here

Said = str | Answer | Mapping[str, Any] | Sequence[float]
"""A text, an answer, a JSON object, or a vector."""
Say = Callable[[Question], Said]


def yes(**grades: Any) -> str:
    """Return a judge's reply with these grades; `yes` to the only criterion by default."""
    return json.dumps({"reasoning": "It is so.", "grades": grades or {"1": "yes"}})


def no() -> str:
    """Return a judge's `no` to the only criterion."""
    return json.dumps({"reasoning": "It is not so.", "grades": {"1": "no"}})


@dataclass
class Panel:
    """Answers questions from a list, one after the other, or by a function.

    Attributes:
        asked: all questions so far.
    """

    say: Say | Sequence[Said]
    asked: list[Question] = field(default_factory=list)

    async def answer(self, question: Question) -> Answer:
        self.asked.append(question)
        if callable(self.say):
            said = self.say(question)
        else:
            said = self.say[min(len(self.asked), len(self.say)) - 1]
        if isinstance(said, Answer):
            said.key = question.key
            return said
        if question.text is not None:
            assert not isinstance(said, str | Mapping)
            return Answer(question.key, question.role, "panel", vector=said)
        text = said if isinstance(said, str) else json.dumps(said)
        completion = Completion(text, usage=Usage(10, 5), model="panel-1")
        return Answer(question.key, question.role, "panel", completion)


def broken(problem: str = "it is asleep", kind: str = "server_error") -> Answer:
    """Return what comes of a question that nobody can answer."""
    return Answer("", "judge", "panel", problem=problem, problem_kind=kind)


def ask(judge: Judge, panel: Panel, *answers: str, **context: Any) -> Verdict:
    """Return the verdict on answers, one per run; `context` as for `context_of`."""
    return asyncio.run(judged_here(judge, context_of(*answers, **context), panel))


def text_of(question: Question) -> str:
    """Return all that a judge is told."""
    return "\n".join(str(message.content) for message in question.messages)
