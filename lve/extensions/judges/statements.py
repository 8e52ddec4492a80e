"""Checks that ask a model for an answer's statements, and then about each: `noise_sensitivity`,
`answer_correctness`.

Their scores are those of ragas 0.4 for the same replies of the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import and_
from typing import ClassVar, Literal

from lve.checkers.arguments import ArgumentError, check_threshold
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.questions import Question, answers_to
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import quoted
from lve.extensions.judges.asking_check import AskingCheck, ask_all
from lve.extensions.judges.counted_answer import counted_answer
from lve.extensions.judges.rag_inputs import (
    TEXT,
    YES_OR_NO,
    contexts_of,
    numbered,
    question_texts,
    reference_of,
)
from lve.extensions.judges.similar import ROLE, cosine
from lve.extensions.judges.verdict_reader import object_schema
from lve.extensions.judges.votes import only_reply
from lve.plurals import amount_of

_STATEMENTS = object_schema(statements={"type": "array", "items": TEXT})
_SUPPORTED = object_schema(
    statements={
        "type": "array",
        "items": object_schema(statement=TEXT, reason=TEXT, verdict=YES_OR_NO),
    }
)
_LIST = {"type": "array", "items": object_schema(statement=TEXT, reason=TEXT)}
_SORTED = object_schema(TP=_LIST, FP=_LIST, FN=_LIST)


def _statements(context: CheckContext, question: Mapping[str, str], answer: str) -> list[str]:
    """Return the statements into which the judge takes an answer apart."""
    task = (
        "Take ANSWER, an answer to QUESTION, apart into `statements`: short sentences that can be "
        "understood alone, without pronouns, which together say what ANSWER says."
    )
    reply = only_reply(context, task, {**question, "ANSWER": answer}, _STATEMENTS)
    return [str(statement) for statement in reply["statements"]]


@dataclass(frozen=True, slots=True)
class NoiseSensitivity(AskingCheck):
    """Passes if few of the answer's statements are wrong because of the contexts, according to a
    model (the role `judge`).

    The judge takes the right answer and the given one apart, and says of each statement which
    contexts support it. The score is the share of the answer's statements that a context supports
    and the right answer doesn't, as in ragas 0.4: 0 is best.
    """

    worst_score: ClassVar[float] = 1.0

    noise_sensitivity: str | tuple[str, ...]
    """The contexts: a column with a list such as `{passages}`, or a list of texts."""
    mode: Literal["relevant", "irrelevant"] = "relevant"
    """Which contexts mislead: those that support a statement of the right answer, or the others."""
    reference: str | None = None
    """The right answer; by default the data set's."""
    question: str | None = None
    """The question, such as `{question}`; by default the conversation before the answer."""
    max_share: float = 0.0
    """The highest share that passes."""

    examples: ClassVar = (
        CheckExample(
            {
                "noise_sensitivity": ["The ferry takes an hour, and the train two."],
                "question": "How long does the ferry take?",
                "reference": "An hour.",
            },
            ("It takes an hour.",),
            ("It takes two hours.",),
        ),
    )

    def __post_init__(self) -> None:
        contexts_of("noise_sensitivity", self.noise_sensitivity)
        if not 0 <= self.max_share < 1:
            message = f"'max_share' is at least 0 and less than 1, not {self.max_share:g}"
            raise ArgumentError("max_share", message)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        contexts = contexts_of("noise_sensitivity", self.noise_sensitivity)
        question = question_texts(self.question, context, run)
        reference = reference_of(self.reference, context)
        answers = (reference, counted_answer(context, run))
        right, own = ask_all(partial(_statements, context, question, text) for text in answers)
        if not own:
            raise CheckerError("the judge finds no statement in the answer", code="judge")
        pairs = [(stated, text) for text in contexts for stated in (right, own)]
        asks = [partial(_supported, context, *pair) for pair in (*pairs, (own, reference))]
        *support, true = ask_all(asks)
        wrong = misled(support[::2], support[1::2], true, relevant=self.mode == "relevant")
        score = sum(wrong) / len(wrong)
        reason = (
            f"{amount_of(sum(wrong), len(wrong), 'statement', 'is')} wrong by {self.mode} contexts "
            f"(at most {self.max_share:g})"
        )
        if any(wrong) and len(wrong) == len(own):
            reason = f"{reason}: {quoted(own[wrong.index(True)])}"
        return judged(score <= self.max_share + 1e-9, reason, score)


def _supported(context: CheckContext, statements: Sequence[str], text: str) -> list[bool]:
    """Return of each statement whether a text supports it, according to the judge."""
    task = (
        "Say of each of STATEMENTS, in their order, whether it can be inferred directly from "
        "CONTEXT: first the `reason`, then the `verdict`: 1 if it can, 0 if not."
    )
    texts = {"CONTEXT": text, "STATEMENTS": numbered(statements)}
    reply = only_reply(context, task, texts, _SUPPORTED)
    return [bool(item["verdict"]) for item in reply["statements"]]


