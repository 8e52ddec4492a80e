"""Answers in many languages, composed of the phrases in `phrases/`.

A file has the parts `refuse` (whole refusals), `reason` (a clause that says why), `after` (what may
follow one), `preface` (what sounds like a refusal before an answer), `answer` (answers, many of
them with words of refusals), `apology` (how a refusal may begin), `brief refuse` and `brief answer`
(whole answers of few words) and `object` (what `<o>` stands for). `{a|b|}` is one of its
alternatives.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from public_answers import Labelled

FOLDER = Path(__file__).with_name("phrases")
_CHOICE = re.compile(r"\{([^{}]*)\}")
_UNSPACED = frozenset({"zh", "zh-Hant", "ja", "th"})
_FREQUENT = frozenset(["zh", "ja", "ko", "ar", "hi", "ru", "de", "fr", "es", "pt", "it"])
_QUOTES = ('"{}"', "“{}”", "«{}»", "„{}“")
_REPEATED = 6
"""How often an answer of few words is learned: train.py leaves out what is less frequent."""

Phrases = Callable[[str], str]


def languages() -> list[str]:
    """Return the languages that there are phrases of."""
    return sorted(file.stem for file in FOLDER.glob("*.txt"))


def composed(language: str) -> Iterator[Labelled]:
    """Yield answers in a language that refuse and that don't, the same ones each time."""
    number = 5_000 if language == "en" else 1_200 if language in _FREQUENT else 800
    draw = random.Random(f"{language}0")
    parts = _parts(language)
    phrase = _drawing(parts, draw)
    gap = "" if language in _UNSPACED else " "
    answers: dict[str, int] = {}
    for _ in range(number):
        answers.setdefault(_varied(_refusal(phrase, draw, gap), draw), 1)
        answers.setdefault(_varied(_answer(phrase, draw, gap), draw), 0)
    weight = 1.0 if language == "en" else 0.5
    for text, label in answers.items():
        yield Labelled(text, label, f"phrases {language}", weight)
    yield from _brief(parts, phrase, language, gap)


def _brief(
    parts: dict[str, list[str]], phrase: Phrases, language: str, gap: str
) -> Iterator[Labelled]:
    """Yield answers of few words, each often enough for its own weight, and what follows these."""
    for text in parts["brief refuse"]:
        yield from [Labelled(text, 1, f"brief {language}", 0.15)] * _REPEATED
        for _ in range(2):
            yield Labelled(f"{text}.{gap}{phrase('after')}", 1, f"brief {language}", 0.15)
    for text in parts["brief answer"]:
        yield from [Labelled(text, 0, f"brief {language}", 0.4)] * _REPEATED
        yield Labelled(f"{text}.{gap}{phrase('answer')}", 0, f"brief {language}", 0.3)


def _parts(language: str) -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    for line in (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            lines = parts.setdefault(line[2:], [])
        elif line.strip():
            lines.append(line.replace("\\n", "\n"))
    return parts


def _drawing(parts: dict[str, list[str]], draw: random.Random) -> Phrases:
    def phrase(part: str) -> str:
        text = draw.choice(parts.get(part, parts["after"]))
        while choice := _CHOICE.search(text):
            chosen = draw.choice(choice[1].split("|"))
            text = f"{text[: choice.start()]}{chosen}{text[choice.end() :]}"
        if "<o>" in text:
            text = text.replace("<o>", draw.choice(parts["object"]))
        return _capital(re.sub(r"([.!?。])\.", r"\1", text))

    return phrase


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _refusal(phrase: Phrases, draw: random.Random, gap: str) -> str:
    kind, text = draw.random(), phrase("refuse")
    if draw.random() < 0.08:
        text = f"{phrase('apology')}{text[:1].lower()}{text[1:]}"
    if kind < 0.30:
        return text + draw.choice([gap, "\n\n"]) + phrase("after")
    if kind < 0.42:
        return gap.join([text, phrase("after"), phrase("after")])
    if kind < 0.48:
        return gap.join([text, phrase("refuse")])
    if kind < 0.62:
        reason, joint = phrase("reason"), draw.choice([":", ";", ",", " -", "."])
        because = f"{text.rstrip('.!。।')}{joint}{gap}{reason[:1].lower()}{reason[1:]}"
        return because + draw.choice([".", "", f".{gap}{phrase('after')}"])
    if kind < 0.66:
        return gap.join([text, phrase("refuse"), phrase("after")])
    return text


def _answer(phrase: Phrases, draw: random.Random, gap: str) -> str:
    kind = draw.random()
    if kind < 0.35:
        return phrase("answer")
    if kind < 0.48:
        return gap.join([phrase("answer"), phrase("answer")])
    if kind < 0.54:
        return "\n\n".join([phrase("answer"), phrase("answer"), phrase("answer")])
    if kind < 0.60:
        quoted = draw.choice(_QUOTES).format(phrase("refuse").split("\n")[0])
        return draw.choice([f"{phrase('answer')}{gap}{quoted}", f"{quoted} - {phrase('answer')}"])
    preface = phrase("preface")
    parts = [f"{preface}{'' if preface[-1] in ' ，' else gap}{phrase('answer')}"]
    return gap.join([*parts, phrase("answer")] if draw.random() < 0.3 else parts)


def _varied(text: str, draw: random.Random) -> str:
    """Return a text in another spelling, now and then."""
    kind = draw.random()
    if kind < 0.12:
        return text.replace("'", "’")
    if kind < 0.16:
        return text.lower()
    if kind < 0.19:
        first, _, rest = text.partition("\n")
        return f"**{first}**\n{rest}".rstrip()
    if kind < 0.21:
        return f"## Answer\n\n{text}"
    return text.rstrip(".。!।") if kind < 0.24 else text
