"""Makes the table of letter sequences by which languages are told apart.

    .venv/bin/python benchmarks/language_model/learn.py FOLDER [--write]

FOLDER keeps the sentences; those that are missing are fetched (README.md beside this file names
their source and its licence; sources.json has a hash of each file). Learns from the first 700
sentences of each language, and prints how many of the others are recognized. With `--write` the
table is written to lve/checkers/extract/language_grams.tsv.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import urllib.request
from collections import Counter
from collections.abc import Sequence
from math import log
from pathlib import Path

from lve.checkers.extract.language import GRAMS, grams_of, language_of

HERE = Path(__file__).parent
ADDRESS = (
    "https://raw.githubusercontent.com/pemistahl/lingua-py/"
    "754ce21122c083a7200763015fdaf7cda8d85453/language-testdata/sentences/"
)
GROUPS = (
    "en de fr es it pt nl sv da no fi pl cs sk hu ro ca tr vi id tl af et lv lt sl hr sq is ga cy"
    " eu eo sw az",
    "ru uk bg sr be mk kk mn",
    "ar fa ur",
    "hi mr ne",
)
"""Languages of one script, the likeliest first."""
FREQUENT = {"en": 40, "ru": 35, "ar": 25, "hi": 15}
OFTEN = "de fr es it pt nl sv da no pl tr vi cs hu ro uk fa ur"
"""Languages that answers are often in: what they count in a text of any words, in steps; those
that are often used, too."""
LEARNED = 700
"""How many sentences of a language are learned from."""
PER_LANGUAGE = {"en": 500, "ru": 1000, "ar": 1000, "hi": 1000}
"""How many sequences a language contributes, by the first of its group: more where a line is short,
as few languages share it."""
_FEWEST = 4
_STEPS = 5
"""Steps per natural logarithm."""
_RARE = 1e-5
"""What is rarer than this doesn't count."""
_REPEATED = 8
"""How often the text of common words, which are all kept, is learned."""
_OF_COMMON_WORDS = 20
"""What such a word counts besides in its language, in steps: short answers consist of them."""
_COMMON = 40
"""How many of the words of a language's sentences are common ones, too."""
_OF_LETTERS = 20
"""What a single letter counts at most: whether a language has it says more than how often."""


def main(arguments: Sequence[str]) -> None:
    """Train, and measure or write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    if options.write:
        tables = [table(group.split(), options.folder) for group in GROUPS]
        GRAMS.write_text("\n\n".join(tables) + "\n", encoding="utf-8")
        print(f"{GRAMS.name}: {GRAMS.stat().st_size:,} bytes")
    for name in " ".join(GROUPS).split():
        rows = sentences(name, options.folder)[LEARNED:]
        right = sum(language_of(row) == name for row in rows)
        print(f"{name}: {right} of {len(rows)} sentences that weren't learned")


def sentences(name: str, folder: Path) -> list[str]:
    """Return the sentences of a language.

    Raises:
        ValueError: if the file isn't the one that the table was made from.
    """
    code = {"no": "nb"}.get(name, name)
    hashes = json.loads((HERE / "sources.json").read_text("utf-8"))
    if code not in hashes:
        return []
    file = folder / f"sentences-{code}.txt"
    if not file.exists():
        with urllib.request.urlopen(f"{ADDRESS}{code}.txt", timeout=60) as reply:
            file.write_bytes(reply.read())
    data = file.read_bytes()
    if hashlib.sha256(data).hexdigest() != hashes[code]:
        raise ValueError(f"{file}: not the file that the table was made from; delete it")
    return data.decode("utf-8").splitlines()


def table(names: list[str], folder: Path) -> str:
    """Return the part of the file for the languages of one script: their codes, then a line for
    each sequence with a character for each language, from `!` (rare) upwards."""
    common: dict[str, str] = json.loads((HERE / "common_words.json").read_text("utf-8"))
    counts = {}
    for name in names:
        learned = sentences(name, folder)[:LEARNED]
        learned += [common.get(name, "")] * _REPEATED
        counts[name] = Counter(gram for text in learned for gram in grams_of(text))
    shares = {name: _shares(counter) for name, counter in counts.items()}
    kept = {
        gram
        for name in names
        for gram in _telling(name, counts[name], shares)[: PER_LANGUAGE[names[0]]]
    }
    kept |= {gram for counter in counts.values() for gram in counter if _is_letter(gram, counter)}
    kept |= {gram for name in names for gram in grams_of(common.get(name, "")) if gram[3:]}
    likely = (FREQUENT.get(name, 15 * (name in OFTEN.split())) for name in names)
    lines = [" ".join(names), "\t" + "".join(chr(ord("!") + steps) for steps in likely)]
    words = {
        name: {*grams_of(common.get(name, "")), *_most_common_words(counts[name])} for name in names
    }
    for gram in sorted(kept):
        steps = [
            _steps(gram, shares[name]) + _OF_COMMON_WORDS * (bool(gram[3:]) and gram in words[name])
            for name in names
        ]
        lines.append(f"{gram}\t{''.join(chr(ord('!') + min(step, 93)) for step in steps)}")
    return "\n".join(lines)


def _is_letter(gram: str, counter: Counter[str]) -> bool:
    return len(gram) == 1 and counter[gram] >= _FEWEST


def _most_common_words(counter: Counter[str]) -> list[str]:
    words = Counter({gram: count for gram, count in counter.items() if gram[3:]})
    return [word for word, _ in words.most_common(_COMMON)]


def _shares(counter: Counter[str]) -> dict[str, float]:
    total = sum(counter.values())
    return {gram: count / total for gram, count in counter.items()}


def _telling(name: str, counter: Counter[str], shares: dict[str, dict[str, float]]) -> list[str]:
    """Return sequences, the one that says most about whether a text is in a language first."""
    others = [table for other, table in shares.items() if other != name]
    size = sum(counter.values())

    def weight(gram: str) -> float:
        elsewhere = sum(table.get(gram, 0.3 / size) for table in others) / len(others)
        return shares[name][gram] * abs(log(shares[name][gram] / elsewhere))

    frequent = [gram for gram, count in counter.items() if count >= _FEWEST]
    return sorted(frequent, key=lambda gram: (-weight(gram), gram))


def _steps(gram: str, shares: dict[str, float]) -> int:
    step = round(_STEPS * log(1 + shares.get(gram, 0.0) / _RARE))
    return min(step, _OF_LETTERS) if len(gram) == 1 else step


if __name__ == "__main__":
    main(sys.argv[1:])
