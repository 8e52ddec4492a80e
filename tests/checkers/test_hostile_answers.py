"""Reading an answer takes time proportional to its length, whatever its content."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.forked import python
from support.judging import judge_answers, spec_with

from checkers import hostile_answers
from lve.checkers.arguments import ArgumentError
from lve.checkers.extract.extractors import make_extractor
from lve.checkers.extract.options import option
from lve.checkers.judging_limits import MAX_ITEMS
from lve.checkers.library.formats.json_value import values_in
from lve.checkers.resolve import resolve
from lve.checkers.shape.reasoning import non_reasoning_content

SCRIPT = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from checkers.hostile_answers import main
main()
"""
LENGTHS = {"strip-think": 1_400_000, "non-reasoning-content": 1_400_000}
"""Characters, where it takes many of them to see that something goes back and forth."""


def readers_of_a_process() -> list[list[str]]:
    """Return the names of readers, about four for each process: to start one takes as long as most
    of them. Those of numbers, which take longest, are in different ones."""
    short = [name for name in hostile_answers.readers() if name not in LENGTHS]
    processes = len(short) // 4
    return [*([name] for name in LENGTHS), *(short[at::processes] for at in range(processes))]


@pytest.mark.parametrize("names", readers_of_a_process(), ids=lambda names: names[0])
def test_every_text_is_read_to_its_end(names: list[str]) -> None:
    """In a process of their own: what goes back and forth never ends."""
    length = str(LENGTHS.get(names[0], 20_000))
    done = subprocess.run(
        [*python(), "-c", SCRIPT, length, "|".join(map(re.escape, names))],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    texts = sum(len(hostile_answers.texts_for(name, 1000)) for name in names)
    assert len(done.stdout.splitlines()) == texts


@pytest.mark.parametrize("blanks", ["", " ", " \n ", "  "])
@pytest.mark.parametrize("colon", ["", ":", "\uff1a"])
@pytest.mark.parametrize(
    "start", ["answer is", "Answer:", "\u7b54\u6848\u662f", "choice is option"]
)
def test_option_is_found_behind_blanks_and_colons(start: str, colon: str, blanks: str) -> None:
    assert option(f"So the {start}{blanks}{colon}{blanks}(B) A C", cushion=False) == "B"


_WORDS = st.sampled_from(["<think>", "</think>", "a", " ", "b\n"])


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(_WORDS, max_size=12).map("".join))
def test_think_is_stripped_from_left_to_right(text: str) -> None:
    assert non_reasoning_content(text) == _stripped(text)


def _stripped(text: str) -> str:
    """The same, by a regular expression."""
    if "<think>" not in text:
        return text.rpartition("</think>")[2].strip()
    return re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL).strip()


def test_json_after_many_unclosed_brackets_is_found() -> None:
    prose = "see [1, [2, [3, {x} [y] {z: 1} " * 10
    assert values_in(f'{prose} {{"a": [1, 2]}} [3')[-1] == {"a": [1, 2]}


def test_json_is_given_up_where_every_bracket_leads_to_the_end() -> None:
    start = time.process_time()
    assert values_in(("[" + "1," * 500) * 2000 + "{}") == []
    assert values_in("[1," * 900 + '"' + "a" * 5_000_000) == []
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("extractor", "message"),
    [
        ({"type": "strip-think", "start": ""}, "'start' is a text, and not empty"),
        ({"type": "strip-think", "end": ""}, "'end' is a text, and not empty"),
        ({"type": "xml-tag", "tag": 5}, "'tag' is a text"),
        ({"type": "first-option", "options": ""}, "'options' is a text, and not empty"),
        ({"type": "option", "options": "A-D"}, "letters or digits without anything between"),
        ({"type": "last-option", "options": "A" * (MAX_ITEMS + 1)}, "more than 100 letters"),
        ({"type": "first-option", "cushion": "no"}, "'cushion' is true or false"),
    ],
)
def test_argument_that_can_only_do_harm_is_refused(extractor: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make_extractor(extractor)


def test_comparing_two_long_texts_ends(tmp_path: Path) -> None:
    checker = {"checker_name": "FuzzyMatchChecker", "text": "ab" * 100_000, "threshold": 0.5}
    judge = resolve(spec_with(tmp_path / "t", checker_args=checker))
    start = time.monotonic()
    try:
        verdict = judge_answers(judge, "ba" * 100_000 + "c")
    finally:
        judge.stop()
    assert time.monotonic() - start < 30
    assert verdict.outcome in ("error", "failed")  # as fast as the machine is
