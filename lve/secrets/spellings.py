"""All spellings of a secret: the encodings in which somebody who knows it could write it. And a
search for many of them at once, quick where there is none, as nearly always.

A text that holds a secret only in parts, or in two encodings at once other than those below, isn't
recognised.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import product

from lve.named_tuples import NamedTuple

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
"""What URLs keep. (Importing `urllib` would cost start-up time.)"""
_IN_HTML = frozenset("&<>\"'+")
"""What libraries escape in HTML, and in JSON that will stand in HTML."""
_SEPARATORS = (
    *(" ", "-", "_", ".", ",", ", ", ":", "|", "/", "\t", "\n", "\r\n"),
    *("\\t", "\\n", "\\r\\n"),  # the same in JSON
    *('", "', '","', "', '", '\\", \\"', '\\",\\"'),  # lists, in JSON twice
)
"""What can stand between the characters of a secret: `k e y`, `k-e-y`, a line each, a list."""
_BYTE_SEPARATORS = (" ", ":", "-", ", 0x", " 0x")
_NAMES = {
    "!": "excl",
    '"': "quot",
    "#": "num",
    "$": "dollar",
    "%": "percnt",
    "&": "amp",
    "'": "apos",
    "(": "lpar",
    ")": "rpar",
    "*": "ast",
    "+": "plus",
    ",": "comma",
    ".": "period",
    "/": "sol",
    ":": "colon",
    ";": "semi",
    "<": "lt",
    "=": "equals",
    ">": "gt",
    "?": "quest",
    "@": "commat",
    "[": "lsqb",
    "\\": "bsol",
    "]": "rsqb",
    "^": "Hat",
    "_": "lowbar",
    "`": "grave",
    "{": "lcub",
    "|": "verbar",
    "}": "rcub",
}
"""Characters -> their names in HTML."""
_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def spellings(secret: str) -> Iterator[str]:
    """Yield a secret and all its encodings. Some may come twice."""
    data = secret.encode("utf-8", "surrogateescape")
    digits, backwards = data.hex(), secret[::-1]
    for text in (secret, backwards, secret.upper(), secret.lower(), secret.swapcase()):
        yield text
        yield from _in_json(text)
    yield from (digits, digits.upper(), data[::-1].hex(), data[::-1].hex().upper())
    for separator in _BYTE_SEPARATORS:
        yield data.hex("\0").replace("\0", separator)
        yield data.hex("\0").upper().replace("\0", separator)
    for separator in _SEPARATORS:
        yield separator.join(secret)
    yield from _in_url(data)
    if secret.isascii():
        yield from _escaped(secret)
    yield from _in_base64(data)
    yield from _in_base32(data)
    yield from _twice(data)


def _in_json(text: str) -> Iterator[str]:
    """Yield the JSON encodings of a text, if they differ from the text itself."""
    if text.isascii() and text.isprintable() and not {'"', "\\"} & set(text):
        return
    import json  # costs start-up time

    for written in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
        yield written
        yield readings(written)[-1].text


def _in_url(data: bytes) -> Iterator[str]:
    """Yield the URL encodings, once and twice: of all characters, and of those that URLs require.
    Small and capital digits."""
    text = data.decode("latin-1")
    special = set(text) - _UNRESERVED
    for before, digits in product(("%", "%25"), _both(data)):
        yield before + before.join(digits)
        if special:
            table = {ord(letter): before + pair for letter, pair in zip(text, digits, strict=True)}
            yield text.translate(_only(special, table))
            yield text.translate(_only(special - {"/"}, table))


def _escaped(text: str) -> Iterator[str]:
    """Yield the escapes of JSON, JavaScript and HTML: of all characters, of all that aren't letters
    or digits, and of those that often are escaped."""
    data = text.encode("ascii")
    decimal = [str(code) for code in data]
    styles = [(before, "", digits) for before, digits in product((r"\u00", r"\x"), _both(data))]
    styles += [("&#", ";", decimal), *(("&#x", ";", digits) for digits in _both(data))]
    special = {letter for letter in text if not letter.isalnum()}
    few = special & _IN_HTML
    for before, after, digits in styles:
        yield before + f"{after}{before}".join(digits) + after
        for some in filter(None, (special, few)):
            pairs = zip(text, digits, strict=True)
            table = {ord(sign): f"{before}{code}{after}" for sign, code in pairs if sign in some}
            yield text.translate(table)
    if special:
        yield text.replace("/", r"\/")
        names = {ord(sign): f"&{_NAMES[sign]};" for sign in special & _NAMES.keys()}
        yield text.translate(names)
        for apostrophe in ("'", "&#39;", "&#x27;") if few else ():
            yield text.translate({**_only('&<>"', names), ord("'"): apostrophe})


def _both(data: bytes) -> tuple[list[str], list[str]]:
    """Return the hexadecimal digits of each byte, small and capital."""
    return data.hex(" ").split(), data.hex(" ").upper().split()


def _only(letters: Collection[str], table: Mapping[int, str]) -> dict[int, str]:
    return {code: spelled for code, spelled in table.items() if chr(code) in letters}


def _in_base64(data: bytes) -> Iterator[str]:
    """Yield the base64 encodings of a secret inside a longer text.

    Three bytes become four characters, so there are three encodings, depending on the offset.
    Characters that depend on the text before or after the secret are left out.
    """
    for before in range(3):
        encoded = b2a_base64(bytes(before) + data, newline=False).decode("ascii")
        first, last = -(-8 * before // 6), 8 * (before + len(data)) // 6
        yield encoded[first:last]
        yield encoded[first:last].translate({ord("+"): "-", ord("/"): "_"})


def _in_base32(data: bytes) -> Iterator[str]:
    """Yield the base32 encodings of a secret inside a longer text: five, as for base64."""
    for before in range(5):
        bits = 8 * (before + len(data))
        filler = -bits % 5
        number = int.from_bytes(data, "big") << filler
        encoded = "".join([_BASE32[number >> at & 31] for at in range(0, bits + filler, 5)])
        yield encoded[::-1][-(-8 * before // 5) : bits // 5]


def _twice(data: bytes) -> Iterator[str]:
    """Yield the most likely of the encodings of an encoding."""
    encoded = b2a_base64(data, newline=False)
    for inner in (data[::-1], data.hex().encode("ascii"), encoded.rstrip(b"=")):
        yield from _in_base64(inner)
    yield encoded.rstrip(b"=").hex()
    yield encoded.decode("ascii")[::-1]


class Reading(NamedTuple):
    """A text as JSON of it, or JSON of JSON, would be read."""

    text: str
    removed: tuple[tuple[int, int], ...] = ()
    """Place in `text` of each backslash that stood there several times -> how many were removed up
    to there."""

    def place(self, place: int) -> int:
        """Return where a place of this text is in the original text."""
        index = bisect_left(self.removed, (place, 0))
        return place + (self.removed[index - 1][1] if index else 0)


def readings(text: str) -> list[Reading]:
    """Return a text as it is, and, if it has several backslashes in a row, with one for each row:
    each time that a text is written as JSON, their number doubles."""
    itself = Reading(text)
    if "\\\\" not in text:
        return [itself]
    pieces: list[str] = []
    removed: list[tuple[int, int]] = []
    at = count = 0
    for match in re.finditer(r"\\{2,}", text):
        pieces.append(text[at : match.start() + 1])
        removed.append((match.start() - count, count + match.end() - match.start() - 1))
        at, count = match.end(), removed[-1][1]
    return [itself, Reading("".join([*pieces, text[at:]]), tuple(removed))]


_RARE_FIRST = "%&QZXJKVYWUGqHFBDzPNMOLxRj\\ECSTAI7968543k2v1b0wfygpcdlu"
"""Characters ordered from rare to frequent in texts and JSON."""
_RARE = 4
"""How many of a spelling's characters are searched for before the spelling itself."""
Groups = tuple[tuple[str, tuple[tuple[str, str, str, tuple[str, ...]], ...]], ...]
"""Rarest character -> the three next rarest -> spellings."""


