"""Finds the numbers by which states know their people. Where there is a check digit, it must be
right; numbers without a shape of their own count only after their name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

_VERHOEFF = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_PERMUTED = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


def _digits(text: str) -> list[int]:
    return [int(character) for character in text if character.isdigit()]


def _weighted(digits: Sequence[int], weights: Sequence[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=False))


def _is_cpf(text: str) -> bool:
    """Brazil."""
    digits = _digits(text)
    ends = [_weighted(digits, range(size + 1, 1, -1)) * 10 % 11 % 10 for size in (9, 10)]
    return digits[9:] == ends and len(set(digits)) > 1


def _is_chinese(text: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    place = _weighted(_digits(text[:17]), weights) % 11
    return _is_date(text[10:12], text[12:14]) and text[17].upper() == "10X98765432"[place]


def _is_korean(text: str) -> bool:
    # Since 2020 the last six digits are random: there is no check digit any more.
    return _is_date(text[2:4], text[4:6])


def _is_swedish(text: str) -> bool:
    digits = _digits(text)[-10:]
    doubled = [digit * (2 - place % 2) for place, digit in enumerate(digits)]
    is_right = sum(digit - 9 * (digit > 9) for digit in doubled) % 10 == 0
    month, day = digits[2:4], digits[4:6]
    return is_right and _is_date("".join(map(str, month)), "".join(map(str, day)))


def _is_date(month: str, day: str) -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def _is_aadhaar(text: str) -> bool:
    """India."""
    check = 0
    for place, digit in enumerate(reversed(_digits(text))):
        check = int(_VERHOEFF[check][int(_PERMUTED[place % 8][digit])])
    return check == 0


def _is_dni(text: str) -> bool:
    """Spain; of foreigners, X, Y, Z stand for 0, 1, 2."""
    plain = re.sub(r"[ .-]", "", text).upper()
    number = plain[:-1].translate(str.maketrans("XYZ", "012"))
    return plain[-1] == _DNI_LETTERS[int(number) % 23]


def _is_nir(text: str) -> bool:
    """France."""
    plain = re.sub(r"[ .-]", "", text).upper().replace("2A", "19").replace("2B", "18")
    return 97 - int(plain[:13]) % 97 == int(plain[13:])


def _is_my_number(text: str) -> bool:
    """Japan."""
    digits = _digits(text)
    rest = _weighted(digits, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return digits[11] == (0 if rest <= 1 else 11 - rest)


def _is_bsn(text: str) -> bool:
    """The Netherlands."""
    return _weighted(_digits(text), (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _is_pesel(text: str) -> bool:
    """Poland."""
    return _weighted(_digits(text), (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _any(_: str) -> bool:
    return True


_IDS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = tuple(
    (re.compile(pattern), check)
    for pattern, check in (
        (r"(?<![\d.])(\d{3}\.\d{3}\.\d{3}-\d{2})(?!\d)", _is_cpf),
        (r"(?i)\bCPF\D{0,15}(\d{11})(?!\d)", _is_cpf),
        (r"(?<!\w)([1-9]\d{5}(?:19|20)\d{9}[\dXx])(?!\w)", _is_chinese),
        (r"(?<![\w-])(\d{6}-[1-8]\d{6})(?![\w-])", _is_korean),
        (r"(?<![\w-])((?:19|20)?\d{6}[-+]\d{4})(?![\w-])", _is_swedish),
        (r"(?<![\d.,-])(?<!\d )([2-9]\d{3}[ -]\d{4}[ -]\d{4})(?![ -]?\d)", _is_aadhaar),
        (r"(?i)\ba(?:a)?dhaar\D{0,20}([2-9]\d{11})(?!\d)", _is_aadhaar),
        (r"(?<![\w.-])((?:\d{2}\.?\d{3}\.?\d{3}|[XYZ]-?\d{7})-?[A-Z])(?![\w-])", _is_dni),
        (r"(?<!\w)([12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2})(?!\w)", _is_nir),
        (r"(?:マイナンバー|個人番号)\D{0,10}(\d{4}[ -]?\d{4}[ -]?\d{4})(?!\d)", _is_my_number),
        (r"(?i)\b(?:BSN|burgerservicenummer|sofinummer)\D{0,15}(\d{9})(?!\d)", _is_bsn),
        (r"(?i)\bPESEL\D{0,15}(\d{11})(?!\d)", _is_pesel),
        (
            r"(?<!\w)([A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D])(?!\w)",
            _any,
        ),
        (r"(?<!\w)([A-Z]{3}P[A-Z]\d{4}[A-Z])(?!\w)", _any),  # India's PAN of a person
        (r"(?<!\w)([A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z])(?!\w)", _any),  # Italy
        (r"(?<!\w)([A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d)(?!\w)", _any),  # Mexico
    )
)


_DIGITS = re.compile(r"\d\d")
"""Part of each number. A text without it isn't searched: sixteen patterns take 0.5 s per MB."""


def national_ids(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each number of a person in a text."""
    if _DIGITS.search(text) is None:
        return
    for pattern, is_right in _IDS:
        yield from (match.span(1) for match in pattern.finditer(text) if is_right(match[1]))
