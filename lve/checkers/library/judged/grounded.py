"""Checks that ask a model to compare an answer with a text: `factuality`, `faithfulness`,
`answer_relevancy`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.numbers import quoted
from lve.checkers.judges.asking_check import AskingCheck, by_votes, check_votes, reasoning
from lve.checkers.judges.replies import Reply, conversation, object_schema, replies

Relation = Literal["same", "subset", "superset", "immaterial", "contradiction"]
_RELATIONS: Mapping[Relation, str] = {
    "same": "both say the same",
    "subset": "ANSWER says less than REFERENCE, and nothing against it",
    "superset": "ANSWER says more than REFERENCE, and nothing against it",
    "immaterial": "they differ in what does not matter for the facts",
    "contradiction": "they contradict each other",
}
_TEXT = {"type": "string"}
_YES_OR_NO = {"type": "string", "enum": ["no", "yes"]}


@dataclass(frozen=True, slots=True)
class Factuality(AskingCheck):
    """Passes if a model (the role `judge`) finds that the answer doesn't contradict a reference.

    The judge says how the facts of both relate: `same`, `subset` (the answer says less),
    `superset` (it says more), `immaterial` (they differ in what doesn't matter) or `contradiction`.
    """

    factuality: str
    """The reference: a text, such as `{reference}` for the data set's right answer."""
    accept: tuple[str, ...] = ("same", "subset", "superset", "immaterial")
    """The relations that pass."""
    votes: int = 1
    """How often the judge is asked, an odd number; most votes decide."""

    examples: ClassVar = (
        CheckExample(
            {"factuality": "The Danube flows through ten countries into the Black Sea."},
            ("It ends in the Black Sea.",),
            ("It flows into the Adriatic.",),
        ),
    )

    def __post_init__(self) -> None:
        check_votes(self.votes, needs_odd=True)
        for name in self.accept:
            if name not in _RELATIONS:
                message = f"'accept' has {', '.join(_RELATIONS)}, not {quoted(name)}"
                raise ArgumentError("accept", message)
        if not self.accept:
            raise ArgumentError("accept", "'accept' is empty: nothing can pass")

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        told = "\n".join(f"- {name}: {meaning}" for name, meaning in _RELATIONS.items())
        task = (
            "Compare the facts in ANSWER with those in REFERENCE, as answers to QUESTION. Style, "
            "grammar and punctuation do not matter. REFERENCE is right. First write your "
            f"reasoning, in a few sentences, then `relation`:\n{told}"
        )
        texts = {
            "QUESTION": conversation(context, run),
            "REFERENCE": self.factuality,
            "ANSWER": context.transcripts[run].response,
        }
        relation = {"type": "string", "enum": [*_RELATIONS]}
        schema = object_schema(reasoning=_TEXT, relation=relation)
        found = replies(context, task, texts, schema, votes=self.votes)
        return by_votes([self._verdict(one) for one in found])

    def _verdict(self, reply: Reply) -> Verdict:
        relation = str(reply["relation"])
        return judged(relation in self.accept, f"{relation}: {reasoning(reply)}")


class _Sharing(AskingCheck):
    """Passes if enough of what the answer says is as wanted."""

    __slots__ = ()

    what: ClassVar[str]
    """What the judge finds in the answer, in the plural."""
    wanted: ClassVar[str]
    """What each of them has to be."""
    of_nothing: ClassVar[float]
    """The score of an answer that says nothing of the kind."""

    @abstractmethod
    def task(self) -> str:
        """Return what the judge has to do."""

    @abstractmethod
    def texts(self, context: CheckContext, run: int) -> Mapping[str, str]:
        """Return what the judge sees."""

    def least(self) -> float:
        """Return the least share that passes."""
        return float(getattr(self, "threshold", 1.0))

    def ballots(self) -> int:
        """Return the number of votes."""
        return int(getattr(self, "votes", 1))

    def __post_init__(self) -> None:
        if not 0 < self.least() <= 1:
            message = f"'threshold' is above 0 and at most 1, not {self.least():g}"
            raise ArgumentError("threshold", message)
        check_votes(self.ballots(), needs_odd=True)
        if not self.values():
            name = self.shown_name()
            raise ArgumentError(name, f"'{name}' is empty: there is nothing to compare with")

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        one = object_schema(text=_TEXT, reasoning=_TEXT, **{self.wanted: _YES_OR_NO})
        schema = object_schema(**{self.what: {"type": "array", "items": one}})
        texts = self.texts(context, run)
        found = replies(context, self.task(), texts, schema, votes=self.ballots())
        return by_votes([self._verdict(reply[self.what]) for reply in found])

    def _verdict(self, items: Sequence[Mapping[str, Any]]) -> Verdict:
        bad = [item for item in items if item[self.wanted] == "no"]
        score = 1 - len(bad) / len(items) if items else self.of_nothing
        told = f"{len(items) - len(bad)} of {len(items)} {self.what} are {self.wanted}"
        told = f"{told} (threshold {self.least():g})"
        if bad:
            told = f"{told}; not {quoted(str(bad[0]['text']))}: {reasoning(bad[0])}"
        return judged(score >= self.least() - 1e-9, told, round(score, 6))


@dataclass(frozen=True, slots=True)
class Faithfulness(_Sharing):
    """Passes if a model (the role `judge`) finds that what the answer claims follows from the
    given context."""

    what: ClassVar[str] = "claims"
    wanted: ClassVar[str] = "supported"
    of_nothing: ClassVar[float] = 1.0

    faithfulness: str | tuple[str, ...]
    """The context: a text such as `{passage}`, or a list of texts."""
    threshold: float = 1.0
    """The least share of claims that have to follow from the context."""
    votes: int = 1
    """How often the judge is asked, an odd number; most votes decide."""

    examples: ClassVar = (
        CheckExample(
            {"faithfulness": "The shop opens at nine and closes at six."},
            ("It opens at nine.",),
            ("It opens at nine, and on Sundays at ten.",),
        ),
    )

    def task(self) -> str:
        return (
            "List each claim that ANSWER makes as a short sentence (`text`): facts that could be "
            "wrong, not greetings or questions. Say of each whether it follows from CONTEXT alone "
            "(`supported`), whatever else you know, with the reasoning before."
        )

    def texts(self, context: CheckContext, run: int) -> Mapping[str, str]:
        given = "\n\n".join(map(str, self.values()))
        return {"CONTEXT": given, "ANSWER": context.transcripts[run].response}


@dataclass(frozen=True, slots=True)
class AnswerRelevancy(_Sharing):
    """Passes if a model (the role `judge`) finds that what the answer says bears on the
    question."""

    what: ClassVar[str] = "statements"
    wanted: ClassVar[str] = "relevant"
    of_nothing: ClassVar[float] = 0.0

    answer_relevancy: bool | str = True
    """`true`: the question is what was said before the answer; or the question."""
    threshold: float = 0.8
    """The least share of statements that have to bear on the question."""
    votes: int = 1
    """How often the judge is asked, an odd number; most votes decide."""

    examples: ClassVar = (
        CheckExample(
            {"answer_relevancy": "How long does the ferry take?"},
            ("About forty minutes.",),
            ("Ferries are fun. I like boats.",),
        ),
    )

    def __post_init__(self) -> None:
        super(AnswerRelevancy, self).__post_init__()
        if self.answer_relevancy is False:
            raise ArgumentError("answer_relevancy", "'answer_relevancy' is true or the question")

    def task(self) -> str:
        return (
            "List each statement that ANSWER makes as a short sentence (`text`). Say of each "
            "whether it bears on what QUESTION asks for (`relevant`), be it right or wrong, with "
            "the reasoning before. A refusal, or that something isn't known, bears on no question."
        )

    def texts(self, context: CheckContext, run: int) -> Mapping[str, str]:
        given = self.answer_relevancy
        question = given if isinstance(given, str) else conversation(context, run)
        return {"QUESTION": question, "ANSWER": context.transcripts[run].response}
