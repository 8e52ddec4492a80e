"""Answers that make whoever reads them go back and forth: `main` reads them with everything that
reads answers, and prints what it does."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from zlib import crc32

from support.examples import FUZZING

from lve.errors import LveError

REPEATED = [
    *"(){}[]<>\"'`\\/*$.,:;-+_1aA \t\n\r\x1c\x85\u0301\u0663\ud800\u4e00",
    *("Answer:", "answer ", "the answer is ", "option   ", "choice: ", "Answer: option "),
    *("\u7b54\u6848", "\u7b54\u6848 ", "\u9009\u62e9\u662f", "\uff1a ", "A ", " A.", "(A"),
    *("<think>", "</think>", "<think></think>", "<a>", "</a>", "<a></a>"),
    *("\\boxed{", "\\boxed{}", "{{", "{}", "[]", "[{", '{"a":', '["', '["a",', '{"a": 1 ', "[1,"),
    *("[1e", "\\u00", "```", "```\n", "```json\n", "```a ", "1,000", ",111", "1.", "-1", "1e1"),
    *("1e999 ", "i ", "i can not ", "i am unable to ", "the ", "word ", "a@", "x\n", "'a"),
]
"""What is repeated, alone and with something before and after it."""


def texts(length: int) -> Iterator[str]:
    """Yield answers of about `length` characters."""
    for part in REPEATED:
        many = part * (length // len(part))
        yield many
        yield many + " x"
        yield "Answer:" + many + "x"
        yield '["' + many
    yield ("[" + "1," * 500) * (length // 1001)
    yield "[" * 500 + '"' + "a" * length
    yield ("answer" + " " * 1000) * (length // 1006)
    yield "der a ist " * (length // 10)
    yield ", " * (length // 2)
    yield "answer" + " " * length + "option" + " " * length + "is" + " " * length + "x"


def texts_for(reader: str, length: int) -> list[str]:
    """Return the answers that a reader gets. In `make test` they are a third of all, other ones for
    each reader, which is at least one with each repeated part."""
    part = 1 if FUZZING else 3
    return list(texts(length))[crc32(reader.encode()) % part :: part]


def readers() -> dict[str, Callable[[str], object]]:
    """Return everything that reads answers, by name."""
    from lve.checkers.base import CheckContext
    from lve.checkers.extract.extractors import EXTRACTORS, make_extractor
    from lve.checkers.extract.first_or_last_number import EXTRACTS, extract_number
    from lve.documents.lenient_json import json_values, why_no_json
    from lve.documents.mended_json import Mend
    from lve.escape import clip, columns, escape, one_line, quoted
    from lve.extensions.opencompass.checks.row_choice_check import named_label
    from lve.extensions.refusals.refuse_checker import RefuseChecker
    from lve.extensions.similarity.metrics import METRICS

    arguments = {
        "xml-tag": {"tag": "a"},
        "last-tag": {"tag": "a"},
        "pattern": {"pattern": r"(?:answer|\d+)\s*:"},
    }
    found: dict[str, Callable[[str], object]] = {
        name: make_extractor({"type": name, **arguments.get(name, {})}) for name in EXTRACTORS
    }
    for name in ("option", "first-option"):
        found[f"{name}: Q"] = make_extractor({"type": name, "options": "Q"})
    for extract in EXTRACTS:
        found[extract] = lambda text, extract=extract: extract_number(text, extract)
    for name in ("accuracy", "em", "exact_match", "f1"):
        found[name] = lambda text, name=name: METRICS[name](text, "the cat sat on the mat")
    return {
        **found,
        **{
            f"json: {mend.name}": lambda text, mend=mend: [*json_values(text, mend)]
            for mend in Mend
        },
        "json: fences": lambda text: [*json_values(text, Mend.breaks, fences_first=True)],
        "why no json": why_no_json,
        "refuse": lambda text: RefuseChecker().check_response(text, CheckContext(())),
        "label": lambda text: named_label(text, ["Yes", "No"]),
        "quoted": quoted,
        "escape": escape,
        "one line": lambda text: one_line(text, 80),
        "clip": lambda text: clip(text, 80),
        "columns": columns,
    }


def main() -> None:
    """Read every text with the readers whose names match; say which before, so that one knows
    which one never ended."""
    length, names = int(sys.argv[1]), re.compile(sys.argv[2])
    for name, read in readers().items():
        if names.fullmatch(name):
            for text in texts_for(name, length):
                print(name, ascii(text[:30]), flush=True)
                # no JSON in it, or a search that was given up in time
                with suppress(ValueError, LveError):
                    read(text)
