"""The likelihood of a row's only text, for perplexities over all rows."""

from __future__ import annotations

from typing import Any

import pytest
from extensions.opencompass.rated_texts import rated

from lve.errors import CheckerError
from lve.extensions.opencompass.checks.text_likelihood import TextLikelihood


def of(metric: Any, *, units: Any = None) -> Any:
    context = rated(0, [" über a b"], [[-2.0, -1.5]])
    row = {**context.parameters, **({"units": units} if units is not None else {})}
    context.parameters = row
    return TextLikelihood(metric).check(context)


def test_the_likelihood_is_divided_by_nothing_words_or_bytes() -> None:
    verdict = of("perplexity")
    assert (verdict.outcome, verdict.score) == ("passed", -3.5)
    assert verdict.parts == {"perplexity": (-3.5,)}
    assert of("word_perplexity").parts == {"word_perplexity": (-3.5, 4.0)}  # as re.split has it
    assert of("byte_perplexity").parts == {"byte_perplexity": (-3.5, 10.0)}
    assert of("bits_per_byte").parts == {"bits_per_byte": (-3.5, 10.0)}


def test_a_row_says_by_what_else() -> None:
    assert of("word_perplexity", units={"word_perplexity": 12}).parts == {
        "word_perplexity": (-3.5, 12.0)
    }


@pytest.mark.parametrize(
    "units",
    [{}, *({"word_perplexity": each} for each in (0, True, 10**400, float("inf"), float("nan")))],
)
def test_units_are_numbers_above_0(units: Any) -> None:
    with pytest.raises(CheckerError, match="has no number for word_perplexity"):
        of("word_perplexity", units=units)


def test_a_row_has_one_text() -> None:
    context = rated(0, ["a", "b"], [[-2.0], [-1.0]])
    with pytest.raises(CheckerError, match="a row has one text in `choices`"):
        TextLikelihood("perplexity").check(context)
    context.parameters = {}
    with pytest.raises(CheckerError, match="ChoicesInferencer"):
        TextLikelihood("perplexity").check(context)


def test_a_text_of_which_no_token_is_rated_has_no_likelihood() -> None:
    with pytest.raises(CheckerError, match="has rated no token of"):
        TextLikelihood("perplexity").check(rated(0, [" a"], [[None]]))
