"""Binding the arguments of built-in checkers."""

from __future__ import annotations

from pathlib import Path

import pytest

from lve.checkers.arguments import ArgumentErrors
from lve.checkers.binding.bind import bind
from lve.checkers.by_name import load_builtin
from lve.checkers.contract import CheckContext
from lve.messages import Message, Role, Transcript

ANSWER = CheckContext((Transcript((Message("a: 7", Role.assistant),), filled=(0,)),), {"n": "7"})


def test_a_checker_whose_arguments_are_the_same_for_all_is_made_once(tmp_path: Path) -> None:
    kind = load_builtin("ExactMatchChecker")
    assert kind is not None
    bound = bind(kind, {"pattern": "{{x}}", "match_safe": True}, tmp_path)
    assert bound.constant is not None
    assert "'{x}'" in bound.check_fully(ANSWER).reason


def test_an_instance_fills_the_texts_and_extract_cuts_the_answer(tmp_path: Path) -> None:
    kind = load_builtin("ExactMatchChecker")
    assert kind is not None
    args = {"pattern": "{n}", "match_safe": True, "extract": "first-number"}
    bound = bind(kind, args, tmp_path)
    assert bound.constant is None
    assert bound.check_fully(ANSWER).passed


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"pattern": "x", "extract": "nowhere"}, "no extractor 'nowhere'"),
        ({"pattern": 1}, "'pattern' is a text"),
        ({"pattern": "{"}, "{"),
        ({}, "needs the argument 'pattern'"),
    ],
)
def test_wrong_arguments_are_refused_together(
    tmp_path: Path, args: dict[str, object], said: str
) -> None:
    kind = load_builtin("ExactMatchChecker")
    assert kind is not None
    with pytest.raises(ArgumentErrors) as caught:
        bind(kind, args, tmp_path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("checker", "args", "said"),
    [
        (
            "RegexChecker",
            {"pattern": "(", "match_safe": "yes", "flags": "Q", "extract": "nowhere", "z": 1},
            ["has no argument 'z'", "'match_safe' is", "unknown flag 'Q'", "'('", "'nowhere'"],
        ),
        ("RegexChecker", {"pattern": "("}, ["needs the argument 'match_safe'", "'('"]),
        ("RegexChecker", {"pattern": "{", "match_safe": 1}, ["{", "'match_safe' is"]),
        ("FuzzyMatchChecker", {"text": "{name}", "threshold": 80}, ["from 0 to 1"]),
        ("FuzzyMatchChecker", {"text": 3, "threshold": 80}, ["'text' is a text", "from 0 to 1"]),
        ("LambdaChecker", {"func": "lambda r: (", "extract": 3}, ["'extract' is", "never closed"]),
        (
            "weighted",
            {"weighted": [{"contains": ""}, {"contains": 3, "x": 1}, {"no": 1}], "threshold": 3},
            ["is empty", "'contains' is", "no argument 'x'", "no checker 'no'", "'threshold' is"],
        ),
        ("weighted", {"weighted": 3, "threshold": 3, "x": 3}, ["a list", "more than 0", "'x'"]),
        ("PII_Checker", {"model": 3, "entities": []}, ["'model' is", "'entities' is empty"]),
    ],
)
def test_a_wrong_argument_hides_no_other_one(
    tmp_path: Path, checker: str, args: dict[str, object], said: list[str]
) -> None:
    kind = load_builtin(checker)
    assert kind is not None
    with pytest.raises(ArgumentErrors) as caught:
        bind(kind, args, tmp_path)
    told = list(map(str, caught.value.errors))
    assert len(told) == len(said)
    assert all(any(part in one for one in told) for part in said)
