"""Reads Chinese, Japanese and Korean numerals: `四十二`, `12万3千`, `3억`, `百分之五十`."""

from __future__ import annotations

import re
from fractions import Fraction

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_KOREAN = "일이삼사오육칠팔구십백천만억조"
_ONES = _DIGITS | {c: i for i, c in enumerate(_KOREAN[:9], 1)}
_SMALL = {"十": 10, "百": 100, "千": 1000, "십": 10, "백": 100, "천": 1000}
_LARGE = {
    "万": 10**4, "萬": 10**4, "만": 10**4, "亿": 10**8, "億": 10**8, "억": 10**8, "兆": 10**12,
    "조": 10**12,
}  # fmt: skip
_UNITS = "".join([*_SMALL, *_LARGE])
_ANY = f"{''.join(_DIGITS)}{_UNITS}"
_ARABIC = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_RUN = rf"(?:(?:{_ARABIC})(?=[{_UNITS}])|[{_ANY}]|(?<=[{_UNITS}])\d+"
_RUN += rf"|(?<=[만억조천])[ ](?=\d+[{_UNITS}])){{1,30}}"
HAN = (
    rf"(?<![가-힣])(?=[ {_KOREAN}]*[십백천만억조])[{_KOREAN}](?:[ ]?[{_KOREAN}])+"
    r"(?=[ ]?(?:[원명개점년퍼킬미달그입이분초세]|[^가-힣\s]|$))"
    rf"|(?<!第)[负負]?(?:百分之(?:{_ARABIC}|{_RUN})|(?:(?:{_ARABIC})(?=分[之の])|{_RUN})(?:点[零一二三四五六七八九]{{1,10}})?"
    rf"(?:(?:分之|分の)(?:{_ARABIC}|{_RUN}))?)(?!月[零一二三四五六七八九十\d])"
)
"""A pattern of a numeral. It also fits Arabic digits before one of its units."""
HAN_NUMBER = re.compile(HAN)
MIXED_START = re.compile(rf"[{_UNITS}]|分[之の]")
"""What makes the digits before it a part of such a numeral."""
_PIECE = re.compile(rf"{_ARABIC}|\S")


def han_value(text: str) -> Fraction | None:
    """Return the value of a numeral that fits `HAN`; None if it is none."""
    plain = text.lstrip("负負")
    sign = -1 if plain != text else 1
    under, over_mark, over = re.sub("分の", "分之", plain).partition("分之")
    if over_mark:
        parts = _whole(over), _whole(under)
        return sign * parts[0] / parts[1] if parts[0] is not None and parts[1] else None
    whole, _, decimals = plain.partition("点")
    value = _whole(whole)
    if value is None:
        return None
    digits = "".join(str(_DIGITS[c]) for c in decimals)
    return sign * (value + (Fraction(int(digits), 10 ** len(digits)) if digits else 0))


def _whole(text: str) -> Fraction | None:
    if not any(c in _UNITS for c in text):
        digits = "".join(str(_ONES.get(c, c)) for c in text if c != ",")
        return Fraction(digits)
    total = section = number = Fraction(0)
    last_large = None
    has_number = False
    for piece in _PIECE.findall(text):
        if piece in _ONES:
            number, has_number = Fraction(_ONES[piece]), True
        elif piece in _SMALL:
            section += (number if has_number else 1) * _SMALL[piece]
            number, has_number = Fraction(0), False
        elif piece in _LARGE:
            size = _LARGE[piece]
            below = section + number
            if not below and not total:
                if piece not in "만억조":
                    return None
                below = Fraction(1)
            if last_large is None or size < last_large:
                total += below * size
            else:
                total = (total + below) * size
            section, number, has_number, last_large = Fraction(0), Fraction(0), False, size
        else:
            number, has_number = Fraction(piece.replace(",", "")), True
    return total + section + number