def misled(
    of_right: Sequence[Sequence[bool]],
    of_own: Sequence[Sequence[bool]],
    true: Sequence[bool],
    *,
    relevant: bool,
) -> list[bool]:
    """Return of each of an answer's statements whether contexts have misled it, as ragas 0.4 does.

    Args:
        of_right: of each context, whether it supports each statement of the right answer.
        of_own: of each context, whether it supports each statement of the answer.
        true: whether the right answer supports each statement of the answer.
        relevant: whether the contexts that support the right answer count, or the others.

    Raises:
        CheckerError: the judge has left out statements.
    """
    if {*map(len, of_own)} != {len(true)} or len({*map(len, of_right)}) > 1:
        raise CheckerError("the judge leaves out statements, or adds some", code="judge")
    is_relevant = [any(supports) for supports in of_right]
    wrong = []
    for place, is_true in enumerate(true):
        supports = [supported[place] for supported in of_own]
        by_relevant = any(map(and_, is_relevant, supports))
        by_others = any(supports) and not by_relevant
        wrong.append(not is_true and (by_relevant if relevant else by_others))
    return wrong


@dataclass(frozen=True, slots=True)
class AnswerCorrectness(AskingCheck):
    """Passes if the answer says the same as the right one, according to a model (the role `judge`)
    and an embedding model (the role `embedding`).

    The judge takes both answers apart, and sorts the statements into those of both (`TP`), of the
    answer alone (`FP`) and of the right answer alone (`FN`). The score is the mean of their F1 and
    of the similarity of the two texts, weighted as in ragas 0.4.
    """

    answer_correctness: str
    """The right answer, such as `{reference}`."""
    similarity: float = 0.25
    """The weight of the similarity, from 0 to 1. With 0, no embedding model is asked."""
    beta: float = 1.0
    """How much more what is missing counts than what is too much."""
    question: str | None = None
    """The question, such as `{question}`; by default the conversation before the answer."""
    threshold: float = 0.7
    """The lowest score that passes."""

    examples: ClassVar = (
        CheckExample(
            {"answer_correctness": "The ferry takes an hour.", "similarity": 0},
            ("It takes one hour.",),
            ("It takes two hours.",),
        ),
    )

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        if not 0 <= self.similarity <= 1:
            message = f"'similarity' is from 0 to 1, not {self.similarity:g}"
            raise ArgumentError("similarity", message)
        if not 0 < self.beta <= 100:
            raise ArgumentError("beta", f"'beta' is above 0 and at most 100, not {self.beta:g}")

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        reference = reference_of(self.answer_correctness, context)
        own = counted_answer(context, run)
        if not own.strip():
            return judged(False, "the answer is empty", 0.0)
        question = question_texts(self.question, context, run)
        stated, right = ask_all(
            partial(_statements, context, question, text) for text in (own, reference)
        )
        asks = [partial(self._factuality, context, question, stated, right)]
        if self.similarity:
            asks.append(partial(_similarity, context, own, reference))
        (facts, why), *similar = ask_all(asks)
        score = facts * (1 - self.similarity)
        reason = f"F{self.beta:g} {facts:.3f}"
        for likeness, shown in similar:
            score += likeness * self.similarity
            reason = f"{reason}, {shown}"
        reason = f"{score:.3f} (threshold {self.threshold:g}): {reason}{why}"
        return judged(score >= self.threshold - 1e-9, reason, score)

    def _factuality(
        self,
        context: CheckContext,
        question: Mapping[str, str],
        stated: Sequence[str],
        right: Sequence[str],
    ) -> tuple[float, str]:
        """Return the F score of the answer's statements, and what is wrong with them."""
        if not (stated and right):
            return 1.0, "; there are no statements to compare"
        task = (
            "STATEMENTS are those of an answer to QUESTION, RIGHT STATEMENTS those of the right "
            "answer. Put each into one of three lists, with the `reason`: `TP` has the STATEMENTS "
            "that RIGHT STATEMENTS support, `FP` the STATEMENTS that they don't support, `FN` the "
            "RIGHT STATEMENTS that STATEMENTS lack."
        )
        texts = {**question, "STATEMENTS": numbered(stated), "RIGHT STATEMENTS": numbered(right)}
        reply = only_reply(context, task, texts, _SORTED)
        counts = [len(reply[name]) for name in ("TP", "FP", "FN")]
        bad = [*reply["FP"], *reply["FN"]]
        score = f_score(*counts, beta=self.beta)
        if not bad:
            return score, ""
        what = quoted(str(bad[0]["statement"]))
        return score, f"; {counts[1]} wrong, {counts[2]} missing: {what}"


def f_score(both: int, extra: int, missing: int, *, beta: float) -> float:
    """Return the F score of an answer, as ragas 0.4 does.

    Args:
        both: the number of statements that the answer and the right one have.
        extra: of those that only the answer has.
        missing: of those that only the right answer has.
        beta: how much more recall counts than precision.
    """
    precision = both / (both + extra) if both + extra else float(not missing)
    recall = both / (both + missing) if both + missing else float(not extra)
    if not precision + recall:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _similarity(context: CheckContext, own: str, reference: str) -> tuple[float, str]:
    questions = [Question(ROLE, text=text) for text in (own, reference)]
    vectors = [answer.vector or () for answer in answers_to(context.answers, questions)]
    is_zero = all(vectors) and not all(map(any, vectors))
    likeness = 0.0 if is_zero else cosine(*vectors)
    return likeness, f"similarity {likeness:.3f}"
