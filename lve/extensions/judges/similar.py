"""The check that compares the meaning of an answer and a text with an embedding model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.questions import Question, answers_to
from lve.data_classes import dataclass
from lve.errors import CheckerError
from lve.escape import quoted
from lve.extensions.judges.asking_check import AskingCheck
from lve.extensions.judges.counted_answer import counted_answer

ROLE = "embedding"
MAX_CHARACTERS = 100_000
"""The most characters of one text."""


@dataclass(frozen=True, slots=True)
class Similar(AskingCheck):
    """Passes if the answer is similar in meaning to the text, according to an embedding model (the
    role `embedding`).

    The score is the cosine similarity of the two vectors. Which values are high differs from model
    to model, so look at a few answers before you choose a threshold.
    """

    takes_answers: ClassVar[bool] = True

    similar: str | tuple[str, ...]
    """The text, such as `{reference}`, or a list of texts, one of which must be similar."""
    threshold: float = 0.8
    """The lowest similarity that passes."""

    examples: ClassVar = (
        CheckExample(
            {"similar": "The train leaves at noon.", "threshold": 0.9},
            ("The train departs at twelve.",),
            ("Trains are green.",),
        ),
    )

    def __post_init__(self) -> None:
        if not -1 < self.threshold <= 1:
            message = f"'threshold' is above -1 and at most 1, not {self.threshold:g}"
            raise ArgumentError("threshold", message)
        if not self.values():
            raise ArgumentError("similar", "'similar' is empty: there is nothing to compare with")

    def check_run(self, context: CheckContext, run: int) -> Verdict:
        references = [str(text) for text in self.values()]
        texts = [counted_answer(context, run), *references]
        if max(map(len, texts)) > MAX_CHARACTERS:
            raise CheckerError(
                f"a text has more than {MAX_CHARACTERS:,} characters", code="too_much_work"
            )
        questions = [Question(ROLE, text=text) for text in texts]
        own, *others = [answer.vector or () for answer in answers_to(context.answers, questions)]
        scores = [cosine(own, other) for other in others]
        best = max(scores)
        closest = quoted(references[scores.index(best)])
        reason = f"similarity {best:.3f} (threshold {self.threshold:g}) to {closest}"
        return judged(best >= self.threshold, reason, round(max(best, 0.0), 6))


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the cosine of the angle between two vectors, from -1 to 1.

    Raises:
        CheckerError: the vectors are empty, of different lengths, zero or not finite.
    """
    if not first or len(first) != len(second):
        raise CheckerError(
            f"vectors of {len(first)} and {len(second)} numbers can't be compared",
            code="embeddings",
        )
    length = math.hypot(*first) * math.hypot(*second)
    if not length or not math.isfinite(length):
        raise CheckerError("a vector without a direction can't be compared", code="embeddings")
    return max(
        -1.0, min(1.0, math.fsum(a * b for a, b in zip(first, second, strict=True)) / length)
    )
