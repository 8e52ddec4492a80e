"""Fills a text from values that are texts, in one step. Nearly every prompt is filled so, and
filling is a part of what every instance costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

FillTexts = Callable[[Mapping[str, Any]], str | None]
"""Returns the filled text; None if a value is missing or no text, or if it would be too long."""
_TEXT = frozenset({str})


def text_filler(literals: Sequence[str | None], names: Sequence[str], most: int) -> FillTexts:
    """Return a function that fills a text from parameters.

    Args:
        literals: the parts of the text in order, None where a value goes.
        names: the parameters whose values go there, in order.
        most: characters that the filled text may have.
    """
    if not names:
        return lambda _: None
    get = itemgetter(*names)
    values_of = get if len(names) > 1 else lambda parameters: (get(parameters),)
    # Texts are inserted as they are: only the literals are read as a format.
    form = "".join("%s" if part is None else part.replace("%", "%%") for part in literals)
    room = most - sum(len(part) for part in literals if part is not None)

    def fill_texts(parameters: Mapping[str, Any]) -> str | None:
        try:
            values = values_of(parameters)
        except KeyError:
            return None
        if _TEXT.issuperset(map(type, values)) and sum(map(len, values)) <= room:
            return form % values
        return None

    return fill_texts
