"""Which changes must not matter to which checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.dialogues import judge_of_group, said, shape_of

from lve.checkers.arguments import fields_of
from lve.checkers.builtin_checker import ExampleAnswers
from lve.checkers.by_name import BUILTIN_CHECKERS, load_builtin
from lve.checkers.judge import Judge
from lve.extensions.mutate.changes import CHANGES, changed
from lve.extensions.mutate.table import CHANGES_BY_ARGUMENT, CHANGES_BY_CHECK, changes_of
from lve.extensions.similarity.metrics import METRICS
from lve.spec.check_names import CHECKS, named_check

VERDICTS = Path(__file__).parents[2] / "cases" / "verdicts"


def test_the_table_names_checks_and_changes_that_exist() -> None:
    assert {*CHANGES_BY_CHECK} <= {*CHECKS, *BUILTIN_CHECKERS}
    assert {name for name, _, _ in CHANGES_BY_ARGUMENT} <= {*CHECKS, *BUILTIN_CHECKERS}
    named = (*CHANGES_BY_CHECK.values(), *CHANGES_BY_ARGUMENT.values())
    revealing = {"label", "fence_label"}
    assert {one for names in named for one in names} == {*CHANGES} - revealing


@pytest.mark.parametrize(("name", "argument", "value"), CHANGES_BY_ARGUMENT)
def test_further_changes_hang_on_arguments_and_values_that_a_check_takes(
    name: str, argument: str, value: object
) -> None:
    kind = load_builtin(name)
    assert kind is not None
    assert argument in fields_of(kind)
    wanted = str(fields_of(kind)[argument].type).replace('"', "'")
    if wanted == "MetricName":
        assert value in METRICS
    else:
        assert wanted == "bool" if value is True else f"'{value}'" in wanted


def test_the_case_of_an_exact_text_is_not_changed() -> None:
    assert "case" not in changes_of("equals", {"equals": "Paris"})
    assert "case" in changes_of("equals", {"equals": "Paris", "ignore_case": True})
    assert "markdown" not in changes_of("equals", {"equals": "Paris"})
    assert "case" in changes_of("text", {"text": "Paris"})


def test_nothing_may_change_what_is_compared_character_by_character() -> None:
    assert changes_of("exact_match", {"exact_match": "Paris", "normalise": "none"}) == ()
    assert changes_of("exact_match", {"exact_match": "Paris", "normalise": "squad"})
    assert changes_of("text", {"text": "Paris", "normalise": "none"})


def test_checks_inside_of_another_one_share_its_changes() -> None:
    text, found = {"text": "Paris"}, {"contains": "Paris", "weight": 2}
    assert changes_of("not", {"not": text}) == changes_of("text", text)
    both = changes_of("weighted", {"weighted": [text, found]})
    assert {*both} == {*changes_of("text", text)} & {*changes_of("contains", found)}
    assert changes_of("all", {"all": [text, {"nothing": 1, "such": 2}]}) == ()
    assert changes_of("all", {"all": []}) == ()


@pytest.mark.parametrize(
    ("pattern", "tried", "left_out"),
    [
        ("Paris", {"chatter", "markdown", "punctuation"}, {"case"}),
        ("Paris$", {"chatter", "think"}, {"punctuation", "markdown"}),
        ("^Paris", {"line_ends"}, {"chatter", "markdown"}),
        (r"\AParis\Z", set(), {"ends", "chatter", "markdown"}),
    ],
)
def test_an_anchor_says_what_may_stand_around_a_match(
    pattern: str, tried: set[str], left_out: set[str]
) -> None:
    for name, args in (("regex", {"regex": pattern}), ("RegexChecker", {"pattern": pattern})):
        found = {*changes_of(name, args)}
        assert tried <= found
        assert not left_out & found


def groups() -> Iterator[Any]:
    """Yield every check of the library, and those of the verdicts, with answers."""
    for name in CHECKS:
        kind = load_builtin(name)
        assert kind is not None
        for number, (check, passes, fails) in enumerate(kind.examples):
            if kind.needs_model or kind.compares_answers:
                continue
            if name != "expression":  # that of its example counts all words, thoughts included
                yield pytest.param(check, [*passes, *fails], id=f"{name}-{number}")
    for file in sorted(VERDICTS.glob("*.json")):
        for number, group in enumerate(json.loads(file.read_text(encoding="utf-8"))):
            answers = [*group.get("passed", ()), *group.get("failed", ())]
            yield pytest.param(group["check"], answers, id=f"verdicts-{file.stem}-{number}")


@pytest.mark.parametrize(("check", "answers"), list(groups()))
def test_what_must_not_matter_does_not(
    check: dict[str, Any], answers: list[ExampleAnswers], tmp_path: Path
) -> None:
    names = changes_of(*named_check(check))
    flips = []
    judges: dict[str, Judge] = {}
    for answer in answers:
        group = {"check": check, **shape_of(answer)}
        shape = str(shape_of(answer))
        judge = judges[shape] = judges.get(shape) or judge_of_group(group, tmp_path)
        before = said(group, judge, plain(answer)).outcome
        for name in names:
            for other in forms(name, answer):
                after = said(group, judge, other)
                flips += [(name, other, after)] if after.outcome != before else []
    assert flips == []


def plain(answer: ExampleAnswers) -> Any:
    """Return answers as `examples` of a test have them."""
    return list(answer) if isinstance(answer, tuple) else answer


def forms(name: str, answer: ExampleAnswers) -> list[Any]:
    """Return answers with each text changed, in each form."""
    if isinstance(answer, str):
        return changed(name, answer)
    if isinstance(answer, tuple):
        changes = [changed(name, text) or [text] for text in answer]
        return [[one[n % len(one)] for one in changes] for n in range(max(map(len, changes)))]
    values = forms(name, tuple(answer.values()))
    return [dict(zip(answer, texts, strict=True)) for texts in values]
