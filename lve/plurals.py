"""Counts with their nouns and verbs, in messages: `1 row has`, `2 rows have`."""

from __future__ import annotations

_VERBS = {"is": "are", "was": "were", "has": "have", "passes": "pass"}


def amount(count: int, noun: str, verb: str = "") -> str:
    """Return a number with its noun, and a verb if wanted: `1 error`, `2,000 errors are`.

    Args:
        count: how many.
        noun: of one, with a regular plural.
        verb: of one: `is`, `was`, `has` or `passes`.
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}{_with_verb(count, verb)}"


def amount_of(count: int, total: int, noun: str, verb: str = "") -> str:
    """Return how many of a total, as in `1 of 3 rows has`, `0 of 1 row have`; see `amount`."""
    return f"{count:,} of {amount(total, noun)}{_with_verb(count, verb)}"


def _with_verb(count: int, verb: str) -> str:
    return f" {verb if count == 1 else _VERBS[verb]}" if verb else ""
