"""Recognizes the language of a text by its script and its most common words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

MAX_READ = 20_000
"""The most characters of a text that are read."""
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", r"[\u3040-\u30ff]"),
    ("ko", r"[\uac00-\ud7af]"),
    ("zh", r"[\u3400-\u9fff]"),
    ("th", r"[\u0e00-\u0e7f]"),
    ("hi", r"[\u0900-\u097f]"),
    ("he", r"[\u0590-\u05ff]"),
    ("el", r"[\u0370-\u03ff]"),
    ("fa", r"[پچژگ]"),
    ("ar", r"[\u0600-\u06ff]"),
    ("uk", r"[іїєґ]"),
    ("ru", r"[\u0400-\u04ff]"),
)
_WORDS: Mapping[str, str] = {
    "en": "the and is of to in that it for was with as you are this be on not have by from at",
    "de": "der die das und ist nicht ein eine ich zu mit auf den von sich dem es für im sie auch",
    "fr": "le la les et est des une dans que pour pas qui sur il elle avec du ce sont très vous",
    "es": "el la los y es en que de una por con para las del se no su como muy más está",
    "it": "il la di che è e un una per non con sono gli del della nel anche più questo come",
    "pt": "o a os e é em que um uma para com não do da no na dos mais como por são muito",
    "nl": "de het een en is van dat niet op te zijn met voor er aan ook als maar ik deze",
    "sv": "och att det är som en på för med inte av till den har jag ett om men var de",
    "da": "og at det er som en på for med ikke af til den har jeg et om men de i der",
    "pl": "i w nie na się że jest to do z jak ale o co tak po czy za przez są",
    "tr": "ve bir bu için ile de da çok olarak olan daha en gibi ne değil kadar var mi",
    "vi": "và là của có không một được cho trong người các này với những đã để tôi",
    "id": "dan yang di itu dengan untuk tidak ini dari dalam akan pada juga saya adalah ke",
}
LANGUAGES = (*_WORDS, *(name for name, _ in _SCRIPTS))
"""Codes of the known languages."""
_FREQUENT = {name: frozenset(words.split()) for name, words in _WORDS.items()}
_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in _SCRIPTS)
_FEWEST = 2
"""The fewest common words by which a language is recognized."""


def language_of(text: str) -> str | None:
    """Return the code of a text's language; None if it isn't recognized."""
    text = text[:MAX_READ].lower()
    letters = sum(map(str.isalpha, text))
    for name, pattern in _COMPILED:
        characters = len(pattern.findall(text))
        share = 0.02 if name in ("ja", "fa", "uk") else 0.3
        if characters and characters >= share * letters:
            return name
    words = Counter(re.findall(r"[^\W\d_]+", text))
    scores = {
        name: sum(count for word, count in words.items() if word in frequent)
        for name, frequent in _FREQUENT.items()
    }
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= _FEWEST else None
