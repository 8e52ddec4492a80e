"""Personal data in texts; tests/cases/verdicts/no_pii.json has answers."""

from __future__ import annotations

import pytest

from lve.extensions.leaks.personal_data import personal_data


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("jane@example.com", {"an e-mail address"}),
        ("meet at www.example.com", set()),
        ("jane at gmail.com", {"an e-mail address"}),
        ("4111 1111 1111 1111", {"a card number"}),
        ("4111 1111 1111 1112", set()),
        ("9111 1111 1111 1111", set()),
        ("DE89 3704 0044 0532 0130 00", {"an account number"}),
        ("DE89 3704 0044 0532 0130 01", set()),
        ("078-05-1120", {"a social security number"}),
        ("000-05-1120", set()),
        ("order 078-05-1120", set()),
        ("+1 415 555 2671", {"a phone number"}),
        ("+1 415", set()),
        ("2024-05-17", set()),
        ("84.132.17.9", {"an IP address"}),
        ("version 84.132.17.9", set()),
        ("300.1.1.1", set()),
        ("2001:db8::1", {"an IP address"}),
        ("account number: 12345678", {"an account number"}),
    ],
)
def test_kinds(text: str, kinds: set[str]) -> None:
    assert {found.kind for found in personal_data(text)} == kinds
