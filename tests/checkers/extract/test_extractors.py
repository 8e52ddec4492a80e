"""What is found in an answer before it is judged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.checkers.arguments import ArgumentError
from lve.checkers.extract.extractors import EXTRACTORS, make_extractor


@pytest.mark.parametrize(
    ("extract", "text", "found"),
    [
        ("general", "The answer, of course: 42.", "answer"),
        ("general", "An apple", "apple"),
        ("first-capital", "it is B, not C", "B"),
        ("last-capital", "it is B, not C", "C"),
        ("first-capital-multi", "so BD then A", "BD"),
        ("multiple-select", "B and D, and B", "BD"),
        ("first-option", "A is tempting, but the answer is (C).", "C"),
        ("first-option", "Answer: **D**", "D"),
        ("first-option", "The correct answer is option B", "B"),
        ("first-option", "so \\boxed{B}", "B"),
        ("first-option", "所以答案是：C", "C"),
        ("first-option", "B. because", "B"),
        ("first-option", "it must be D", "D"),
        ({"type": "first-option", "options": "XY"}, "I say Y", "Y"),
        ({"type": "first-option", "cushion": False}, "xAx", ""),
        ({"type": "last-option", "options": "AB"}, "A or B or C", "B"),
        ("first-number", "between -3.5 and 7", "-3.5"),
        ("last-number", "2 + 2 = 1,004", "1004"),
        ("last-number", "none", ""),
        ({"type": "xml-tag", "tag": "<answer>"}, "<answer>a</answer> <answer> b\n</answer>", "b"),
        ({"type": "xml-tag", "tag": "answer"}, "<answer>open", ""),
        ("strip-think", "<think>hm</think> 4 <think>x</think>!", "4 !"),
        ("strip-think", "hm</think> 4", "4"),
        ("strip-think", "<think>no end", "<think>no end"),
        ("boxed", "\\boxed{1} or \\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("first-line", "\n\n one\ntwo", "one"),
        ("last-line", "one\ntwo\n\n", "two"),
        ({"type": "pattern", "pattern": "is (\\d+)"}, "it is 42", "42"),
        (["strip-think", "last-number"], "<think>7</think>it is 8", "8"),
        ({"type": "specific-xml-tag", "tag": "<a>"}, "<a>1</a>", "1"),
    ],
)
def test_the_part_that_counts_is_found(extract: Any, text: str, found: str) -> None:
    assert make_extractor(extract)(text) == found


@pytest.mark.parametrize(
    ("extract", "message"),
    [
        ("last-leter", "there is no extractor 'last-leter'"),
        ({"type": "xml-tag"}, "missing a required (keyword-only )?argument: 'tag'"),
        ({"type": "pattern", "pattern": "("}, "pattern"),
        (3, "'extract' is a name"),
    ],
)
def test_a_wrong_extractor_is_explained(extract: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make_extractor(extract)


NEEDS_ARGUMENTS = {"xml-tag": {"tag": "a"}, "pattern": {"pattern": "x"}}


@given(st.text(), st.sampled_from(sorted(EXTRACTORS)))
def test_no_text_breaks_an_extractor(text: str, name: str) -> None:
    extract = make_extractor({"type": name, **NEEDS_ARGUMENTS.get(name, {})})
    assert isinstance(extract(text), str)
