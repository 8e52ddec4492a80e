"""Values that get into files of lve although JSON doesn't have them, and texts with secrets."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from support.known_secrets import knowing
from support.results import any_text

from lve.secrets.redaction import Redactor

DIGITS, QUOTES = "123456789012", 'a":1,"b":"c'
SECRETS = Redactor([DIGITS, QUOTES])
"""Recognises both; `knows` has lve know them, too."""


class Huge(int):
    """A whole number of 5,000 digits. Python refuses to print it, and Hypothesis tries to."""

    def __repr__(self) -> str:
        return "huge"


class Deep(list[Any]):
    """A list that is nested so deeply that it can't be printed."""

    def __repr__(self) -> str:
        return "deep"


class Odd:
    def __str__(self) -> str:
        return "odd \ud800"


def deep(levels: int) -> Any:
    value: Any = 1
    for number in range(levels):
        value = [value] if number % 2 else {"a": value}
    return value


circular: list[Any] = []
circular.append(circular)
ODD_VALUES: list[Any] = [
    float("nan"), float("inf"), -float("inf"), 1e300, 2**64, 10**400, Huge(10**5000),
    Huge(-(10**5000)),
    "\ud800", "\x00\x1b[2J\r\n\u2028", "x" * 100_000, b"\xff", date(2024, 2, 29), Decimal("NaN"),
    {1, "1"}, {1: "a", "1": "b"}, {None: 1, Huge(10**5000): 2, (1,): 3}, deep(150), deep(250),
    Deep(deep(5000)),
    circular, Odd(), 1j, int(DIGITS), DIGITS, QUOTES, {QUOTES: DIGITS}, [int(DIGITS)],
]  # fmt: skip
odd = st.sampled_from(ODD_VALUES)
odd_values = st.recursive(
    odd | any_text | st.integers() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=4,
)
odd_texts = any_text | st.sampled_from([DIGITS, QUOTES, "\x00", "x" * 1000])
redactors = st.sampled_from([Redactor(), SECRETS])


def knows(redact: Redactor) -> AbstractContextManager[Redactor]:
    """Have lve know the secrets of `SECRETS`, or none."""
    return knowing(*([DIGITS, QUOTES] if redact is SECRETS else []))


@contextmanager
def a_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)
