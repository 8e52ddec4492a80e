"""A key in all the spellings that lve promises to recognise, by code that isn't lve's."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote

WINDOW = 8
"""So many characters of a spelling in a row must be nowhere."""


def _digits(pattern: str, text: str, change: Callable[[str], str]) -> str:
    return re.sub(pattern, lambda match: change(match[0]), text)


def _aligned(encode: Callable[[bytes], bytes], before: bytes) -> Callable[[str], str]:
    return lambda key: encode(before + key.encode() + b" and more").decode()


def _every(style: str) -> Callable[[str], str]:
    return lambda key: "".join(style.format(ord(letter)) for letter in key)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "reversed": lambda key: key[::-1],
    "capitals": str.upper,
    "small letters": str.lower,
    "swapped case": str.swapcase,
    "JSON": lambda key: json.dumps(key)[1:-1],
    "JSON, every character": _every("\\u{:04x}"),
    "JSON, capital digits": _every("\\u{:04X}"),
    "JSON, as PHP writes it": lambda key: key.replace("/", "\\/"),
    "JavaScript": _every("\\x{:02x}"),
    "HTML": html.escape,
    "HTML, decimal": _every("&#{};"),
    "HTML, hexadecimal": _every("&#x{:x};"),
    "HTML, capital digits": _every("&#x{:X};"),
    "HTML, signs": lambda key: re.sub(r"\W|_", lambda match: f"&#{ord(match[0])};", key),
    "URL": lambda key: quote(key, safe=""),
    "URL, as a path": quote,
    "URL, small digits": lambda key: _digits("%..", quote(key, safe=""), str.lower),
    "URL, every character": _every("%{:02X}"),
    "URL, twice": lambda key: quote(quote(key, safe=""), safe=""),
    "URL, every character twice": _every("%25{:02X}"),
    "hexadecimal": lambda key: key.encode().hex(),
    "hexadecimal, capitals": lambda key: key.encode().hex().upper(),
    "hexadecimal, in pairs": lambda key: key.encode().hex(":"),
    "bytes": lambda key: key.encode().hex(" "),
    "spaced": " ".join,
    "dashed": "-".join,
    "a line each": "\n".join,
    "JSON in JSON": lambda key: json.dumps(_every("\\u{:04x}")(key))[1:-1],
    "JSON in JSON in JSON, as PHP writes it": lambda key: key.replace("/", "\\\\\\\\/"),
    "a list": lambda key: json.dumps(list(key)),
    "base64 of hexadecimal": lambda key: base64.b64encode(key.encode().hex().encode()).decode(),
    "base64 of base64": lambda key: base64.b64encode(base64.b64encode(key.encode())).decode(),
    "base64, reversed": lambda key: base64.b64encode(key[::-1].encode()).decode(),
    **{
        f"{name} after {size} bytes": _aligned(encode, b"x" * size)
        for name, encode, sizes in (
            ("base64", base64.b64encode, range(3)),
            ("base64 for URLs", base64.urlsafe_b64encode, range(3)),
            ("base32", base64.b32encode, range(5)),
        )
        for size in sizes
    },
}


def parts(key: str) -> frozenset[str]:
    """Return all windows of all spellings of a key; also as JSON, because files are JSON."""
    windows = set()
    for name, spell in SPELLINGS.items():
        spelled = spell(key)
        if name.startswith("base"):  # what stands before or after the key is in it, too
            spelled = spelled[7:-24] if " after " in name else spelled.rstrip("=")[:-1]
        once = json.dumps(spelled)[1:-1]
        for text in (spelled, once, json.dumps(once)[1:-1]):
            windows |= {text[at : at + WINDOW] for at in range(len(text) - WINDOW + 1)}
    return frozenset(windows)


def parts_in(text: str, windows: Iterable[str]) -> list[str]:
    """Return the windows that are in a text."""
    return [window for window in windows if window in text]
