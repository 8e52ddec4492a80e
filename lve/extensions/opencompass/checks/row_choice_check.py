"""The checks of what a model has rated: the labels of a test, or the choices of a row
(`ChoicesInferencer`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from lve.checkers.answer_selection import references_of
from lve.checkers.builtin_checker import BuiltinChecker, Check, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.extract.settled import settled_labels
from lve.checkers.library.choice import NO_LABEL
from lve.data_classes import dataclass
from lve.errors import CheckerError, ModelError, TemplateError
from lve.escape import quoted
from lve.extensions.opencompass.inferencers.rating import RowChoice, row_choices, shared_length
from lve.extensions.opencompass.likelihood import (
    average_nll,
    first_log_likelihood,
    log_likelihood,
    scored_tokens,
)
from lve.messages import Transcript
from lve.models.token_scores import ScoredToken
from lve.plurals import amount


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
        return _label_verdict(chosen, references_of(context), f"{self.by}: {listed_scores}")

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
        return _label_verdict(chosen, references, f"answered in words: {quoted(context.response)}")


def named_label(response: str, labels: Sequence[str]) -> str | None:
    """Return the label that the answer consists of, or the only one that it settles on; None if
    there is none."""
    text = response.strip()
    if text in labels:
        return text
    settled = settled_labels(text, [*dict.fromkeys(labels)]).labels
    return next(iter(settled)) if len(settled) == 1 else None


def _label_verdict(chosen: str | None, references: Sequence[str], why: str) -> Verdict:
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


@dataclass(frozen=True, slots=True)
class RatedChoice(Check):
    """Passes if the model rates a right choice of the row highest (`ChoicesInferencer`).

    The right answer is the place of a choice in the row's column `choices`, from 0, or a list of
    places. The score is the share of the right choices in the probability of all.
    """

    needs_reference: ClassVar[bool] = True
    takes_on: ClassVar[bool] = False

    rated_choice: Literal["total", "character", "byte", "token"] = "total"
    """What is compared: the log-probability of each choice in `total`, or divided by its
    length in characters, bytes or tokens, so that long choices aren't at a disadvantage."""
    delimiter: str = ""
    """The inferencer's `delimiter`, which is rated and not counted."""

    examples: ClassVar = (CheckExample({"rated_choice": "byte", "delimiter": " "}),)

    def work(self, context: CheckContext) -> int:
        return 2000 * sum(len(run.messages[0].content or "") for run in context.transcripts)

    def check(self, context: CheckContext) -> Verdict:
        try:
            choices = row_choices(context.parameters, self.delimiter)
        except TemplateError as error:
            raise CheckerError(str(error), code="argument") from error
        right = _places(references_of(context), choices)
        if not all(run.name is not None for run in context.transcripts):
            return self._check_words(context.response, choices, right)
        rated = [rating(run, choice) for run, choice in paired(context.transcripts, choices)]
        totals = [log_likelihood(tokens, start=start) for tokens, start in rated]
        lengths = [self._length(choice, *own) for choice, own in zip(choices, rated, strict=True)]
        values = [total / length for total, length in zip(totals, lengths, strict=True)]
        chosen = values.index(max(values))
        shown = ", ".join(f"{place} {value:.4g}" for place, value in enumerate(values))
        return _verdict(chosen, right, f"{self.rated_choice}: {shown}", _share(totals, right))

    def _length(self, choice: RowChoice, tokens: Sequence[ScoredToken], start: int) -> int:
        match self.rated_choice:
            case "character":
                return max(1, len(choice.name))
            case "byte":
                return max(1, len(choice.name.encode("utf-8", "surrogatepass")))
            case "token":
                return max(1, sum(token.start + len(token.text) > start for token in tokens))
            case _:
                return 1

    def _check_words(
        self, answer: str, choices: Sequence[RowChoice], right: Sequence[int]
    ) -> Verdict:
        names = [choice.name for choice in choices]
        label = named_label(answer, names)
        chosen = None if label is None else names.index(label)
        return _verdict(chosen, right, f"answered in words: {quoted(answer)}", None)


def _places(references: Sequence[str], choices: Sequence[RowChoice]) -> list[int]:
    """Return the places of the right choices.

    Raises:
        CheckerError: there is no such choice.
    """
    names = {choice.name: place for place, choice in reversed(list(enumerate(choices)))}
    places = [int(text) if text.isdecimal() else names.get(text, -1) for text in references]
    if wrong := next((place for place in places if not 0 <= place < len(choices)), None):
        raise CheckerError(
            f"the right answer is choice {wrong}, and the row has {len(choices)}, from 0",
            code="missing_reference",
        )
    return places


def paired(
    runs: Sequence[Transcript], choices: Sequence[RowChoice]
) -> list[tuple[Transcript, RowChoice]]:
    """Return each choice with the run that rated it.

    Raises:
        CheckerError: there isn't one for each.
    """
    by_name: Mapping[str | None, Transcript] = {run.name: run for run in runs}
    if len(runs) != len(choices) or not all(str(n) in by_name for n in range(len(choices))):
        raise CheckerError(
            f"{amount(len(runs), 'text', 'was')} rated, and the row has "
            f"{amount(len(choices), 'choice')}",
            code="missing_answer",
        )
    return [(by_name[str(place)], choice) for place, choice in enumerate(choices)]


def rating(run: Transcript, choice: RowChoice) -> tuple[Sequence[ScoredToken], int]:
    """Return the tokens of a rated text, and where the choice begins in it. White space at the end
    of what stands before it belongs to the choice, as models' tokens begin with it.

    Raises:
        CheckerError: the model hasn't rated it.
    """
    content = run.messages[0].content
    text = content if isinstance(content, str) else ""
    before = text[: len(text) - len(choice.text)]
    completion = run.completions[0]
    try:
        tokens = scored_tokens(completion, completion.model or "the model")
    except ModelError as error:
        raise CheckerError(str(error), code="argument") from error
    return tokens, len(before.rstrip())


def _share(totals: Sequence[float], right: Sequence[int]) -> float:
    highest = max(totals)
    shares = [math.exp(total - highest) for total in totals]
    return sum(shares[place] for place in set(right)) / sum(shares)


def _verdict(chosen: int | None, right: Sequence[int], why: str, share: float | None) -> Verdict:
    is_right = chosen in right
    expected = "" if is_right else f", expected {' or '.join(map(str, right))}"
    choice = "chose no choice" if chosen is None else f"chose {chosen}"
    labels = None
    if chosen is not None:
        labels = str(chosen if is_right else right[0]), str(chosen)
    return judged(is_right, f"{choice}{expected} ({why})", share, labels)
