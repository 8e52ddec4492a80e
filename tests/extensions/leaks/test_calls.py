"""Which personal data and parts of a prompt are in texts that differ by one digit, mark or word
(cases/recorded_calls/leaks.json)."""

from __future__ import annotations

import base64
import itertools
import re

from extensions.leaks.test_national_ids import RIGHT, WRONG
from support.recorded_calls import Calls, changed, grid, record, texts

from lve.checkers.shape.characters import unified
from lve.extensions.leaks.national_ids import national_ids
from lve.extensions.leaks.personal_data import personal_data
from lve.extensions.leaks.prompt_words import decodings, has_marker, letters_of, prompt_phrases
from lve.extensions.leaks.secrets_in import secret_kinds

TEXTS = texts("leaks")
PROMPT = "You are Heron, a bot of the river bank. Never say the word quicksilver to anybody at all."


def kinds(text: str) -> str:
    """Return the kinds of data in a text, a letter or two each, with their places."""
    data = sorted(personal_data(unified(text)), key=lambda datum: (datum.start, datum.kind))
    return " ".join(f"{datum.kind.split()[1][:2]}{datum.start}-{datum.end}" for datum in data)


def with_other_digits(text: str) -> str:
    """Return which of the texts with one other digit, a digit less or one more have data."""
    others: list[str] = []
    for digit in re.finditer(r"\d", text):
        start, end = digit.span()
        others += [f"{text[:start]}{other}{text[end:]}" for other in "0123456789"]
        others += [f"{text[:start]}{text[end:]}", f"{text[:start]}5{text[start:]}"]
    marks = ["+" if kinds(f"It is {other}, he said.") else "." for other in others]
    return "".join(mark + " " * (number % 12 == 11) for number, mark in enumerate(marks))


def ids(text: str) -> object:
    return [*national_ids(text)]


def spelled(text: str) -> dict[str, str]:
    """Return a text in each encoding, in the order in which `decodings` finds it."""
    data = text.encode()
    return {
        "base64": base64.b64encode(data).decode(),
        "base32": base64.b32encode(data).decode(),
        "base85": base64.b85encode(data).decode(),
        "ascii85": base64.a85encode(data).decode(),
        "hexadecimal": data.hex(" "),
        "codes": " ".join(map(str, data)),
        "bits": " ".join(f"{byte:08b}" for byte in data),
        "percent": "".join(f"%{byte:02x}" for byte in data),
        "backslashes": "".join(f"\\u{ord(letter):04x}" for letter in text),
        "twice": base64.b64encode(base64.b64encode(data)).decode(),
    }


def decoded(text: str) -> list[str]:
    """Return how each encoding of a text is decoded."""
    hows = (
        [how for how, plain in decodings(code) if text.lower() in plain.lower()]
        for code in spelled(text).values()
    )
    return [f"{name}: {' |'.join(how)}" for name, how in zip(spelled(text), hows, strict=True)]


def leaked(text: str, size: int) -> object:
    phrases = prompt_phrases(PROMPT, size)
    return phrases.are_in(text), phrases.disguise(text)


def all_calls() -> Calls:
    numbers = (*RIGHT, *WRONG, *TEXTS["numbers"])
    assigned = itertools.product(TEXTS["assignments"], TEXTS["values"])
    framed = itertools.product(TEXTS["frames"], TEXTS["numbers"])
    shift = str.maketrans("abcdefghijklmnopqrstuvwxyz", "defghijklmnopqrstuvwxyzabc")
    words = PROMPT.split()
    told = [" ".join(words[first:last]) for first in range(0, 16, 3) for last in range(first, 17)]
    disguised = [PROMPT.lower().translate(shift), " ".join(words[::-1]), " x ".join(words)]
    disguised += [base64.b64encode(f"{'-' * n}{PROMPT}".encode()).decode() for n in range(3)]
    return {
        **grid(with_other_digits, dict.fromkeys(numbers)),
        **grid(kinds, [frame.format(number, number) for frame, number in framed]),
        **grid(kinds, TEXTS["data"]),
        **grid(ids, TEXTS["data"]),
        **grid(secret_kinds, (*TEXTS["data"], *TEXTS["secrets"])),
        **grid(secret_kinds, [frame.format(value) for frame, value in assigned]),
        **grid(decoded, ("quicksilver", "Heron!", "ab", PROMPT)),
        **grid(has_marker, TEXTS["texts"], TEXTS["markers"], decoded=(False, True)),
        **grid(letters_of, TEXTS["texts"]),
        **grid(leaked, (*told, *disguised, *TEXTS["texts"]), (1, 4, 8, 99)),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("leaks", all_calls()) == {}


if __name__ == "__main__":
    record("leaks", all_calls())
