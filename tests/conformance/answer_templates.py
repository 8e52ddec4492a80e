"""Answers from templates: what each says follows from the template, whatever numbers stand in it.

`templates/number.txt` has a template in each line. `@x` is the number that it states, `@a` to `@d`
are others; `\\n` is a new line. In `option.txt` and `choice.txt` these are letters and labels
(`@X` with a capital). A heading (`# sum`) says how they belong together: `x = a + b`,
`a - b`, `a × b`, `c = a × b` and `x = c + d` (chain), not at all (free), or that nothing is stated
(none). `text.txt` and `json.txt` have texts and JSON values in these places, `refusal.txt` what was
asked. `~` stands before templates without thousands separators, as their language may have decimal
commas, and `!` before those that are judged wrongly.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "templates"
_PLACE = re.compile(r"@([a-dx])")
_LABEL = re.compile(r"@([abxAX])")
_LETTERS = ("ABC", "CAD", "DBA", "BDC")
_LABELS = (("positive", "negative", "neutral"), ("urgent", "spam", "normal"))
_TEXTS = (
    ("Paris", "Lyon", "Nice"),
    ("Ada Lovelace", "Alan Turing", "Grace Hopper"),
    ("C++", "Python", "Rust"),
    ("O'Brien", "van Gogh", "Saint-Exupéry"),
)
_VALUES = (
    ('{"city": "Paris", "tags": ["a", "b"]}', '{"city": "Lyon", "tags": ["a", "b"]}', "{}"),
    ('{"n": 1.5, "ok": true, "why": null}', '{"n": 1.5, "ok": false, "why": null}', "{}"),
)
_ASKED = (("that", "", ""), ("building a shed", "", ""), ("learning Ünïcode", "", ""))
_PLACES = {"text": _TEXTS, "json": _VALUES, "refusal": _ASKED}
_HEADING = re.compile(r"# (?:stated|none|refusal|answer)\b")
_STYLES = ("small", "decimal", "large")


class Row(NamedTuple):
    """An answer, and the verdict that a check has to give."""

    template: str
    number: float
    answer: str
    expected: str
    is_wrong: bool
    """Whether the template is known to be judged wrongly."""


def number_rows() -> Iterator[Row]:
    """Yield the rows of all templates, each template with one set of numbers."""
    relation, foreign = "", False
    lines = (FOLDER / "number.txt").read_text(encoding="utf-8").splitlines()
    for index, line in enumerate(lines):
        if line.startswith("# "):
            relation, foreign = line.split()[1], line.endswith("foreign")
            continue
        template = line.lstrip("~!")
        is_plain = foreign or not template.isascii() or "~" in line[:2]
        style = _STYLES[index % (2 if is_plain else 3)]
        yield from _rows(template, relation, style, is_wrong="!" in line[:2])


class LabelRow(NamedTuple):
    """An answer, and whether it states a letter or label of these."""

    label: str
    of: tuple[str, ...]
    answer: str
    expected: str


def label_rows(name: str) -> Iterator[LabelRow]:
    """Yield the rows of all templates of `option.txt` or `choice.txt`."""
    sets = [tuple(letters) for letters in _LETTERS] if name == "option" else _LABELS
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for index, line in enumerate(line for line in lines if not line.startswith("# ")):
        labels = sets[index % len(sets)]
        places = dict(zip("xab", labels, strict=True))
        places |= {place.upper(): label.capitalize() for place, label in places.items()}
        text = line.replace("\\n", "\n").replace("\\\\", "\\")
        answer = _LABEL.sub(lambda place: places[place[1]], text)  # noqa: B023
        for place in sorted({place.lower() for place in _LABEL.findall(text)}):
            expected = "passed" if place == "x" else "failed"
            yield LabelRow(places[place], labels, answer, expected)


class CheckedRow(NamedTuple):
    """An answer, a check in its short form, and the verdict that it has to give."""

    check: Mapping[str, object]
    answer: str
    expected: str


def checked_rows(name: str) -> Iterator[CheckedRow]:
    """Yield the rows of all templates of `text.txt`, `json.txt` or `refusal.txt`, each template
    with each set of texts."""
    refuses = True
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if _HEADING.match(line):
            refuses = line.startswith("# refusal")
            continue
        text = line.replace("\\n", "\n").replace("\\\\", "\\")
        for texts in _PLACES[name]:
            places = dict(zip("xab", texts, strict=True))
            answer = _LABEL.sub(lambda place: places[place[1].lower()], text)  # noqa: B023
            if name == "refusal":
                yield CheckedRow({"refusal": refuses}, answer, "passed")
                continue
            for place in sorted({"a", *_LABEL.findall(text)}):
                stated: object = places[place]
                check = {"equals": json.loads(places[place])} if name == "json" else stated
                yield CheckedRow({name: check}, answer, "passed" if place == "x" else "failed")


SURFACES: dict[str, Callable[[str], str]] = {
    "as it is": lambda answer: answer,
    "other line ends": lambda answer: answer.replace("\n", "\r\n"),
    "white space around it": lambda answer: f"\n  {answer} \n\n",
    "reasoning before it": lambda answer: f"<think>Hm, let me see.</think>\n{answer}",
}
"""What changes no verdict."""
PROSE_SURFACES: dict[str, Callable[[str], str]] = {
    "apostrophes of typographers": lambda answer: answer.replace("'", "’"),
    "capitals": lambda answer: answer if {*answer} & {*"<\\{"} else answer.upper(),
}
"""What changes none of a text, either."""


def _rows(template: str, relation: str, style: str, *, is_wrong: bool) -> Iterator[Row]:
    numbers = _numbers(relation, style, random.Random(template))
    text = template.replace("\\n", "\n").replace("\\\\", "\\")
    answer = _PLACE.sub(lambda place: _shown(numbers[place[1]], style), text)
    for name in sorted({*_PLACE.findall(text)}):
        expected = "passed" if name == "x" else "failed"
        yield Row(template, numbers[name], answer, expected, is_wrong)
        if name == "x":
            yield Row(template, -numbers[name], answer, "failed", is_wrong)


def _numbers(relation: str, style: str, draw: random.Random) -> dict[str, float]:
    """Return different numbers by name."""
    while True:
        high = 900 if style == "large" else 30
        a, b, d = (draw.randint(2, high) for _ in range(3))
        a = a + 0.5 if style == "decimal" else a
        numbers = {
            "sum": {"a": a, "b": b, "x": a + b},
            "difference": {"a": a + b, "b": b, "x": a},
            "product": {"a": a, "b": b, "x": a * b},
            "chain": {"a": a, "b": b, "c": a * b, "d": d, "x": a * b + d},
        }.get(relation) or {name: _number(style, draw) for name in "abcdx"}
        if len({*numbers.values()}) == len(numbers):
            return numbers


def _number(style: str, draw: random.Random) -> float:
    if style == "decimal":
        return draw.randint(101, 989) / 10
    return draw.randint(11, 97) if style == "small" else draw.randint(1_100, 98_000)


def _shown(number: float, style: str) -> str:
    number = int(number) if number == int(number) else number
    return f"{number:,}" if style == "large" else f"{number}"