@lru_cache(maxsize=64)  # a process makes several redactors of the same secrets
def spelled_rarest(secret: str) -> dict[str, str]:
    """Return a secret's spellings, each with its rarest characters."""
    return {spelling: _rarest(spelling) for spelling in spellings(secret)}


def _rarest(text: str) -> str:
    """Return the four characters of `text` that are rarest in texts in general."""
    rare = ""
    for letter in _RARE_FIRST:
        if letter in text:
            rare += letter
            if len(rare) == _RARE:
                return rare
    return (rare or text[0]).ljust(_RARE, rare[-1:] or text[0])


def grouped(rarest: Mapping[str, str]) -> Groups:
    """Group spellings by their rarest characters. Searching for one character takes a tenth of the
    time of searching for a text, and most texts lack one of the rarest of a spelling."""
    groups: dict[str, dict[str, list[str]]] = {}
    for spelling, rare in rarest.items():
        groups.setdefault(rare[0], {}).setdefault(rare[1:], []).append(spelling)
    return tuple(
        (first, tuple((*others, tuple(spelled)) for others, spelled in more.items()))
        for first, more in groups.items()
    )


def is_any_in(text: str, groups: Groups) -> bool:
    """Return whether a text has one of the spellings."""
    for first, more in groups:
        if first in text:
            for second, third, fourth, spelled in more:
                if second in text and third in text and fourth in text:
                    for spelling in spelled:
                        if spelling in text:
                            return True
    return False


def may_be_in(text: str, groups: Groups) -> bool:
    """Return whether a text has all the rarest characters of one of the spellings."""
    for first, more in groups:
        if first in text:
            for second, third, fourth, _ in more:
                if second in text and third in text and fourth in text:
                    return True
    return False
