"""Checks that ask a model to compare an answer with a text: `factuality`, `faithfulness`,
`answer_relevancy`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from lve.checkers.arguments import ArgumentError, check_threshold
from lve.checkers.builtin_checker import CheckExample, judged, only_true
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.extensions.judges.asking_check import AskingCheck, check_votes, majority_verdict, reasoning
from lve.extensions.judges.counted_answer import counted_answer
from lve.extensions.judges.verdict_reader import Reply, object_schema
from lve.extensions.judges.votes import conversation, of_replies, replies

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

    The judge compares the facts of the answer with those of the reference: `same`, `subset` (the
    answer has fewer), `superset` (it has more), `immaterial` (the differences don't matter) or
    `contradiction`.
    """

    factuality: str
    """The reference text, such as `{reference}` for the data set's right answer."""
    accept: tuple[str, ...] = ("same", "subset", "superset", "immaterial")
    """The results that pass."""
    votes: int = 1
    """How often the judge is asked, an odd number. The majority decides."""

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
        relations = "\n".join(f"- {name}: {meaning}" for name, meaning in _RELATIONS.items())
        task = (
            "Compare the facts in ANSWER with those in REFERENCE, as answers to QUESTION. Style, "
            "grammar and punctuation do not matter. REFERENCE is right. First write your "
            f"reasoning, in a few sentences, then `relation`:\n{relations}"
        )
        texts = {
            **conversation(context, run, "QUESTION"),
            "REFERENCE": self.factuality,
            "ANSWER": counted_answer(context, run),
        }
        relation = {"type": "string", "enum": [*_RELATIONS]}
        schema = object_schema(reasoning=_TEXT, relation=relation)
        votes = replies(context, task, texts, schema, votes=self.votes)
        return majority_verdict(of_replies(votes, self._verdict))

    def _verdict(self, reply: Reply) -> Verdict:
        relation = str(reply["relation"])
        return judged(relation in self.accept, f"{relation}: {reasoning(reply)}")


class _ShareCheck(AskingCheck):
    """Base of checks that pass if a large enough share of an answer's parts is good."""

    __slots__ = ()

    what: ClassVar[str]
    """The parts that the judge lists, in the plural: `claims`."""
    criterion: ClassVar[str]
    """What a good part is: `supported`."""
    empty_score: ClassVar[float]
    """The score of an answer without such parts."""

    @abstractmethod
    def task(self) -> str:
        """Return the instructions for the judge."""

    @abstractmethod
    def texts(self, context: CheckContext, run: int) -> Mapping[str, str]:
        """Return title -> text of what the judge sees."""

    def min_share(self) -> float:
        """Return the lowest share that passes."""
        return float(getattr(self, "threshold", 1.0))

    def vote_count(self) -> int:
        """Return the number of votes."""
        return int(getattr(self, "votes", 1))

    def __post_init__(self) -> None:
        check_threshold(self.min_share())
        check_votes(self.vote_count(), needs_odd=True)
        if not self.values():
            name = self.shown_name()
            raise ArgumentError(name, f"'{name}' is empty: there is nothing to compare with")

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        part = object_schema(text=_TEXT, reasoning=_TEXT, **{self.criterion: _YES_OR_NO})
        schema = object_schema(**{self.what: {"type": "array", "items": part}})
        texts = self.texts(context, run)
        votes = replies(context, self.task(), texts, schema, votes=self.vote_count())
        return majority_verdict(of_replies(votes, self._verdict))

    def _verdict(self, reply: Reply) -> Verdict:
        items: Sequence[Mapping[str, object]] = reply[self.what]
        bad = [item for item in items if item[self.criterion] == "no"]
        score = 1 - len(bad) / len(items) if items else self.empty_score
        reason = f"{len(items) - len(bad)} of {len(items)} {self.what} are {self.criterion}"
        reason = f"{reason} (threshold {self.min_share():g})"
        if bad:
            reason = f"{reason}; not {quoted(str(bad[0]['text']))}: {reasoning(bad[0])}"
        return judged(score >= self.min_share() - 1e-9, reason, round(score, 6))


@dataclass(frozen=True, slots=True)
class Faithfulness(_ShareCheck):
    """Passes if a model (the role `judge`) finds that the answer's claims follow from the given
    context."""

    what: ClassVar[str] = "claims"
    criterion: ClassVar[str] = "supported"
    empty_score: ClassVar[float] = 1.0

    faithfulness: str | tuple[str, ...]
    """The context: a text such as `{passage}`, or a list of texts."""
    threshold: float = 1.0
    """The lowest share of claims that must follow from the context."""
    votes: int = 1
    """How often the judge is asked, an odd number. The majority decides."""

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
        sources = "\n\n".join(map(str, self.values()))
        return {"CONTEXT": sources, "ANSWER": counted_answer(context, run)}


@dataclass(frozen=True, slots=True)
class AnswerRelevancy(_ShareCheck):
    """Passes if a model (the role `judge`) finds that the answer's statements are relevant to the
    question."""

    what: ClassVar[str] = "statements"
    criterion: ClassVar[str] = "relevant"
    empty_score: ClassVar[float] = 0.0

    answer_relevancy: bool | str = True
    """The question; or `true` for the conversation before the answer."""
    threshold: float = 0.8
    """The lowest share of statements that must be relevant."""
    votes: int = 1
    """How often the judge is asked, an odd number. The majority decides."""

    examples: ClassVar = (
        CheckExample(
            {"answer_relevancy": "How long does the ferry take?"},
            ("About forty minutes.",),
            ("Ferries are fun. I like boats.",),
        ),
    )

    def __post_init__(self) -> None:
        super(AnswerRelevancy, self).__post_init__()  # noqa: UP008 (slots make a new class)
        only_true("answer_relevancy", self.answer_relevancy, or_else="the question")

    def task(self) -> str:
        return (
            "List each statement that ANSWER makes as a short sentence (`text`). Say of each "
            "whether it bears on what QUESTION asks for (`relevant`), be it right or wrong, with "
            "the reasoning before. A refusal, or that something isn't known, bears on no question."
        )

    def texts(self, context: CheckContext, run: int) -> Mapping[str, str]:
        if isinstance(self.answer_relevancy, str):
            question = {"QUESTION": self.answer_relevancy}
        else:
            question = conversation(context, run, "QUESTION")
        return {**question, "ANSWER": counted_answer(context, run)}
