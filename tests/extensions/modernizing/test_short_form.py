"""Checks in the short form, by the text alone: `test_documents.py` compares verdicts."""

from __future__ import annotations

import pytest
import yaml

from lve.extensions.modernizing.edits import Source, applied, pairs_of
from lve.extensions.modernizing.short_form import check_edits, run_edits


def short(text: str, *, renames: bool = True) -> str:
    pairs = pairs_of(yaml.compose(text, yaml.SafeLoader))
    groups = check_edits(Source(text, is_json=False), pairs, renames=renames)
    return applied(text, [edit for group in groups for edit in group])


@pytest.mark.parametrize(
    ("args", "check"),
    [
        ("{checker_name: ExactMatchChecker, pattern: a}", "{not_contains: a}"),
        ("{checker_name: ExactMatchChecker, pattern: a, match_safe: true}", "{contains: a}"),
        ("{checker_name: ExactMatchChecker, pattern: a, match_safe: True}", "{contains: a}"),
        ("{checker_name: ExactMatchChecker, pattern: a, match_safe: false}", "{not_contains: a}"),
        ("{checker_name: RegexChecker, match_safe: true, pattern: a}", "{regex: a}"),
        (
            "{checker_name: RegexChecker, match_safe: false, pattern: a, flags: I}",
            "{not_regex: a, flags: I}",
        ),
        ("{checker_name: RegexChecker, pattern: a}", "{RegexChecker: {pattern: a}}"),
        ("{checker_name: LambdaChecker, func: len(r), on: all}", "{expression: len(r), on: all}"),
        ("{checker_name: RefuseChecker}", "{refusal: true}"),
        ("{checker_name: RefuseChecker, on: all}", "{refusal: true, on: all}"),
        ("{checker_name: RefuseChecker, wordings: [a]}", "{RefuseChecker: {wordings: [a]}}"),
        ("{a: 1, checker_name: Own, b: 2}", "{Own: {a: 1, b: 2}}"),
        ("{checker_name: Own}", "{Own: {}}"),
    ],
)
def test_a_checker_becomes_a_check(args: str, check: str) -> None:
    assert short(f"checker_args: {args}\n") == f"check: {check}\n"
    assert short(f"checkers: [{args}]\n") == f"checks: [{check}]\n"


def test_without_new_names_only_the_form_changes() -> None:
    text = "checker_args: {checker_name: LambdaChecker, func: len(r)}\n"
    assert short(text, renames=False) == "check: {LambdaChecker: {func: len(r)}}\n"


def test_a_block_is_indented_below_the_name() -> None:
    text = "checkers:\n  - b: |\n      x\n    checker_name: Own\n    # c\n    a: 1\ntags: []\n"
    assert short(text) == (
        "checks:\n  - Own:\n      b: |\n        x\n      # c\n      a: 1\ntags: []\n"
    )


def test_a_checker_whose_name_has_a_comment_stays() -> None:
    text = "checker_args:\n  checker_name: Own # mine\n  a: 1\n"
    assert short(text) == text


def test_checks_stay() -> None:
    text = "check: {contains: a}\nchecks: [{checker_name: x}]\n"
    assert short(text) == text


def test_repetitions_are_spelled_as_today() -> None:
    text = "multi_run_prompt: [{prompt: a, repetition: 2}, {prompt: b}]\n"
    groups = run_edits(Source(text, is_json=False), pairs_of(yaml.compose(text, yaml.SafeLoader)))
    assert applied(text, [edit for group in groups for edit in group]) == text.replace(
        "repetition", "repetitions"
    )
