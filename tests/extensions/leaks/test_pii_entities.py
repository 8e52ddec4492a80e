"""Which kinds of personal data a test may name: those that Presidio has for English texts."""

from __future__ import annotations

from typing import Any

import pytest

from lve.checkers.arguments import ArgumentError
from lve.extensions.leaks.pii_checker import BLANK, PII_Checker

NAMES = ["LOCATION", "NRP", "ORGANIZATION", "PERSON"]
PATTERNS = [
    *("CREDIT_CARD", "CRYPTO", "DATE_TIME", "EMAIL_ADDRESS"),
    *("IBAN_CODE", "IP_ADDRESS", "MAC_ADDRESS", "MEDICAL_LICENSE"),
    *("PHONE_NUMBER", "UK_NHS", "URL", "US_BANK_NUMBER"),
    *("US_DRIVER_LICENSE", "US_ITIN", "US_PASSPORT", "US_SSN"),
    *("UUID",),
]
"""As Presidio's documentation lists them."""


def errors(*entities: str, model: str = "en_core_web_lg") -> list[ArgumentError]:
    nothing: Any = None
    return PII_Checker(entities, model).name_errors(nothing, nothing)


def test_whatever_presidio_finds_may_be_named() -> None:
    assert errors(*NAMES, *PATTERNS) == []
    assert errors(*PATTERNS, model=BLANK) == []


def test_patterns_find_no_names() -> None:
    [error] = errors("PERSON", "URL", "NRP", model=BLANK)
    assert error.argument == "model"
    assert "finds NRP, PERSON, and `blank` is none" in str(error)
    assert error.hint == "take `model: en_core_web_lg`, or leave these entities out"


@pytest.mark.parametrize(
    ("entity", "hint"),
    [
        ("EMAIL", "did you mean EMAIL_ADDRESS?"),
        ("bank", "did you mean US_BANK_NUMBER?"),
        ("US", "did you mean US_BANK_NUMBER or US_DRIVER_LICENSE or US_ITIN or US_PASSPORT or"),
        ("PHONE_NUMBRE", "did you mean `PHONE_NUMBER`?"),
        ("xyzzy", f"there are {', '.join(sorted([*NAMES, *PATTERNS]))}"),
    ],
)
def test_what_is_never_found_is_an_error_with_a_hint(entity: str, hint: str) -> None:
    [error] = errors("URL", entity)
    assert error.argument == "entities"
    assert f"Presidio finds no '{entity}' in English texts" in str(error)
    assert str(error.hint).startswith(hint)


def test_nothing_to_find_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="'entities' is empty") as error:
        PII_Checker(())
    assert error.value.argument == "entities"
