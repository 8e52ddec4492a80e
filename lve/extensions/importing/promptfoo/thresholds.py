"""Reads the threshold of an assertion."""

from __future__ import annotations

import sys
from typing import Any

from lve.extensions.importing.promptfoo.source import UnsupportedError

Check = dict[str, Any]
NOT = "not-"


def number(
    assertion: Check,
    default: float | None = None,
    *,
    above: float = -sys.float_info.max,
    highest: float = sys.float_info.max,
) -> float:
    """Return the threshold of an assertion.

    Args:
        assertion: the assertion.
        default: what counts where it has none.
        above: lve takes only higher ones.
        highest: lve takes no higher one.

    Raises:
        UnsupportedError: it isn't such a number, or is missing and there is no default.
    """
    value = assertion.get("threshold", default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnsupportedError("left out: its threshold isn't a number")
    if not abs(value) <= sys.float_info.max:
        raise UnsupportedError("left out: its threshold isn't a number")
    if not above < value <= highest:
        limits = f"above {above:g} and at most {highest:,.10g}"
        raise UnsupportedError(f"left out: its threshold is {value:g}; lve has {limits}")
    return value
