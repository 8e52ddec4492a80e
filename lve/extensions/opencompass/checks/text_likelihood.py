"""The check that adds the likelihood of a text to perplexities over all rows."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import ClassVar, Literal

from lve.checkers.builtin_checker import Check, CheckExample, judged
from lve.checkers.contract import CheckContext, Verdict
from lve.data_classes import dataclass
from lve.errors import CheckerError, TemplateError
from lve.escape import quoted
from lve.extensions.opencompass.checks.row_choice_check import paired, rating
from lve.extensions.opencompass.inferencers.rating import row_choices
from lve.extensions.opencompass.likelihood import average_nll, log_likelihood

UNITS = "units"
"""The column with what the likelihood of a row's text is divided by: metric -> number."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TextLikelihood(Check):
    """Passes if the model has rated the row's text, the only one in its column `choices`
    (`ChoicesInferencer`). Reports have the perplexity over all rows.

    Words and bytes are those of the text, or what the row's column `units` says:
    `{"word_perplexity": 12}`. The score is the log-likelihood.
    """

    takes_on: ClassVar[bool] = False

    text_likelihood: Literal["perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"]
    """What is computed: the perplexity of a row, a word or a byte, or the bits of a byte."""

    examples: ClassVar = (CheckExample({"text_likelihood": "word_perplexity"}),)

    def work(self, context: CheckContext) -> int:
        return 2000 * sum(len(run.messages[0].content or "") for run in context.transcripts)

    def check(self, context: CheckContext) -> Verdict:
        try:
            choices = row_choices(context.parameters, "")
        except TemplateError as error:
            raise CheckerError(str(error), code="argument") from error
        if len(choices) != 1 or context.transcripts[0].name is None:
            message = "a row has one text in `choices`, and a model that rates texts"
            raise CheckerError(message, code="argument")
        [(run, choice)] = paired(context.transcripts, choices)
        tokens, start = rating(run, choice)
        if choice.text and average_nll(tokens, start=start) == float("inf"):
            message = (
                f"the model has rated no token of {quoted(choice.text)}: its likelihood is open"
            )
            raise CheckerError(message, code="argument")
        likelihood = log_likelihood(tokens, start=start)
        verdict = judged(True, f"log-likelihood {likelihood:.6g}", likelihood)
        name = self.text_likelihood
        units = () if name == "perplexity" else (self._units(context.parameters, choice.text),)
        verdict.parts = {name: (likelihood, *units)}
        return verdict

    def _units(self, row: Mapping[str, object], text: str) -> float:
        units = row.get(UNITS)
        if not isinstance(units, Mapping):
            words = self.text_likelihood == "word_perplexity"
            return float(len(_SPACE.split(text)) if words else len(text.encode()))
        number = units.get(self.text_likelihood)
        if (
            isinstance(number, bool)
            or not isinstance(number, int | float)
            or not 0 < number <= sys.float_info.max
        ):
            message = f"the row's `{UNITS}` has no number for {self.text_likelihood}"
            raise CheckerError(message, code="argument")
        return float(number)
