"""A search keeps its deadline, even where the `regex` package checks it too late."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with

from lve import regexes
from lve.checkers.by_name import load_builtin
from lve.checkers.resolve import resolve
from lve.errors import CheckerError
from lve.prompts.answers.answer_format import mismatch

TEXT = "a" * 2_000_000
LONG = "b" + "a" * 19_000
"""Its last letters fit everywhere, the first nowhere: 38,000,000,000 comparisons."""
SET = "[" + "".join(map(chr, range(0x100, 0x4F00, 2))) + "]"
"""Each letter of a text is compared with all of it."""
OPTIONAL = "a?" * 3_000 + "a" * 3_000


@pytest.mark.parametrize(
    ("checker", "text"),
    [
        ({"checker_name": "RegexChecker", "pattern": LONG, "match_safe": True}, TEXT),
        ({"checker_name": "RegexChecker", "pattern": OPTIONAL, "match_safe": True}, "a" * 3_000),
        ({"checker_name": "LambdaChecker", "func": f"lambda r: re.search('{SET}', r)"}, TEXT * 2),
        (
            {"checker_name": "RefuseChecker", "extract": {"type": "pattern", "pattern": LONG}},
            TEXT,
        ),
    ],
    ids=["literal", "optional", "set", "extractor"],
)
def test_deadline_holds(
    checker: dict[str, Any], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Shorter than for users: until then, the search computes.
    monkeypatch.setattr(load_builtin(checker["checker_name"]), "limit_s", 0.7)
    judge = resolve(spec_with(tmp_path / "t", checker_args=checker))
    start = time.monotonic()
    try:
        verdict = judge_answers(judge, text)
    finally:
        judge.stop()
    assert time.monotonic() - start < 30
    assert verdict.outcome == "error"


def test_honest_search_in_a_long_answer_is_done(tmp_path: Path) -> None:
    pattern = r"(?i)\bthe answer is (\d+|none of the above)\."
    checker = {"checker_name": "RegexChecker", "pattern": pattern, "match_safe": True}
    judge = resolve(spec_with(tmp_path / "t", checker_args=checker))
    try:
        verdict = judge_answers(judge, "So it goes. " * 100_000 + "The answer is 42.")
    finally:
        judge.stop()
    assert verdict.outcome == "passed", verdict.reason


def test_pattern_of_a_schema_gives_up_before_it_begins() -> None:
    with pytest.raises(CheckerError, match="a pattern takes too long on it"):
        mismatch({"pattern": LONG}, TEXT)


def test_honest_pattern_of_a_schema_reads_a_long_text() -> None:
    assert mismatch({"pattern": "^[A-Za-z ]+$"}, TEXT) is None


@pytest.mark.parametrize(
    ("pattern", "step"),
    [("abc", 3), ("[a-z]", 1), ("a|b|c", 3), ("(abc)(?:def)gh", 8), ("abcd|ab", 4)],
)
def test_step_is_the_longest_literal_or_the_number_of_different_characters(
    pattern: str, step: int
) -> None:
    assert regexes.compile_pattern(pattern).step >= step
    assert regexes.longest_step(regexes.compile_pattern(pattern), "x" * 10, 0) >= 10 * step
