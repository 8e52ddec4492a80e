"""Numbers by which states know their people. Those here are made up, with right check digits."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from lve.extensions.leaks.national_ids import national_ids

RIGHT = (
    "529.982.247-25", "CPF: 52998224725", "11010519491231002X", "900101-1234567",
    "Aadhaar 2999 8765 4327", "45678912S", "X1234567L", "185057800608491",
    "マイナンバー 123456789018", "BSN 111222333", "PESEL 44051401359", "811218-9876",
    "AB 12 34 56 C", "ABCPE1234F", "RSSMRA85T10A562S", "GOMC900101HDFMRR09",
)  # fmt: skip
WRONG = (
    "529.982.247-26", "CPF: 11111111111", "110105194912310021", "909901-1234567",
    "2999 8765 4328", "45678912T", "X1234567A", "185057800608492", "123456789018",
    "マイナンバー 123456789010", "BSN 111222334", "PESEL 44051401358", "811218-9875",
    "QQ 12 34 56 C", "ABCDE1234F", "12345678 and S", "111.222.333-44",
    "4111 2999 8765 4327",
)  # fmt: skip


def is_noticed(text: str) -> bool:
    """Whether a text has one number."""
    return len([*national_ids(f"It is {text}, he said.")]) == 1


@pytest.mark.parametrize("text", RIGHT)
def test_numbers_with_right_check_digits(text: str) -> None:
    assert is_noticed(text)


@pytest.mark.parametrize("text", WRONG)
def test_other_numbers(text: str) -> None:
    assert not is_noticed(text)


def chinese(day: str, order: str = "002") -> str:
    """Return a number with its check character (ISO 7064, MOD 11-2)."""
    body, check = f"110105{day}{order}", 0
    for digit in body:
        check = (check + int(digit)) * 2 % 11
    return f"{body}{'0123456789X'[(12 - check) % 11]}"


def swedish(day: str, order: str = "987") -> str:
    """Return a number with its check digit (Luhn's)."""
    total = sum(sum(divmod(int(digit) * (2, 1)[n % 2], 10)) for n, digit in enumerate(day + order))
    return f"{day}-{order}{-total % 10}"


def french(department: str, order: int) -> str:
    """Return a number with its key; a department of Corsica counts as a number by its letter."""
    body = f"18505{department}608{order:03}"
    value = int(body.replace("A", "0").replace("B", "0"))
    value -= {"A": 1_000_000, "B": 2_000_000}.get(department[-1], 0)
    return f"{body}{97 - value % 97:02}"


def japanese(body: str) -> str:
    """Return a number with its check digit, by the ministry's formula."""
    weight = {n: n + 1 if n <= 6 else n - 5 for n in range(1, 12)}
    rest = sum(int(body[-n]) * weight[n] for n in weight) % 11
    return f"マイナンバー {body}{0 if rest <= 1 else 11 - rest}"


@pytest.mark.parametrize("order", range(23))
def test_each_value_of_a_check_digit(order: int) -> None:
    for right in (
        chinese("19491231", f"{order:03}"),
        swedish("811218", f"{order:03}"),
        french("78", order),
        french("2A", order),
        french("2B", order),
        japanese(f"123456789{order:02}"),
    ):
        assert is_noticed(right), right
        last = "1" if right[-1] in "0X" else "0"
        assert not is_noticed(f"{right[:-1]}{last}"), right


@pytest.mark.parametrize(
    ("month", "is_month"), [("00", False), ("01", True), ("12", True), ("13", False)]
)
@pytest.mark.parametrize(
    ("day", "is_day"), [("00", False), ("01", True), ("31", True), ("32", False)]
)
def test_only_days_of_the_calendar_are_in_numbers(
    month: str, day: str, is_month: bool, is_day: bool
) -> None:
    for century in ("19", "20"):
        for text in (
            chinese(f"{century}90{month}{day}"),
            f"90{month}{day}-1234567",
            swedish(f"90{month}{day}"),
            century + swedish(f"90{month}{day}"),
        ):
            assert is_noticed(text) == (is_month and is_day), text


def with_verhoeff_digit(digits: Sequence[int]) -> str:
    """Return digits and the one that Verhoeff's scheme adds: a product in the group of the turns
    and flips of a pentagon, of digits that one permutation has moved as often as they have places.
    """

    def product(left: int, right: int) -> int:
        turn = (left + (right if left < 5 else -right)) % 5
        return turn + 5 * ((left < 5) != (right < 5))

    permutation = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
    check = 0
    for place, digit in enumerate(reversed(digits), 1):
        for _ in range(place % 8):
            digit = permutation[digit]
        check = product(check, digit)
    inverse = next(digit for digit in range(10) if product(check, digit) == 0)
    return "".join(map(str, [*digits, inverse]))


def test_the_check_digit_of_india_by_its_mathematics() -> None:
    chance = random.Random(1)
    for number in range(300):
        digits = [chance.randint(2, 9), *(chance.randint(0, 9) for _ in range(10))]
        right = with_verhoeff_digit(digits)
        assert [*national_ids(f"aadhaar {right}")] == [(8, 20)]
        wrong = f"{right[:-1]}{(int(right[-1]) + 1 + number % 9) % 10}"
        assert [*national_ids(f"aadhaar {wrong}")] == []


def test_the_letter_of_spain_for_each_rest() -> None:
    letters = "TRWAGMYFPDXBNJZSQVHLCKE"  # Orden INT/2058/2008, and the tables of the ministry
    for number in range(10_000_000, 10_000_000 + len(letters) * 2):
        right = letters[number % 23]
        spelled = (
            f"{number}-{right}",
            f"{number // 10**6}.{number // 1000 % 1000:03}.{number % 1000:03}{right}",
        )
        for text in spelled:
            assert [*national_ids(f"It is {text}.")] == [(6, 6 + len(text))]
        wrong = letters[(number + 1) % 23]
        assert [*national_ids(f"It is {number}{wrong}.")] == []
    for first, begin in zip("XYZ", (0, 10**7, 2 * 10**7), strict=True):
        assert [*national_ids(f"It is {first}7654321{letters[(begin + 7654321) % 23]}.")] == [
            (6, 15)
        ]
        assert [*national_ids(f"It is {first}7654321{letters[(begin + 7654322) % 23]}.")] == []
