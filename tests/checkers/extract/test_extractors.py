"""Extractors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.folders import write_test

import lve
from lve.checkers.arguments import ArgumentError
from lve.checkers.extract.extractors import EXTRACTORS, make_extractor

CASES = Path(__file__).parents[2] / "cases/checkers"
UPSTREAM = json.loads((CASES / "extracted_upstream.json").read_text(encoding="utf-8"))
"""Texts of our own, and what OpenCompass' functions find in them."""


@pytest.mark.parametrize(
    ("extract", "text", "found"),
    [
        ("general", "The answer, of course: 42.", "answer"),
        ("general", "An apple", "apple"),
        ("first-capital", "it is B, not C", "B"),
        ("last-capital", "it is B, not C", "C"),
        ("first-capital-multi", "so BD then A", "BD"),
        ("multiple-select", "B and D, and B", "BD"),
        ("option", "A is tempting, but the answer is (C).", "C"),
        ("option", "Answer: **D**", "D"),
        ("option", "The correct answer is option B", "B"),
        ("option", "so \\boxed{B}", "B"),
        ("option", "所以答案是：C", "C"),
        ("option", "B. because", "B"),
        ("option", "it must be D", "D"),
        ("option", "### Answer\n\nD", "D"),
        ("option", "Let's look at each option:\n\nA) red\nB) blue\n\nSo it is B", "B"),
        ("option", "The answer is B. A is too small", "B"),
        ("option", "Option: B\nA would be too small", "B"),
        ("option", "### Answer", ""),
        ("option", "The answer is A. No: the answer is C.", "C"),
        ({"type": "option", "options": "XY"}, "I say Y", "Y"),
        ({"type": "option", "cushion": False}, "xAx", ""),
        ({"type": "last-option", "options": "AB"}, "A or B or C", "B"),
        ("float_first", "between -3.5 and 7", "-3.5"),
        ("int_first", "3.5 of 7", "7"),
        ("last-number", "it is 9007199254740993", "9007199254740993"),
        ("last-number", "$1,234.50", "1234.5"),
        ("last-number", "1e3", "1000"),
        ("last-number", "-0.0", "0"),
        ("last-number", "2 + 2 = 1,004", "1004"),
        ("last-number", "none", ""),
        ({"type": "last-tag", "tag": "<answer>"}, "<answer>a</answer> <answer> b\n</answer>", "b"),
        ({"type": "last-tag", "tag": "answer"}, "<answer>open", ""),
        ("strip-think", "<think>hm</think> 4 <think>x</think>!", "4 !"),
        ("strip-think", "hm</think> 4", "4"),
        ("strip-think", "<think>no end", ""),
        ("strip-think", "◁think▷hm◁/think▷4", "4"),
        ({"type": "strip-think", "start": "<r>", "end": "</r>"}, "<r>hm</r>4<r>no end", "4"),
        ("extract_non_reasoning_content", "<think>no end", "<think>no end"),
        ("boxed", "\\boxed{1} or \\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("first-line", "\n\n one\ntwo", "one"),
        ("last-line", "one\ntwo\n\n", "two"),
        ({"type": "pattern", "pattern": "is (\\d+)"}, "it is 42", "42"),
        (["strip-think", "last-number"], "<think>7</think>it is 8", "8"),
    ],
)
def test_the_part_that_counts_is_found(extract: Any, text: str, found: str) -> None:
    assert make_extractor(extract)(text) == found


@pytest.mark.parametrize("case", UPSTREAM, ids=lambda case: repr(case["text"]))
def test_a_name_of_upstream_finds_what_upstream_finds(case: dict[str, Any]) -> None:
    assert make_extractor(case["extract"])(case["text"]) == case["found"]


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


NEEDS_ARGUMENTS = {"xml-tag": {"tag": "a"}, "last-tag": {"tag": "a"}, "pattern": {"pattern": "x"}}


@pytest.mark.parametrize("extract", ["int_last", "float_first", ["strip-think", "int_last"]])
@pytest.mark.parametrize("check", [{"not_contains": "5"}, {"max_words": 3}], ids=str)
def test_an_answer_without_the_number_fails_with_any_check(
    root: Path, extract: Any, check: dict[str, Any]
) -> None:
    write_test(root / "t", check={**check, "extract": extract}, checker_args=None)
    assert passed(lve.run("t", model=lve.ScriptedModel(["I don't know"]))) == [False]
    assert passed(lve.run("t", model=lve.ScriptedModel(["7"]))) == [True]


def passed(result: lve.RunResult) -> list[bool]:
    return [each.verdict == "passed" for each in result.results]


def test_an_empty_text_is_judged_where_no_number_is_asked_for(root: Path) -> None:
    write_test(root / "t", check={"not_contains": "5", "extract": "boxed"}, checker_args=None)
    assert passed(lve.run("t", model=lve.ScriptedModel(["I don't know"]))) == [True]


@given(st.text(), st.sampled_from(sorted(EXTRACTORS)))
def test_no_text_breaks_an_extractor(text: str, name: str) -> None:
    extract = make_extractor({"type": name, **NEEDS_ARGUMENTS.get(name, {})})
    assert isinstance(extract(text), str)


@pytest.mark.parametrize(
    ("given", "text", "found"),
    [
        ("first_capital_postprocess", "it is B", "B"),
        ({"type": "match_answer_pattern", "answer_pattern": "is (.)"}, "it is B", "B"),
        ({"type": "opencompass.utils.first_option_postprocess", "options": "AB"}, "(B)", "B"),
        ("ais_bench.benchmark.utils.last_capital_postprocess", "A or B", "B"),
        (
            {"type": "extract_non_reasoning_content", "think_end_token": "</t>"},
            "hm</t> yes",
            "yes",
        ),
    ],
)
def test_upstreams_functions_may_be_named_as_its_dumps_name_them(
    given: Any, text: str, found: str
) -> None:
    assert make_extractor(given)(text) == found
