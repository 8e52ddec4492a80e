"""Formats, ranges, samples and words of OpenCompass, one rule each."""

from __future__ import annotations

import json

from support.recorded_calls import Calls, changed, grid, record, rows_of

from lve.extensions.opencompass import dialogue
from lve.extensions.opencompass.data.tables import input_text, pick_range
from lve.extensions.opencompass.formats.well_known import META_TEMPLATES, resolve_meta_template
from lve.extensions.opencompass.inferencers import rating
from lve.extensions.opencompass.retrievers.bm25 import words
from lve.extensions.opencompass.retrievers.numpy_random import numpy_generator, permutation
from lve.extensions.opencompass.retrievers.retriever import seed_number, whole_number
from lve.extensions.opencompass.rows.row_writer import word_count

TEXTS = (
    "",
    "Hello, world!",
    "It's John's can't won't I'll you've we're they'd.",
    "gonna gotta lemme cannot wanna d'ye 'tis 'twas more'n gimme",
    'He said "no" (twice) -- then... left; why?',
    "$5.50 is 10% of #55 & more @ 3:30 p.m.",
    "a,b 1,000 x/y e-mail [x] {y} <z>",
    "\u4f60\u597d, world \u4e16\u754c",
    "Mr. Smith's U.S. trip.",
    "wait: what",
    "``quoted''",
)
RANGES: tuple[int | float | str, ...] = (
    *(0, -1, 1, 3, 9, 10, 11, 0.5, 0.05, 1.5, "", " ", "[0:3]", "[:3]", "[3:]", "[::2]", "[-2:]"),
    *("[1:8:3]", "[::-1]", "[::0]", "[a:b]", "0:3", "[1]", "[1:2:3:4]", "[ 1 : 2 ]", "[0:3"),
)
NUMBERS = (None, True, 0, 1, -1, 1.0, 1.5, "2", 10**9)
ROW = {"q": "Q", "n": 3, "{q}": "x", "l": ["a"]}
FILLED = ("{q}", "{q} and {n}", "</q>", "{missing}", "{l}", "", "{{q}}", "{q}{q}")


def generated(seed: int) -> list[int]:
    """Return the first numbers of a generator and a permutation."""
    generator = numpy_generator(seed)
    return [generator.getrandbits(32) for _ in range(3)] + permutation(7, generator)


def template(name: str, kind: str, dialect: str) -> str:
    return json.dumps(resolve_meta_template(name, kind, dialect), ensure_ascii=False)


def filled(text: object) -> object:
    return dialogue.fill_columns(text, ROW, stage="template")


def all_calls() -> Calls:
    return {
        **grid(words, TEXTS),
        **grid(word_count, TEXTS),
        **grid(pick_range, (range(10),), RANGES),
        **grid(whole_number, NUMBERS, ("ice_num",), most=(1, 10)),
        **grid(seed_number, NUMBERS),
        **grid(generated, (0, 1, 42)),
        **grid(template, (*META_TEMPLATES, "none"), ("lm", "api"), ("opencompass", "aisbench")),
        **grid(filled, (*FILLED, 3, ["{q}"])),
        **grid(input_text, (ROW,), (["q"], ["q", "n"], [], ["missing"])),
        **rows_of(rating.shared_length, [(["abc", "abd"],), (["a"],), ([""],), (["ab", "ab"],)]),
        **grid(rating.shared_beginning, (["abc", "abd"], ["x", "y"], ["same", "same"])),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("opencompass", all_calls()) == {}


if __name__ == "__main__":
    record("opencompass", all_calls())
