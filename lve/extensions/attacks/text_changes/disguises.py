"""Attacks that change how a text looks, so that people still read it. Pure functions; those that
choose take the numbers that they choose by.

Where PyRIT 1.1 has the same converter, the output is equal (`tests/cases/attacks/pyrit.jsonl`).
"""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Callable

Numbers = Callable[[], float]
"""Returns the next random number, from 0 to below 1."""
DRAWS = 50
"""How often a text is drawn until it has changed."""
_LEET = {"a": "4", "b": "8", "c": "(", "e": "3", "g": "9", "i": "1"}
_LEET |= {"l": "1", "o": "0", "s": "5", "t": "7", "z": "2"}
_LEET |= {letter.upper(): sign for letter, sign in _LEET.items()}
_ZERO_WIDTH = "\u200b"
_ACUTE = "\u0301"
HOMOGLYPHS = dict(
    zip(
        "aceijopsxyABCEHIJKMNOPSTXYZ",
        "\u0430\u0441\u0435\u0456\u0458\u043e\u0440\u0455\u0445\u0443"
        "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u039d\u041e\u0420\u0405\u0422"
        "\u0425\u04ae\u0396",
        strict=True,
    )
)
"""Latin letter -> a Cyrillic or Greek one that looks alike, each of another letter."""
_RAISED = {
    **dict(zip(string.digits, "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True)),
    **dict(zip("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True)),
    **dict(zip("ABDEGHIJKLMNOPRTUVW", "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ", strict=True)),
    **dict(zip("+-=()", "⁺⁻⁼⁽⁾", strict=True)),
}
_WORDS = """
Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike November Oscar Papa
Quebec Romeo Sierra Tango Uniform Victor Whiskey Xray Yankee Zulu
"""
_NATO = dict(zip(string.ascii_uppercase, _WORDS.split(), strict=True))
_TYPO_EVERY = 6
"""Letters per typing error, on average."""


def changed(text: str, draw: Callable[[int], str]) -> str:
    """Return the first draw that isn't the text itself, which many short texts are; the text, if
    there is none.

    Args:
        text: what is drawn.
        draw: returns the draw with a number, from 0.
    """
    return next((drawn for drawn in map(draw, range(DRAWS)) if drawn != text), text)


def leetspeak(text: str) -> str:
    """Return the text with digits and signs for letters."""
    return "".join(_LEET.get(character, character) for character in text)


def zero_width(text: str) -> str:
    """Return the text with a space of no width between all characters."""
    return _ZERO_WIDTH.join(text)


def homoglyphs(text: str) -> str:
    """Return the text with Cyrillic and Greek letters for Latin ones that look alike."""
    return "".join(HOMOGLYPHS.get(character, character) for character in text)


def accents(text: str) -> str:
    """Return the text with an acute accent on small vowels."""
    return "".join(
        unicodedata.normalize("NFC", character + _ACUTE) if character in "aeiou" else character
        for character in text
    )


def superscript(text: str) -> str:
    """Return the text in raised characters, as far as there are some."""
    return "".join(_RAISED.get(character, character) for character in text)


def spaced(text: str) -> str:
    """Return the text without ASCII punctuation (but backslashes), and with a blank between all
    characters."""
    return " ".join(text).translate(str.maketrans("", "", string.punctuation.replace("\\", "")))


def hyphenated(text: str) -> str:
    """Return the text with a hyphen between the characters of each word."""
    return " ".join("-".join(word) for word in text.split(" "))


def spelled(text: str) -> str:
    """Return the text as people spell it on the phone: `Hotel India` for `Hi`."""
    words = (
        " ".join(_NATO.get(c.upper(), c) if c.isascii() else c for c in word)
        for word in text.split(" ")
    )
    parts: list[str] = []
    for number, word in enumerate(words):
        parts += ["<space>"] * (number > 0) + [word] * bool(word)
    return " ".join(parts)


def mixed_case(text: str, numbers: Numbers) -> str:
    """Return the text with each letter small or capital by chance."""
    return "".join(c.upper() if c.isalpha() and numbers() < 0.5 else c.lower() for c in text)


def typos(text: str, numbers: Numbers) -> str:
    """Return the text with typing errors: letters inside words change places, are doubled or left
    out, on average one in six. First and last letters stay."""
    written, end = list(text), len(text)
    place = 1
    while place < end - 2:
        is_inside = all(character.isalpha() for character in text[place - 1 : place + 3])
        if is_inside and numbers() < 1 / _TYPO_EVERY:
            kind = int(numbers() * 3)
            if kind == 0:
                written[place], written[place + 1] = text[place + 1], text[place]
            else:
                written[place] = text[place] * 2 if kind == 1 else ""
            place += 1
        place += 1
    return "".join(written)


def shuffled_words(text: str, numbers: Numbers) -> str:
    """Return the text with the inner letters of each longer word in another order."""
    return " ".join(_shuffled(word, numbers) for word in text.split(" "))


def _shuffled(word: str, numbers: Numbers) -> str:
    if len(word) < 4 or not word.isalpha():
        return word
    inner = sorted(word[1:-1], key=lambda _: numbers())
    return f"{word[0]}{''.join(inner)}{word[-1]}"
