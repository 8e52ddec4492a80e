"""Encodings are as PyRIT 1.1 makes them, and can be read again."""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.extensions.attacks.by_name import attacked
from lve.extensions.attacks.text_changes.encodings import BRAILLE, MORSE

PYRIT = Path(__file__).parents[3] / "cases" / "attacks" / "pyrit.jsonl"


TEXTS = st.text(max_size=40)


PLAIN = st.text(st.sampled_from(string.ascii_letters + string.digits + " .,?!-"), max_size=40)


def cases() -> list[dict[str, str]]:
    return [json.loads(line) for line in PYRIT.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", sorted(set(cases()[0]) - {"text"}))
def test_the_output_is_that_of_pyrit(name: str) -> None:
    texts = cases()
    assert len(texts) == 200
    for case in texts:
        assert attacked(case["text"], name) == case[name], case["text"]


def _binary(text: str) -> str:
    return "".join(chr(int(bits, 2)) for bits in text.split())


def _unescaped(text: str) -> str:
    words = text.split(" ")
    return " ".join("".join(chr(int(code, 16)) for code in word.split("\\u")[1:]) for word in words)


DECODERS: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64decode(text).decode(),
    "hex": lambda text: bytes.fromhex(text).decode(),
    "binary": _binary,
    "rot13": lambda text: attacked(text, "rot13"),
    "caesar": lambda text: text.translate(
        str.maketrans(
            "defghijklmnopqrstuvwxyzabcDEFGHIJKLMNOPQRSTUVWXYZABC3456789012",
            string.ascii_lowercase + string.ascii_uppercase + string.digits,
        )
    ),
    "atbash": lambda text: attacked(text, "atbash"),
    "backwards": lambda text: text[::-1],
    "url": unquote,
    "zero_width": lambda text: text.replace("\u200b", ""),
}


@pytest.mark.parametrize("name", DECODERS)
@given(TEXTS.filter(lambda text: not set(text) & {"\u200b"} and max(text, default="a") < "\ue000"))
def test_decoding_gives_the_text_back(name: str, text: str) -> None:
    assert DECODERS[name](attacked(text, name)) == text


@given(TEXTS.filter(lambda text: max(text, default="a") < "\ue000"))
def test_escapes_give_the_text_back(text: str) -> None:
    assert _unescaped(attacked(text, "unicode_escapes")) == text


@given(PLAIN)
def test_tags_give_the_text_back(text: str) -> None:
    assert "".join(chr(ord(c) - 0xE0000) for c in attacked(text, "unicode_tags")) == text


@given(PLAIN)
def test_morse_gives_letters_back(text: str) -> None:
    codes = {code: character for character, code in MORSE.items() if character < "\x80"}
    written = attacked(text, "morse").split(" ") if text.strip() else []
    assert "".join(codes[code] for code in written) == text.strip().upper()


@given(PLAIN)
def test_braille_gives_letters_back(text: str) -> None:
    alike = "0123456789$)"
    cells = {cell: c for c, cell in BRAILLE.items() if c not in alike and len(cell) == 1}
    letters = "".join(cells.get(c, c) for c in attacked(text, "braille"))
    digits = str.maketrans(string.digits, "jabcdefghi")
    spelled = letters.replace("\u2820", "").replace("\u283c", "")
    assert spelled == text.lower().translate(digits)
