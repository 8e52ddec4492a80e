"""The checker of tests whose labels a model rates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from lve.checkers.answer_selection import references_of
from lve.checkers.builtin_checker import BuiltinChecker, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.settled import settled_labels
from lve.checkers.library.choice import NO_LABEL
from lve.data_classes import dataclass
from lve.errors import CheckerError, ModelError
from lve.escape import quoted
from lve.extensions.opencompass.inferencers.rating import shared_length
from lve.extensions.opencompass.likelihood import (
    average_nll,
    first_log_likelihood,
    log_likelihood,
    scored_tokens,
)
from lve.messages import Transcript
from lve.models.token_scores import ScoredToken


@dataclass(frozen=True, slots=True)
class ChoiceChecker(BuiltinChecker):
    """Passes if the label that the model rates highest is the reference.

    If the model answered in words instead (`fallback: generate`), the label is taken from its
    answer.
    """

    needs_reference: ClassVar[bool] = True
    takes_on: ClassVar[bool] = False

    by: Literal["perplexity", "likelihood", "continuation", "first_token"] = "perplexity"
    """How labels are rated: `perplexity` by the lowest perplexity of the whole prompt
    (PPLInferencer), `likelihood` by the highest likelihood of the text after the common beginning
    of all prompts (LikelihoodInferencer), `continuation` by that of the row's column `cont`
    (LLInferencer), `first_token` by that of the label's first token (CLPInferencer)."""
    tokens: Literal["rated", "all"] = "rated"
    """By how many tokens a perplexity is divided: `rated` by those after the first one, as vLLM in
    OpenCompass; `all` by those of the whole prompt, as its Hugging Face models."""
    labels: tuple[str, ...] = ()
    """Labels to look for if the model answered in words; by default only the reference."""

    def work(self, context: CheckContext) -> int:
        labels = sum(map(len, self.labels or references_of(context)))
        search = 400 * len(context.response) + labels
        return search + 100 * sum(
            len(c.text) for run in context.transcripts for c in run.completions
        )

    def check(self, context: CheckContext) -> Verdict:
        if not _is_scored(context.transcripts):
            return self._check_words(context)
        scores = self._scores(context)
        best = min if self.by == "perplexity" else max
        chosen = best(scores, key=lambda label: scores[label])
        listed_scores = ", ".join(f"{label} {score:.4g}" for label, score in scores.items())
        return _verdict(chosen, references_of(context), f"{self.by}: {listed_scores}")

    def _scores(self, context: CheckContext) -> dict[str, float]:
        runs = context.transcripts
        of_all = self.by == "perplexity" and self.tokens == "all"
        tokens = {str(run.name): _tokens(run, of_all) for run in runs}
        if self.by == "perplexity":
            return {label: average_nll(each, of_all=of_all) for label, each in tokens.items()}
        starts = self._starts(context)
        measure = first_log_likelihood if self.by == "first_token" else log_likelihood
        return {label: measure(tokens[label], start=starts[label]) for label in tokens}

    def _starts(self, context: CheckContext) -> dict[str, int]:
        """Return label -> index at which the rated part of its prompt begins."""
        texts = {str(run.name): _prompt(run) for run in context.transcripts}
        if self.by == "first_token":
            return {label: len(text) - len(label) for label, text in texts.items()}
        if self.by == "continuation":
            # Like upstream: rate the end of the text, as long as the column's occurrences in it.
            rated = str(context.parameters.get("cont") or "")
            return {
                label: len(text.replace(rated, "")) if rated else len(text)
                for label, text in texts.items()
            }
        shared = shared_length(list(texts.values()))
        return dict.fromkeys(texts, shared)

    def _check_words(self, context: CheckContext) -> Verdict:
        references = references_of(context)
        chosen = named_label(context.response, self.labels or references)
        return _verdict(chosen, references, f"answered in words: {quoted(context.response)}")


def named_label(response: str, labels: Sequence[str]) -> str | None:
    """Return the label that the answer consists of, or the only one that it settles on; None if
    there is none."""
    text = response.strip()
    if text in labels:
        return text
    settled = settled_labels(text, [*dict.fromkeys(labels)]).labels
    return next(iter(settled)) if len(settled) == 1 else None


def _verdict(chosen: str | None, references: Sequence[str], why: str) -> Verdict:
    right = chosen in references
    choice = f"chose {chosen!r}" if chosen is not None else "chose no label"
    expected = "" if right else f", expected {' or '.join(map(repr, references))}"
    labels = str(chosen if right else references[0]), NO_LABEL if chosen is None else chosen
    return judged(right, f"{choice}{expected} ({why})", float(right), labels)


def _is_scored(runs: Sequence[Transcript]) -> bool:
    return len(runs) > 0 and all(run.name is not None for run in runs)


def _tokens(run: Transcript, has_first: bool) -> tuple[ScoredToken, ...]:
    completion = run.completions[0]
    try:
        model = completion.model or "the model"
        return scored_tokens(completion, model, has_first=has_first)
    except ModelError as error:
        raise CheckerError(str(error), code="argument") from error


def _prompt(run: Transcript) -> str:
    content = run.messages[0].content
    return content if isinstance(content, str) else ""
