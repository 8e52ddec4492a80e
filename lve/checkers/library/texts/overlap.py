"""Checks of how much the answer has in common with a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin.metrics import METRICS
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.numbers import quoted


class _Overlapping(AnswerCheck):
    """Compares with texts, of which the most similar one counts."""

    __slots__ = ()

    limit_s: ClassVar[float] = 60.0

    def __post_init__(self) -> None:
        if not self.values():
            raise ArgumentError(self.shown_name(), f"'{self.shown_name()}' is empty")
        threshold = self.least()
        if not 0 <= threshold <= 1:
            raise ArgumentError("threshold", f"'threshold' is from 0 to 1, not {threshold}")

    def least(self) -> float:
        """Return the score that passes."""
        return float(getattr(self, "threshold", 1.0))

    def metric(self) -> str:
        """Return the name of the metric."""
        return self.shown_name()

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return sum(2000 * (length + len(t)) + length * len(t) // 16 for t in self.values())

    def score(self, response: str, text: str) -> float:
        """Return how similar the answer is to a text, from 0 to 1."""
        return METRICS[self.metric()](response, text)

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        scores = [self.score(response, text) for text in self.values()]
        best = max(scores)
        told = f"{self.metric()} {best:.3f} (threshold {self.least():g}) to "
        return judged(best >= self.least(), told + quoted(self.values()[scores.index(best)]), best)


@dataclass(frozen=True, slots=True)
class Levenshtein(_Overlapping):
    """Passes if few characters have to change to make the text of the answer."""

    levenshtein: str | tuple[str, ...]
    """The text, or a list of texts of which one will do."""
    threshold: float = 0.8
    """The least similarity: 1 less the number of changes by the length of the longer text."""

    examples: ClassVar = (
        CheckExample({"levenshtein": "Mississippi"}, ("Missisippi",), ("Missouri", "")),
    )

    def score(self, response: str, text: str) -> float:
        from rapidfuzz.distance import Levenshtein as Distance

        return float(Distance.normalized_similarity(response.strip(), text.strip()))


@dataclass(frozen=True, slots=True)
class ExactMatch(_Overlapping):
    """Passes if the answer is the text apart from case, punctuation, articles and blanks (as
    SQuAD's exact match)."""

    exact_match: str | tuple[str, ...]
    """The text, or a list of texts of which one will do."""
    normalise: Literal["squad", "helm", "helm_prefix"] = "squad"
    """Which benchmark's comparison: SQuAD's keeps what belongs to a number (`-5`, `3.5`); `helm` is
    HELM's quasi-exact match, which drops all ASCII punctuation; with `helm_prefix` the answer only
    has to begin with the text."""

    examples: ClassVar = (
        CheckExample({"exact_match": "Eiffel Tower"}, ("the eiffel tower.",), ("the tower",)),
        CheckExample({"exact_match": "3.5", "normalise": "helm"}, ("35",), ("3 5",)),
        CheckExample(
            {"exact_match": "Paris", "normalise": "helm_prefix"}, ("Paris, I think",), ("I",)
        ),
    )

    def metric(self) -> str:
        return "exact_match" if self.normalise == "squad" else self.normalise


@dataclass(frozen=True, slots=True)
class F1(_Overlapping):
    """Passes if the answer has enough words in common with the text (as SQuAD's F1)."""

    f1: str | tuple[str, ...]
    """The text, or a list of texts of which one will do."""
    threshold: float = 0.5
    """The least F1."""
    normalise: Literal["squad", "helm"] = "squad"
    """Which benchmark's F1: HELM counts each word once and drops all ASCII punctuation."""

    examples: ClassVar = (
        CheckExample({"f1": "the Eiffel Tower in Paris"}, ("Eiffel Tower, Paris",), ("London",)),
        CheckExample(
            {"f1": "no", "normalise": "helm", "threshold": 1}, ("no no no",), ("no, yes",)
        ),
    )

    def metric(self) -> str:
        return "f1" if self.normalise == "squad" else "helm_f1"


@dataclass(frozen=True, slots=True)
class Rouge(_Overlapping):
    """Passes if ROUGE between answer and text is high enough (extra `lve[metrics]`)."""

    rouge: str | tuple[str, ...]
    """The text, or a list of texts of which one will do."""
    kind: Literal["rouge1", "rouge2", "rougeL"] = "rougeL"
    """Which ROUGE."""
    threshold: float = 0.5
    """The least F-measure."""

    examples: ClassVar = (
        CheckExample({"rouge": "the cat sat on the mat"}, ("the cat on the mat",), ("a dog",)),
    )

    def metric(self) -> str:
        return self.kind

    def prepare(self) -> None:
        METRICS[self.kind]("a", "a")


@dataclass(frozen=True, slots=True)
class Bleu(_Overlapping):
    """Passes if smoothed sentence BLEU is high enough (extra `lve[metrics]`)."""

    bleu: str | tuple[str, ...]
    """The text, or a list of texts of which one will do."""
    threshold: float = 0.5
    """The least BLEU, from 0 to 1."""

    examples: ClassVar = (
        CheckExample(
            {"bleu": "the cat sat on the mat"}, ("the cat sat on the mat",), ("a dog ran",)
        ),
    )

    def prepare(self) -> None:
        METRICS["bleu"]("a", "a")


@dataclass(frozen=True, slots=True)
class Chrf(_Overlapping):
    """Passes if chrF, which compares characters, is high enough (extra `lve[metrics]`)."""

    chrf: str | tuple[str, ...]
    """The text, or a list of texts of which one will do."""
    threshold: float = 0.5
    """The least chrF, from 0 to 1."""

    examples: ClassVar = (
        CheckExample({"chrf": "the cat sat"}, ("the cat sits",), ("a dog ran", "")),
    )

    def prepare(self) -> None:
        METRICS["chrf"]("a", "a")
