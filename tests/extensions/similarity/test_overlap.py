"""Exact matches with the options of lm-evaluation-harness, TER and chrF++."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, judge_of

from lve.checkers.arguments import ArgumentError, build
from lve.checkers.by_name import load_builtin
from lve.errors import MissingExtraError
from lve.extensions.similarity.metrics import METRICS
from lve.extensions.similarity.overlap import ExactMatch

# answer, text, options, and whether `exact_match` of lm_eval 0.4.13 says 1.
THEIRS: list[tuple[str, str, dict[str, Any], bool]] = [
    ("Paris", "Paris", {}, True),
    ("Paris ", "Paris", {}, False),
    ("Paris\x00", "Paris", {}, True),
    ("paris", "Paris", {}, False),
    ("paris", "PARIS", {"ignore_case": True}, True),
    ("Pa,ris!", "Paris", {"ignore_punctuation": True}, True),
    ("Paris“", "Paris", {"ignore_punctuation": True}, False),
    ("Paris7", "Paris", {"ignore_numbers": True}, True),
    ("$1,000.", "1000", {"regexes_to_ignore": (",", r"\$", r"(?s).*#### ", r"\.$")}, True),
    ("so #### 12", "12", {"regexes_to_ignore": (r"(?s).*#### ",)}, True),
    ("A.B", "ab", {"regexes_to_ignore": (r"\.",), "ignore_case": True}, True),
    ("a", "", {"regexes_to_ignore": ("[a-z]",)}, True),
]


@pytest.mark.parametrize(("answer", "text", "options", "matches"), THEIRS)
def test_exact_match_is_that_of_the_harness(
    answer: str, text: str, options: Any, matches: bool
) -> None:
    assert ExactMatch(text, "none", **options).score(answer, text) == matches


def test_the_options_go_with_none() -> None:
    for name, value in (("ignore_case", True), ("regexes_to_ignore", ("a",))):
        with pytest.raises(ArgumentError, match=f"'{name}' goes with `normalise: none`"):
            ExactMatch("x", **{name: value})


def test_a_wrong_pattern_is_refused() -> None:
    with pytest.raises(ArgumentError):
        ExactMatch("x", "none", regexes_to_ignore=("(",))


def test_any_of_several_texts_may_match(tmp_path: Path) -> None:
    rows = [{"target": ["Oslo", "Christiania"]}]
    check = {"exact_match": "{target}", "normalise": "none"}
    judge = judge_of(check, tmp_path, dataset=rows)
    for answer, expected in (("Christiania", "passed"), ("oslo", "failed")):
        assert judge_answers(judge, answer, args=rows[0]).outcome == expected


@pytest.mark.parametrize(
    ("answer", "text", "score"),
    [("a b c d", "a b c d", 1.0), ("a b x d", "a b c d", 0.75), ("x y z w v u", "a", 0.0)],
)
def test_ter_is_one_minus_the_edits(answer: str, text: str, score: float) -> None:
    pytest.importorskip("sacrebleu")
    assert METRICS["ter"](answer, text) == pytest.approx(score)


def test_chrf_with_words_is_another(tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu")
    said, text = "the cat sits", "the cat sat on it"
    assert METRICS["chrf++"](said, text) != METRICS["chrf"](said, text)
    judge = judge_of({"chrf": text, "words": True, "threshold": 0}, tmp_path)
    verdict = judge_answers(judge, said)
    assert verdict.score == pytest.approx(METRICS["chrf++"](said, text))


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_a_missing_package_is_said_before_anything_is_judged(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    kind = load_builtin(name)
    assert kind is not None
    with pytest.raises(MissingExtraError, match=r"lve\[metrics\]"):
        build(kind, {name: "the cat sat"}).prepare()
