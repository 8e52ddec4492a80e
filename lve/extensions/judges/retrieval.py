"""Checks that ask a model how good the contexts are that a retriever has found:
`context_precision`, `context_recall`, `context_relevance`.

Their scores are those of ragas 0.4 for the same replies of the judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import ClassVar, Literal

from lve.checkers.arguments import check_threshold
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.questions import UnansweredError
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import quoted
from lve.extensions.judges.asking_check import AskingCheck, ask_all
from lve.extensions.judges.counted_answer import counted_answer
from lve.extensions.judges.rag_inputs import (
    TEXT,
    YES_OR_NO,
    contexts_of,
    question_texts,
    reference_of,
)
from lve.extensions.judges.verdict_reader import Reply, object_schema
from lve.extensions.judges.votes import only_reply
from lve.plurals import amount, amount_of

_USEFUL = object_schema(reason=TEXT, verdict=YES_OR_NO)
_CLASSIFIED = object_schema(
    classifications={
        "type": "array",
        "items": object_schema(statement=TEXT, reason=TEXT, attributed=YES_OR_NO),
    }
)
_RATED = object_schema(rating={"type": "integer", "enum": [0, 1, 2]})
_RATINGS = (
    "How much does CONTEXT, and nothing else that you know, help to answer QUESTION?\n"
    "0: it has nothing that is relevant. 1: it has a part of what is needed. 2: it has all.\n"
    "Reply with the `rating`.",
    "You want to answer QUESTION, and may use only CONTEXT. Rate CONTEXT (`rating`): 2 if the "
    "whole answer can be taken from it, 1 if some of it can, 0 if none can. Don't try to answer.",
)


@dataclass(frozen=True, slots=True)
class ContextPrecision(AskingCheck):
    """Passes if a model (the role `judge`) finds that the useful contexts stand before the others.

    The judge is asked of each context whether it is useful for the right answer. The score is the
    average precision, as in ragas 0.4: 1 if all useful contexts come first.
    """

    context_precision: str | tuple[str, ...]
    """The contexts in their order: a column with a list such as `{passages}`, or a list of
    texts."""
    by: Literal["reference", "answer"] = "reference"
    """Whether contexts are useful for the right answer, or for the one that was given."""
    reference: str | None = None
    """The right answer; by default the data set's."""
    question: str | None = None
    """The question, such as `{question}`; by default the conversation before the answer."""
    threshold: float = 0.7
    """The lowest score that passes."""

    examples: ClassVar = (
        CheckExample(
            {
                "context_precision": ["Paris is the capital of France.", "Lyon has two rivers."],
                "reference": "Paris",
            },
            ("Paris.",),
        ),
        CheckExample(
            {
                "context_precision": ["Lyon has two rivers.", "Paris is the capital of France."],
                "reference": "Paris",
            },
            (),
            ("Paris.",),
        ),
    )

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        contexts_of("context_precision", self.context_precision)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        contexts = contexts_of("context_precision", self.context_precision)
        verdicts = ask_all(partial(self._useful, context, run, text) for text in contexts)
        useful = [int(reply["verdict"]) for reply in verdicts]
        score = average_precision(useful)
        numbers = ", ".join(str(place) for place, good in enumerate(useful, 1) if good) or "none"
        reason = f"precision {score:.3f} (threshold {self.threshold:g}): useful are {numbers}"
        return judged(
            score >= self.threshold - 1e-9, f"{reason} of {amount(len(useful), 'context')}", score
        )

    def _useful(self, context: CheckContext, run: int, text: str) -> Reply:
        task = (
            "ANSWER is an answer to QUESTION. Was CONTEXT useful to arrive at it? First write "
            "the `reason`, then the `verdict`: 1 if it was, 0 if not."
        )
        is_own = self.by == "answer"
        answer = counted_answer(context, run) if is_own else None
        texts = {
            **question_texts(self.question, context, run),
            "CONTEXT": text,
            "ANSWER": reference_of(self.reference, context) if answer is None else answer,
        }
        return only_reply(context, task, texts, _USEFUL)


def average_precision(useful: Sequence[int]) -> float:
    """Return the mean of the precision at each useful place, as ragas 0.4 does.

    Args:
        useful: 1 for each useful context, else 0, in the contexts' order.
    """
    counts = accumulate(useful)
    total = sum(
        n / place * good for place, (n, good) in enumerate(zip(counts, useful, strict=True), 1)
    )
    return total / (sum(useful) + 1e-10)


