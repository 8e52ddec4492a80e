"""The filters of `extract`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.arguments import ArgumentError
from lve.checkers.extract.extractors import FILTERS, make_extractor
from lve.checkers.judging_limits import LimitError

NUMBER = r"(-?[$0-9.,]{2,})|(-?[0-9]+)"


@pytest.mark.parametrize(
    ("extract", "text", "becomes"),
    [
        ({"type": "match", "pattern": r"#### (\d+)"}, "so #### 12 or #### 13", "12"),
        ({"type": "match", "pattern": r"#### (\d+)", "group": -1}, "#### 12 or #### 13", "13"),
        ({"type": "match", "pattern": NUMBER, "group": -1}, "7 boxes of $1,000", "$1,000"),
        ({"type": "match", "pattern": NUMBER, "group": -1}, "12 boxes of 7", "7"),
        ({"type": "match", "pattern": r"( \w+ )"}, "a bc d", "bc"),
        ({"type": "match", "pattern": r"\d", "otherwise": "[invalid]"}, "none", "[invalid]"),
        ({"type": "match", "pattern": r"\d", "group": 2, "otherwise": "few"}, "1 2", "few"),
        ({"type": "match", "pattern": r"(a?)(b?)x", "otherwise": "no"}, "x", "no"),
        ({"type": "map", "mapping": {"seven": "7"}}, "seven", "7"),
        ({"type": "map", "mapping": {"seven": "7"}, "otherwise": "0"}, "Seven", "0"),
        ({"type": "replace", "pattern": r"\s+", "by": r"\1"}, "a  b", r"a\1b"),
        ({"type": "replace", "pattern": ","}, "1,000,000", "1000000"),
        ("trim", " a b\n", "a b"),
        ("lowercase", "ÄB", "äb"),
        ("uppercase", "äb", "ÄB"),
        (["lowercase", {"type": "match", "pattern": "b+"}, "uppercase"], "aBbc", "BB"),
    ],
)
def test_a_text_becomes_another(extract: Any, text: str, becomes: str) -> None:
    assert make_extractor(extract)(text) == becomes


@pytest.mark.parametrize(
    ("extract", "message"),
    [
        ({"type": "match"}, "'match': it needs 'pattern'"),
        ({"type": "match", "pattern": "("}, "extractor 'match': "),
        ({"type": "match", "pattern": "a", "group": "1"}, "'group' is a whole number, not '1'"),
        ({"type": "match", "pattern": "a", "group": True}, "'group' is a whole number, not True"),
        ({"type": "match", "pattern": 1}, "'pattern' is a text, not 1"),
        ({"type": "map", "mapping": {"a": 1}}, "'mapping' has at most 10,000 texts for texts"),
        ({"type": "map", "mapping": ["a"]}, "'mapping' is an object"),
        ({"type": "trim", "of": "x"}, "'trim': it has no argument 'of'"),
        (
            {"type": "replace", "pattern": "a", "with": "b"},
            "has no argument 'with'; it has pattern",
        ),
    ],
)
def test_a_wrong_one_is_refused(extract: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=r"^extractor ") as caught:
        make_extractor(extract)
    assert message in str(caught.value)


def test_a_slow_pattern_ends() -> None:
    for kind in ("match", "replace"):
        with pytest.raises(LimitError):
            make_extractor({"type": kind, "pattern": "(a|a)*$"})("a" * 40 + "b")


def test_all_have_an_example_here() -> None:
    own = {"match", "map", "replace", "trim", "lowercase", "uppercase"}
    rest = {"promptfoo_script", "promptfoo_calls"}  # tests/extensions/promptfoo_scripts
    assert {*FILTERS} - own == rest


def test_a_test_judges_what_is_left(tmp_path: Path) -> None:
    check = {
        "exact_match": "{answer}",
        "normalise": "none",
        "regexes_to_ignore": [",", "\\$"],
        "extract": [{"type": "match", "pattern": NUMBER, "group": -1}],
    }
    rows = [{"answer": "1000"}]
    judge = judge_of(check, tmp_path, dataset=rows)
    for answer, expected in (("2 boxes: $1,000", "passed"), ("1000 of 7", "failed")):
        verdict = judge_answers(judge, answer, args=rows[0])
        assert verdict.outcome == expected, verdict.reason
