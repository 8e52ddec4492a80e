"""Checkers that compare with the right answer from a data set's output column."""

from __future__ import annotations

from typing import ClassVar, Literal

from lve.checkers.answer_selection import references_of
from lve.checkers.builtin_checker import PerRunChecker, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.extensions.similarity.metrics import METRICS

MetricName = Literal[
    "accuracy", "em", "exact_match", "f1", "rouge1", "rouge2", "rougeL", "bleu", "chrf"
]
_CHEAP = ("accuracy", "em", "exact_match", "f1")
_ALL_OR_NOTHING = ("accuracy", "em", "exact_match")


@dataclass(frozen=True, slots=True)
class AnswerChecker(PerRunChecker):
    """Passes if the response equals the reference, or is similar enough."""

    limit_s: ClassVar[float] = 60.0
    needs_reference: ClassVar[bool] = True
    by_turn: ClassVar[bool] = True

    metric: MetricName = "accuracy"
    """How response and reference are compared."""
    threshold: float | None = None
    """The lowest similarity that passes, from 0 to 1; 0.5 by default. `accuracy`, `em` and
    `exact_match` ignore it: with them, the texts are equal or not."""
    ignore_case: bool = False
    """Whether upper and lower case are equal."""

    def prepare(self) -> None:
        METRICS[self.metric]("a", "a")

    def work_on(self, length: int, context: CheckContext) -> int | None:
        texts = references_of(context) if context.reference else []
        each = 300 if self.metric in _CHEAP else 2000
        work = sum(each * (length + len(text)) for text in texts)
        if self.metric == "rougeL":  # compares all pairs of words, 64 at a time
            work += sum(length * len(text) // 100 for text in texts)
        return work

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        references = references_of(context)
        answer = response.lower() if self.ignore_case else response
        scores = [
            METRICS[self.metric](answer, text.lower() if self.ignore_case else text)
            for text in references
        ]
        score = max(scores)
        closest = quoted(references[scores.index(score)])
        if self.metric in _ALL_OR_NOTHING:
            mismatch = f"expected {closest}, found {quoted(response)}"
            return judged(score >= 1, f"found {closest}" if score >= 1 else mismatch, score)
        needed = 0.5 if self.threshold is None else self.threshold
        reason = f"{self.metric} {score:.3f} (threshold {needed}) to {closest}"
        return judged(score >= needed, reason, score)