@dataclass(frozen=True, slots=True)
class ContextRecall(AskingCheck):
    """Passes if a model (the role `judge`) finds that the right answer's statements follow from the
    contexts.

    The score is the share of statements that do, as in ragas 0.4.
    """

    context_recall: str | tuple[str, ...]
    """The contexts: a column with a list such as `{passages}`, or a list of texts."""
    reference: str | None = None
    """The right answer; by default the data set's."""
    question: str | None = None
    """The question, such as `{question}`; by default the conversation before the answer."""
    threshold: float = 0.8
    """The lowest share that passes."""

    examples: ClassVar = (
        CheckExample(
            {"context_recall": ["The ferry takes an hour."], "reference": "It takes an hour."},
            ("An hour.",),
        ),
        CheckExample(
            {"context_recall": ["The ferry is blue."], "reference": "It takes an hour."},
            (),
            ("An hour.",),
        ),
    )

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        contexts_of("context_recall", self.context_recall)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        task = (
            "Take the statements of ANSWER, one after the other. Say of each whether it can be "
            "attributed to CONTEXT: first the `reason`, then `attributed`: 1 if it can, 0 if not."
        )
        texts = {
            **question_texts(self.question, context, run),
            "CONTEXT": "\n".join(contexts_of("context_recall", self.context_recall)),
            "ANSWER": reference_of(self.reference, context),
        }
        items = only_reply(context, task, texts, _CLASSIFIED)["classifications"]
        if not items:
            raise CheckerError("the judge finds no statement in the right answer", code="judge")
        missing = [item for item in items if not item["attributed"]]
        score = (len(items) - len(missing)) / len(items)
        right = amount_of(len(items) - len(missing), len(items), "statement")
        reason = f"{right} of the right answer in the contexts (threshold {self.threshold:g})"
        if missing:
            reason = f"{reason}; not {quoted(str(missing[0]['statement']))}"
        return judged(score >= self.threshold - 1e-9, reason, score)


def _rating(context: CheckContext, task: str, texts: Mapping[str, str]) -> int | CheckerError:
    """Return a rating, or why there is none: the other one may do."""
    try:
        return int(only_reply(context, task, texts, _RATED)["rating"])
    except UnansweredError:
        raise
    except CheckerError as error:
        return error


@dataclass(frozen=True, slots=True)
class ContextRelevance(AskingCheck):
    """Passes if a model (the role `judge`) finds that the contexts help to answer the question.

    The judge rates them twice, in different words, from 0 to 2. The score is half of the mean
    rating, as in ragas 0.4: 1 if the contexts have all that is needed.
    """

    context_relevance: str | tuple[str, ...]
    """The contexts: a column with a list such as `{passages}`, or a list of texts."""
    question: str | None = None
    """The question, such as `{question}`; by default the conversation before the answer."""
    threshold: float = 0.5
    """The lowest score that passes."""

    examples: ClassVar = (
        CheckExample(
            {
                "context_relevance": ["The ferry takes an hour."],
                "question": "How long does the ferry take?",
            },
            ("An hour.",),
        ),
        CheckExample(
            {
                "context_relevance": ["The harbour is old."],
                "question": "How long does the ferry take?",
            },
            (),
            ("An hour.",),
        ),
    )

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        contexts_of("context_relevance", self.context_relevance)

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        text = "\n".join(contexts_of("context_relevance", self.context_relevance))
        question = question_texts(self.question, context, run)
        if any(text.strip() in part for part in question.values()):
            return self._repeating()
        texts = {**question, "CONTEXT": text}
        ratings = ask_all(partial(_rating, context, task, texts) for task in _RATINGS)
        read = [rating for rating in ratings if not isinstance(rating, CheckerError)]
        if not read:
            raise next(rating for rating in ratings if isinstance(rating, CheckerError))
        score = sum(rating / 2 for rating in read) / len(read)
        shown = " and ".join(str(rating) for rating in read)
        reason = f"relevance {score:.2f} (threshold {self.threshold:g}): rated {shown} of 2"
        return judged(score >= self.threshold - 1e-9, reason, score)

    def _repeating(self) -> Verdict:
        """Return the verdict on contexts that the question has itself.

        Raises:
            CheckerError: the question is the whole prompt, which may well have them.
        """
        if self.question is None:
            raise CheckerError(
                "the prompt has the contexts: give the question alone, such as "
                "`question: '{question}'`",
                code="judge",
            )
        return judged(False, "the question has the contexts itself, so they help nothing", 0.0)
