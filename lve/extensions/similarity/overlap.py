"""Checks of an answer's similarity to a text."""

from __future__ import annotations

import string
from typing import ClassVar, Literal

from lve import regexes
from lve.checkers.arguments import ArgumentError
from lve.checkers.builtin_checker import AnswerCheck, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.search import replaced
from lve.data_classes import dataclass
from lve.escape import quoted
from lve.extensions.similarity.metrics import METRICS
from lve.extensions.similarity.parts import PARTS

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_NO_DIGITS = str.maketrans("", "", string.digits)


class _Overlapping(AnswerCheck):
    """Base of checks that compare the answer with texts. The most similar text counts."""

    __slots__ = ()

    limit_s: ClassVar[float] = 60.0

    def __post_init__(self) -> None:
        if not self.values():
            raise ArgumentError(self.shown_name(), f"'{self.shown_name()}' is empty")
        threshold = self.min_score()
        if not 0 <= threshold <= 1:
            raise ArgumentError("threshold", f"'threshold' is from 0 to 1, not {threshold}")

    def min_score(self) -> float:
        """Return the lowest score that passes."""
        return float(getattr(self, "threshold", 1.0))

    def metric(self) -> str:
        """Return the name of the metric."""
        return self.shown_name()

    def work_on(self, length: int, context: CheckContext) -> int | None:
        return sum(2000 * (length + len(t)) + length * len(t) // 16 for t in self.values())

    def score(self, response: str, text: str) -> float:
        """Return the similarity of the answer to a text, from 0 to 1."""
        return METRICS[self.metric()](response, text)

    def check_response(self, response: str, context: CheckContext) -> Verdict:
        scores = [self.score(response, text) for text in self.values()]
        best = max(scores)
        closest = quoted(self.values()[scores.index(best)])
        reason = f"{self.metric()} {best:.3f} (threshold {self.min_score():g}) to {closest}"
        verdict = judged(best >= self.min_score(), reason, best)
        if (parts_of := PARTS.get(self.metric())) is not None:
            verdict.parts = {self.metric(): parts_of(response, self.values())}
        return verdict


@dataclass(frozen=True, slots=True)
class Levenshtein(_Overlapping):
    """Passes if few characters must be changed to turn the answer into the text."""

    levenshtein: str | tuple[str, ...]
    """The text, or a list of texts. The most similar one counts."""
    threshold: float = 0.8
    """The lowest similarity that passes: 1 minus the number of changes divided by the length of the
    longer text."""

    examples: ClassVar = (
        CheckExample({"levenshtein": "Mississippi"}, ("Missisippi",), ("Missouri", "")),
    )

    def score(self, response: str, text: str) -> float:
        from rapidfuzz.distance import Levenshtein as Distance

        return float(Distance.normalized_similarity(response.strip(), text.strip()))


@dataclass(frozen=True, slots=True)
class ExactMatch(_Overlapping):
    """Passes if the answer equals the text apart from case, punctuation, articles and spaces (like
    SQuAD's exact match)."""

    exact_match: str | tuple[str, ...]
    """The text, or a list of texts. The most similar one counts."""
    normalise: Literal["squad", "helm", "helm_prefix", "none"] = "squad"
    """Which benchmark's comparison is used. `squad` keeps punctuation inside numbers (`-5`, `3.5`).
    `helm` is HELM's quasi-exact match, which drops all ASCII punctuation. With `helm_prefix` the
    answer only needs to begin with the text. `none` compares the texts as they are, apart from what
    the options below ignore, as lm-evaluation-harness does."""
    regexes_to_ignore: tuple[str, ...] = ()
    """With `none`: patterns whose matches are removed from both texts first."""
    ignore_case: bool = False
    """With `none`: whether upper and lower case are equal."""
    ignore_punctuation: bool = False
    """With `none`: whether ASCII punctuation is removed."""
    ignore_numbers: bool = False
    """With `none`: whether ASCII digits are removed."""

    patterns: ClassVar[frozenset[str]] = frozenset({"regexes_to_ignore"})

    examples: ClassVar = (
        CheckExample({"exact_match": "Eiffel Tower"}, ("the eiffel tower.",), ("the tower",)),
        CheckExample({"exact_match": "3.5", "normalise": "helm"}, ("35",), ("3 5",)),
        CheckExample(
            {"exact_match": "Paris", "normalise": "helm_prefix"}, ("Paris, I think",), ("I",)
        ),
        CheckExample(
            {
                "exact_match": "1,000",
                "normalise": "none",
                "ignore_case": True,
                "regexes_to_ignore": [",", "\\$"],
            },
            ("1000", "$1,000"),
            ("1 000", "about 1000"),
        ),
    )

    def __post_init__(self) -> None:
        _Overlapping.__post_init__(self)
        options = ("regexes_to_ignore", "ignore_case", "ignore_punctuation", "ignore_numbers")
        option = next((name for name in options if getattr(self, name)), None)
        if option and self.normalise != "none":
            raise ArgumentError(option, f"'{option}' goes with `normalise: none`")
        for pattern in self.regexes_to_ignore:
            try:
                regexes.compile_pattern(pattern)
            except regexes.PatternError as error:
                raise ArgumentError("regexes_to_ignore", str(error)) from error

    def metric(self) -> str:
        return "exact_match" if self.normalise == "squad" else self.normalise

    def score(self, response: str, text: str) -> float:
        if self.normalise != "none":
            return METRICS[self.metric()](response, text)
        return float(self._compared(response) == self._compared(text))

    def _compared(self, text: str) -> str:
        for pattern in self.regexes_to_ignore:
            text = replaced(pattern, text)
        if self.ignore_case:
            text = text.lower()
        if self.ignore_punctuation:
            text = text.translate(_NO_PUNCTUATION)
        if self.ignore_numbers:
            text = text.translate(_NO_DIGITS)
        return text.rstrip("\0")  # as numpy, which lm-evaluation-harness compares with


@dataclass(frozen=True, slots=True)
class F1(_Overlapping):
    """Passes if the answer has enough words in common with the text (like SQuAD's F1)."""

    f1: str | tuple[str, ...]
    """The text, or a list of texts. The most similar one counts."""
    threshold: float = 0.5
    """The lowest F1 that passes."""
    normalise: Literal["squad", "helm"] = "squad"
    """Which benchmark's F1 is used. `helm` counts each word once and drops all ASCII
    punctuation."""

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
    """Passes if ROUGE between answer and text is high enough."""

    rouge: str | tuple[str, ...]
    """The text, or a list of texts. The most similar one counts."""
    kind: Literal["rouge1", "rouge2", "rougeL"] = "rougeL"
    """The variant of ROUGE."""
    threshold: float = 0.5
    """The lowest F-measure that passes."""

    examples: ClassVar = (
        CheckExample({"rouge": "the cat sat on the mat"}, ("the cat on the mat",), ("a dog",)),
    )

    def metric(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True)
class Bleu(_Overlapping):
    """Passes if smoothed sentence BLEU is high enough (needs the extra `lve[metrics]`)."""

    bleu: str | tuple[str, ...]
    """The text, or a list of texts. The most similar one counts."""
    threshold: float = 0.5
    """The lowest BLEU that passes, from 0 to 1."""

    examples: ClassVar = (
        CheckExample(
            {"bleu": "the cat sat on the mat"}, ("the cat sat on the mat",), ("a dog ran",)
        ),
    )

    def prepare(self) -> None:
        METRICS["bleu"]("a", "a")


@dataclass(frozen=True, slots=True)
class Chrf(_Overlapping):
    """Passes if chrF, which compares characters, is high enough (needs the extra
    `lve[metrics]`)."""

    chrf: str | tuple[str, ...]
    """The text, or a list of texts. The most similar one counts."""
    threshold: float = 0.5
    """The lowest chrF that passes, from 0 to 1."""

    words: bool = False
    """Whether pairs of words are compared, too (chrF++)."""

    examples: ClassVar = (
        CheckExample({"chrf": "the cat sat"}, ("the cat sits",), ("a dog ran", "")),
    )

    def metric(self) -> str:
        return "chrf++" if self.words else "chrf"

    def prepare(self) -> None:
        METRICS["chrf"]("a", "a")


@dataclass(frozen=True, slots=True)
class Ter(_Overlapping):
    """Passes if few words must be edited to turn the answer into the text: 1 minus the translation
    edit rate is high enough (needs the extra `lve[metrics]`)."""

    ter: str | tuple[str, ...]
    """The text, or a list of texts. The most similar one counts."""
    threshold: float = 0.5
    """The lowest score that passes, from 0 to 1; with more edits than words the score is 0."""

    examples: ClassVar = (
        CheckExample({"ter": "the cat sat on it"}, ("the cat sits on it",), ("a dog ran", "")),
    )

    def prepare(self) -> None:
        METRICS["ter"]("a", "a")
