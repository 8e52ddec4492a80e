"""What `lve calibrate` is asked to measure."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.folders import workspace, write_test

from lve.errors import SpecError, UsageError
from lve.extensions.calibration.label_targets import LabelTarget, target_of_check, target_of_test
from lve.extensions.calibration.labels import Label
from lve.spec.settings_file import load_workspace

LABELS = [Label(1, "passed", args={"question": "q", "temperature": 0, "city": "Rome"})]
CHECKS = [{"contains": "x"}, {"refusal": True}, {"contains": "y"}]


def of_test(root: Path, check: str | None, **document: object) -> LabelTarget:
    write_test(root / "t", **({"checker_args": None, "checks": CHECKS} | document))
    there = load_workspace(workspace(root))
    return target_of_test(str(root / "t"), check, there, lambda _: None)


def test_the_only_check_of_a_test_needs_no_name(tmp_path: Path) -> None:
    target = of_test(tmp_path, None, checks=[{"refusal": True}])
    assert (target.check, target.index, target.is_test) == ("refusal", 0, True)


def test_a_check_among_several_is_named(tmp_path: Path) -> None:
    target = of_test(tmp_path, "contains-2", pass_when="any", repeats=3)
    assert target.index == 2
    alone = target.alone
    assert [one.args for one in alone.checkers] == [{"contains": "y"}]
    assert (alone.pass_when, alone.repeats, alone.expect.kind) == ("all", 1, "pass")


@pytest.mark.parametrize(
    ("check", "told"),
    [
        (None, "has several checks: give --check contains or refusal or contains-2"),
        ("refusl", "has no check `refusl`: did you mean `refusal`?"),
    ],
)
def test_a_check_that_is_not_clear_is_told(tmp_path: Path, check: str | None, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        of_test(tmp_path, check)
    assert told in str(caught.value)


def test_one_test_is_measured_at_a_time(tmp_path: Path) -> None:
    write_test(tmp_path / "a")
    write_test(tmp_path / "b")
    with pytest.raises(UsageError, match="has 2 tests: name one"):
        target_of_test(str(tmp_path), None, load_workspace(workspace(tmp_path)), lambda _: None)


def test_labels_of_other_tests_and_checks_are_left_out(tmp_path: Path) -> None:
    target = of_test(tmp_path, "contains-2")
    said = [("t", None), (None, "contains-2"), (None, None), ("u", None), ("t", "contains")]
    labels = [Label(1, "passed", test=test, check=check) for test, check in said]
    assert [target.concerns(one) for one in labels] == [True, True, True, False, False]


def test_a_check_stands_alone_with_the_labels_args_as_its_question(tmp_path: Path) -> None:
    target = target_of_check("{refusal: true}", LABELS, load_workspace(workspace(tmp_path)))
    assert not target.is_test
    assert target.spec.parameters == ("city", "question")
    (prompt,) = target.spec.prompts
    assert prompt.messages is not None
    assert prompt.messages[0].content == "{city}\n\n{question}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("refusal", "`refusal` needs its value: give '{refusal: ...}'"),
        ("refusl", "did you mean `refusal`?"),
        ("nowhere/test.json", "no such file or folder"),
        ("{refusal", "no check: "),
        ("[1]", "is no test and no check"),
        ("{refusal: true, contains: x}", "names several checkers"),
        ("{nothing: 1, at_all: 2}", "names no checker"),
    ],
)
def test_what_is_no_check_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        target_of_check(text, LABELS, load_workspace(workspace(tmp_path)))
    assert told in str(caught.value)


def test_arguments_that_are_wrong_are_told(tmp_path: Path) -> None:
    labels = [Label(1, "passed", args={"a{b": 1})]
    with pytest.raises(SpecError, match="a parameter name can't"):
        target_of_check("{refusal: true}", labels, load_workspace(workspace(tmp_path)))
