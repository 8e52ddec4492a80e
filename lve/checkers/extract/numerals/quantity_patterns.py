"""The patterns of quantities: what one begins with, and what can follow its digits."""

from __future__ import annotations

import re
from fractions import Fraction

from lve.checkers.extract.numerals.han_numbers import HAN
from lve.checkers.extract.numerals.spelled_numbers import SPELLED

MAGNITUDES = {
    "k": 10**3, "thousand": 10**3, "tausend": 10**3, "mil": 10**3, "mille": 10**3, "lakh": 10**5,
    "lakhs": 10**5, "m": 10**6, "mn": 10**6, "mio": 10**6, "million": 10**6, "millionen": 10**6,
    "millions": 10**6, "millones": 10**6, "milhões": 10**6, "milioni": 10**6, "crore": 10**7,
    "crores": 10**7, "b": 10**9, "bn": 10**9, "billion": 10**9, "billions": 10**9,
    "milliarden": 10**9, "milliarde": 10**9, "milliards": 10**9, "miliardi": 10**9, "mrd": 10**9,
    "t": 10**12, "trillion": 10**12, "trillions": 10**12, "dozen": 12,
}  # fmt: skip
_LETTERS = {"k": "[kK]", "m": "M", "b": "B", "t": "T", "bn": "[bB]n", "mn": "[mM]n"}
_WORDS = "|".join(
    sorted((f"(?i:{w})" for w in MAGNITUDES if w not in _LETTERS), key=len, reverse=True)
)
_MONTH = (
    r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|mars|avr|juin"
    r"|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|fev|mayo|maio|out)[a-zéûäç]{0,7}\.?"
)
_DATE = (
    r"(?<![\d.,])(?:(?P<year_first>[12]\d{3})(?:-\d{1,2}-\d{1,2}|/\d{1,2}/\d{1,2}"
    r"|[ ]?年[ ]?(?:\d{1,2}[ ]?月(?:[ ]?\d{1,2}[ ]?[日号])?)?"
    r"|년(?:[ ]?\d{1,2}월(?:[ ]?\d{1,2}일)?)?)"
    r"|\d{1,2}(?:[./-])\d{1,2}[./-](?P<year_last>[12]\d{3}))(?![\d/])"
    rf"|(?<!\w)(?i:(?:\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?[ ](?:of[ ]|de[ ])?)?{_MONTH}"
    r"[ ](?:\d{1,2}(?:st|nd|rd|th)?,?[ ])?(?:de[ ]|of[ ])?(?P<year>[12]\d{3})(?!\w|[.,]\d))"
)
_CLOCK = r"(?<![\d.,:])\d{1,3}(?:h[ ]?|:)\d{2}(?::\d{2})?(?![\d:]|[.,]\d)"
_SPELLED = SPELLED.replace(" ", r"\ ")
TOKEN = re.compile(
    rf"""
    (?P<date> {_DATE} )
    | (?P<clock> {_CLOCK} )
    | (?P<sign> (?: (?<![\w.)\]}}%]) | (?<=\bis) | (?<=[=:]) ) [-+] (?P<apart> [ ]? )
        | (?<!\w) (?i:minus|negative|negativ|menos|moins|负) [ ]? )?
      (?: (?P<money> \\?(?:(?:US|CA|AU|NZ|HK|NT|[ACRS])?[$€£¥₹₽₩₺₪₫₴₦₱฿]) | (?<![A-Za-z])[A-Z]{{3}}
        | (?<!\w)(?:Rs\.?|kr\.?|CHF) ) [ ]? (?P<inner> -)? (?=[\d.\\]) )?
      (?: \\[dtc]?frac [ ]? (?: \{{ [ ]? (?P<over> -?\d[\d,]{{0,30}} (?:\.\d{{1,30}})? ) [ ]? \}}
                             \{{ [ ]? (?P<under> \d[\d,]{{0,30}} ) [ ]? \}}
                          | (?P<over1> \d ) [ ]? (?P<under1> \d ) )
        | (?P<digits> \d+ (?: [.,'_ ] \d+ )* | (?<![\d.]) \.\d+ ) )
    | (?P<spelled> {_SPELLED} )
    | (?P<han> {HAN} )
    """,
    re.VERBOSE,
)
TAIL = re.compile(
    rf"""
    (?P<slash> [ ]?/[ ]? (?P<denominator> \d{{1,30}} ) (?![\d/]|\.\d) )?
    (?: (?P<e> [eE] (?P<exponent_e> [+-]?\d{{1,4}} ) (?!\w) )
      | [ ]? (?: [×*·x] | \\times | \\cdot ) [ ]? 10 [ ]? (?: \^ | \*\* ) [ ]? \{{? [ ]?
        (?P<exponent> [-+]?\d{{1,4}} ) [ ]? \}}?
      | (?: \^ | \*\* ) [ ]? \{{? (?P<power> -?\d{{1,3}} ) \}}? (?!\d|\.\d) )?
    (?: (?: [ ]? (?P<magnitude> {_WORDS} ) | (?P<letter> [kKMBT] | [bB]n | [mM]n ) )
      (?![A-Za-z]) )?
    (?: [ ]? (?: ± | \\pm (?![a-z]) ) [ ]? \d[\d.,]* (?<=\d) )?
    """,
    re.VERBOSE,
)
MIXED = re.compile(
    r"(\d{1,9})[ ](?:(\d{1,4})[ ]?/[ ]?(\d{1,4})(?![\d/])|\\[dt]?frac\{?(\d)\}?\{?(\d)\}?"
    r"|and an?[ ](?P<part>half|third|quarter)(?!\w))"
    rf"(?:[ ](?P<magnitude>{_WORDS})(?![A-Za-z]))?"
)
"""`2 1/2`, `2 and a half million`."""
NAMED_PARTS = {"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4)}
GAP = re.compile(r"[ ]*(?:-(?=[^\W\d_]))?(?:\{[ ]*)?")
OUT_OF = re.compile(r"[ ]in[ ](\d{1,9})(?=[.!?)]?(?:\s|$))")
JOINED = re.compile(r"[ ,]*(?:(?:and|und|et|y|e)[ ])?")
HOURS = re.compile(r"[ ]?(?:h|hrs?|hours?|Stunden|heures|horas)\b")
ENDS = frozenset(("", *".,;:!?)\n"))
"""Characters after a number without denominator, power, magnitude or unit."""
