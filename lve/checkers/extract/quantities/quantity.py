"""Reads the quantities in a text, in any notation: sign, value and unit.

A power belongs to the unit (`12 m^2`), money has no three decimals (`$18,000`), and an ambiguous
notation has two values: `1.234` is 1234 in German.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from lve.checkers.extract.quantities import quantity_patterns as patterns
from lve.checkers.extract.quantities.digit_groups import Values, readings, whole
from lve.checkers.extract.quantities.han_numbers import HAN_NUMBER, MIXED_START, han_value
from lve.checkers.extract.quantities.number_tails import with_base, with_tail
from lve.checkers.extract.quantities.plain_units import plain_unit
from lve.checkers.extract.quantities.spelled_numbers import spelled_value
from lve.checkers.extract.quantities.units import Units, is_cents_of, meanings_of, read_units
from lve.checkers.judging_limits import MAX_DIGITS
from lve.named_tuples import NamedTuple

_PI = Fraction("3.14159265358979323846")


class Quantity(NamedTuple):
    """A number in a text, with its unit."""

    start: int
    end: int
    """The end of the unit if it is known, or else of the number."""
    values: Values
    """Its possible values, the most likely first; several if its notation is ambiguous."""
    units: Units | None = None
    """What its unit can mean; empty if it is unknown, None if there is none."""
    others: Values = ()
    """What it can mean where nobody asks for a unit: 0.5 for 50 %, 1.5 for 1 h 30 min."""
    is_word: bool = False
    """Whether it is written in words."""
    is_date: bool = False
    """Whether it is a date, of which the value is the year."""
    over: Fraction | None = None
    """The first number of `7/10`, which may be a score."""
    under: Fraction | None = None
    """The second one."""
    place: str = ""
    """Where in an answer it stands, for reasons; empty if that is all of it."""


def quantities_in(text: str, *, comma_is_decimal: bool | None = None) -> list[Quantity]:
    """Return the quantities in a text, in order.

    Args:
        text: a unified text (`lve.checkers.shape.characters`).
        comma_is_decimal: whether the comma is the decimal point and `.` separates thousands; None
            if that is unknown.
    """
    quantities = [q for q in _read(text, comma_is_decimal) if q.values]
    if " and " in text:
        quantities = [_with_article(text, quantity) for quantity in quantities]
    return _joined(text, quantities) if len(quantities) > 1 else quantities


def _with_article(text: str, quantity: Quantity) -> Quantity:
    """Return a quantity with the one of a larger unit before it: "an hour and 40 minutes"."""
    if not (quantity.units and text.endswith(" and ", 0, quantity.start)):
        return quantity
    article = patterns.ARTICLE.search(text, max(0, quantity.start - 30), quantity.start)
    units, stop = read_units(text, article.end()) if article else (None, 0)
    if article is None or stop != quantity.start - len(" and "):
        return quantity
    whole_part = Quantity(article.start(), stop, (Fraction(1),), units)
    total = _sum(whole_part, quantity)
    return total._replace(start=article.start(), end=quantity.end) if total else quantity


def _read(text: str, comma: bool | None) -> Iterator[Quantity]:
    place = 0
    token_from = patterns.tokens(text)
    while (match := token_from(place)) is not None:
        place = match.end()
        kind = match.lastgroup
        if kind == "digits":
            for quantity in read_digits(text, match, comma):
                place = max(place, quantity.end)
                yield quantity
            continue
        if kind == "date":
            year = match["year_first"] or match["year_last"] or match["year"]
            quantity = Quantity(match.start(), place, whole(year), is_date=True)
        elif kind == "code":
            quantity = Quantity(match.start(), place, ())
        elif kind == "hex":
            quantity = Quantity(match.start(), place, (Fraction(int(match[0], 16)),))
        elif kind == "based":
            values, others = with_base(match)
            quantity = Quantity(match.start(), place, values, others=others)
        elif kind == "clock":
            quantity = _duration(text, match)
        elif kind == "feet":
            feet, inches = map(int, re.findall(r"\d+", match[0]))
            length = Fraction(12 * feet + inches)
            sizes = meanings_of("inch"), (length / 12,)
            quantity = Quantity(match.start(), place, (length,), *sizes)
        elif kind in ("spelled", "han"):
            read = spelled_value if kind == "spelled" else han_value
            value = read(match[0])
            values = () if value is None else (value,)
            quantity = _with_unit(text, match, values, place)._replace(is_word=True)
            if value is not None and match[0].lstrip("负負").startswith("百分之"):
                quantity = quantity._replace(
                    values=(100 * value,), units=meanings_of("%"), others=values
                )
        else:
            quantity = _with_unit(text, match, _fraction(match, text), place)
        place = max(place, quantity.end)
        yield quantity


def read_digits(text: str, match: re.Match[str], comma: bool | None) -> Iterator[Quantity]:
    """Yield the quantity that begins with the digits of a match; several if they are no single
    number."""
    start, end, first = match.start(), match.end(), match.start("digits")
    digits = match["digits"]
    if end - start > MAX_DIGITS:
        return
    before = text[first - 1 : first] if first else ""
    if before != " " and _money(match) is None and _is_in_name(text, first):
        return
    is_power = before in patterns.BEFORE_POWERS
    if is_power and patterns.POWER_OF_NAME.search(text, max(0, start - 6), first):
        return
    if text[end : end + 1] in patterns.BEFORE_ROOTS and patterns.ROOT.match(text, end):
        yield Quantity(start, end, ())
        return
    is_alone = text[end : end + 1] in patterns.ENDS or text[end : end + 3] in patterns.OPERATORS
    if is_alone and digits.isdecimal():  # most numbers
        yield Quantity(start, end, _signed(match, whole(digits), text), _money(match))
        return
    counted = plain_unit(text, end) if digits.isdecimal() and not match["money"] else None
    if counted is not None:
        values, (units, stop) = _signed(match, whole(digits), text), counted
        yield Quantity(start, stop, values, units, _as_shares(values, units))
        return
    if MIXED_START.match(text, end) and (han := HAN_NUMBER.match(text, first)):
        value = han_value(han[0])
        values = () if value is None else _signed(match, (value,), text)
        yield _with_unit(text, match, values, han.end())
        return
    mixed = patterns.MIXED.match(text, first)
    if mixed is not None:
        yield _with_unit(text, match, _signed(match, (_mixed(mixed),), text), mixed.end())
        return
    tail = patterns.TAIL.match(text, end)
    if tail and tail["slash"] and text[first - 1 : first] == "/":  # a date
        tail = patterns.TAIL.match("")
    assert tail is not None
    is_money = _money(match) is not None or text[end : end + 2].lstrip()[:1] in ("€", "$", "£")
    for begin, stop, values in readings(digits, first, comma, is_money=is_money):
        if begin == first:
            begin, values = start, _signed(match, values, text)
        if stop < match.end("digits"):
            yield Quantity(begin, stop, values)
        else:
            stop = max(stop, tail.end())
            if pi := patterns.PI.match(text, stop):
                values = () if pi["more"] else tuple(value * _PI for value in values)
                stop = pi.end()
            if match["money"] and (size := patterns.SMALL_SIZE.match(text, stop)):
                values = tuple(value * patterns.MAGNITUDES[size[1]] for value in values)
                stop = size.end()
            quantity = _with_unit(text, match, with_tail(values, tail), stop)
            yield _with_parts(text, quantity._replace(start=begin), values, tail)


def _is_in_name(text: str, first: int) -> bool:
    """Return whether digits belong to a name: `B12`, `CO2`, `COVID-19`."""
    before = text[max(0, first - 3) : first]
    if before[-1:].isascii() and before[-1:].isalpha():
        return True
    return len(before) == 3 and before[-1] == "-" and before[:2].isalpha() and before.isascii()


def _with_unit(text: str, match: re.Match[str], values: Values, end: int) -> Quantity:
    """Return a quantity with the unit before or after it."""
    gap = patterns.GAP.match(text, end)
    units, stop = read_units(text, gap.end() if gap else end)
    if units or (units is not None and text[stop - 1].isdecimal()):
        end = stop
    paid = _money(match)
    if paid is not None:
        more = tuple(unit for unit in units or () if unit in paid)
        units = more or paid
    return Quantity(match.start(), end, values, units, _as_shares(values, units))


def _as_shares(values: Values, units: Units | None) -> Values:
    """Return what percentages are as shares; nothing for other units."""
    if units and units[0].dimension == (("%", 1),):
        return tuple(value / 100 for value in values)
    return ()


def _money(match: re.Match[str]) -> Units | None:
    """Return the currency before a number."""
    symbol = match["money"]
    return (meanings_of(symbol.lstrip("\\")) or None) if symbol else None


def _with_parts(text: str, quantity: Quantity, values: Values, tail: re.Match[str]) -> Quantity:
    """Return a quantity with what else it can mean: a score, one in a number, dozens."""
    if tail["magnitude"] == "dozen":
        return quantity._replace(others=values)
    if tail["slash"] and len(values) == 1:
        return quantity._replace(over=values[0], under=whole(tail["denominator"])[0])
    among = patterns.OUT_OF.match(text, quantity.end)
    if among and values and 0 < values[0] < int(among["all"]):
        share = (values[0] / int(among["all"]),)
        if among["score"]:
            return quantity._replace(others=share)
        return quantity._replace(values=share, end=among.end())
    return quantity


def _signed(match: re.Match[str], values: Values, text: str) -> Values:
    sign = match["sign"]
    if not sign:
        return tuple(-value for value in values) if match["inner"] else values
    before = text[: match.start()].rstrip(" ") if match["apart"] else "="
    is_dash = not before.endswith((*"=:({[,$", "is"))  # or the mark of a list
    is_negative = match["inner"] or (sign[0] != "+" and not is_dash)
    return tuple(-value for value in values) if is_negative else values


def _fraction(match: re.Match[str], text: str) -> Values:
    over = (match["over"] or match["over1"]).replace(",", "")
    under = (match["under"] or match["under1"]).replace(",", "")
    return _signed(match, (_ratio(over, under),), text) if int(under) else ()


def _mixed(match: re.Match[str]) -> Fraction:
    part = match["part"]
    over, under = match[2] or match[4] or match[6], match[3] or match[5] or match[7]
    value = Fraction(match[1]) + (patterns.NAMED_PARTS[part] if part else _ratio(over, under))
    return value * patterns.MAGNITUDES.get((match["magnitude"] or "").lower(), 1)


def _ratio(over: str, under: str) -> Fraction:
    return Fraction(over) / int(under) if int(under) else Fraction(0)


def _duration(text: str, match: re.Match[str]) -> Quantity:
    """Return the duration of which a match is the hours and minutes (`2:15 hours`, `2h30`); a
    time of day has no value, nor has a ratio (`3:2`)."""
    hours, minutes, *seconds = re.findall(r"\d+", match[0])
    if "h" not in match[0] and not seconds and not (len(minutes) == 2 and minutes < "60"):
        return Quantity(match.start(), match.end(), ())
    named = patterns.HOURS.match(text, match.end())
    if "h" not in match[0] and named is None:
        return Quantity(match.start(), match.end(), ())
    total = 60 * int(hours) + int(minutes) + Fraction(int(seconds[0]) if seconds else 0, 60)
    end = named.end() if named else match.end()
    return Quantity(match.start(), end, (total,), meanings_of("min"), (total / 60,))


def _joined(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Return the quantities, those of a compound such as `1 h 30 min` as one."""
    joined = quantities[:1]
    for quantity in quantities[1:]:
        whole_part = joined[-1]
        between = text[whole_part.end : quantity.start]
        if (
            whole_part.units
            and quantity.units
            and patterns.JOINED.fullmatch(between)
            and (total := _sum(whole_part, quantity)) is not None
        ):
            joined[-1] = total._replace(start=whole_part.start, end=quantity.end)
        else:
            joined.append(quantity)
    return joined


def _sum(large: Quantity, small: Quantity) -> Quantity | None:
    """Return the sum of two parts of a compound quantity, in the smaller unit; None if they are
    none."""
    for a in large.units or ():
        for b in small.units or ():
            value = small.values[0]
            if is_cents_of(b, a) and 0 < value < 100 and large.values[0].denominator == 1:
                paid = tuple(unit for unit in large.units or () if is_cents_of(b, unit))
                return large._replace(values=(large.values[0] + value / 100,), units=paid)
            if a.dimension != b.dimension or a.offset or b.offset or a.factor <= b.factor:
                continue
            ratio = a.factor / b.factor
            if not 0 <= value < ratio or large.values[0].denominator != 1:
                continue
            total = large.values[0] * ratio + (value if large.values[0] >= 0 else -value)
            return small._replace(values=(total,), units=(b,), others=(total / ratio,))
    return None
