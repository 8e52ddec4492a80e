"""From tags, `skip` and `expect` to marks, and why reruns are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lve.pytest_plugin.marks import marks_of, refuse_reruns
from lve.spec.spec import Expectation, Spec, Tag


def spec_of(*tags: tuple[str, str], **more: Any) -> Spec:
    made = tuple(Tag(name, value) for name, value in tags)
    return Spec(Path("t/test.json"), Path("t"), "t", "c", "n", "d", tags=made, **more)


@pytest.fixture
def config(pytester: pytest.Pytester) -> pytest.Config:
    pytester.makeini("[pytest]\nmarkers =\n    slow_yes(reason): skips\n    own: mine")
    return pytester.parseconfigure()


@pytest.mark.parametrize(
    ("name", "value", "marks"),
    [
        ("severity", "high", ["severity_high"]),
        ("jailbreak", "yes", ["jailbreak"]),
        ("jailbreak", "Yes", ["jailbreak"]),
        ("jailbreak", "no", []),
        ("paper", "https://x.org/1?a", ["paper_https_x_org_1_a"]),
        ("größe", "klein", ["größe_klein"]),
        ("1st", "x", []),
        ("-", "-", []),
        ("own", "yes", ["own"]),
        ("skip", "yes", ["tag_skip"]),
        ("parametrize", "yes", ["tag_parametrize"]),
        ("slow", "yes", ["slow"]),
        ("slow_yes", "yes", ["tag_slow_yes"]),
        ("usefixtures", "yes", ["tag_usefixtures"]),
    ],
)
def test_a_tag_becomes_a_mark_that_does_nothing(
    name: str, value: str, marks: list[str], config: pytest.Config
) -> None:
    assert [mark.name for mark in marks_of(spec_of((name, value)), config)] == marks
    known = {line.partition(":")[0] for line in config.getini("markers")}
    assert set(marks) <= known


def test_a_mark_is_registered_once(config: pytest.Config) -> None:
    for n in range(3):
        marks_of(spec_of(("severity", "high"), ("n", str(n))), config)
    lines = [line for line in config.getini("markers") if line.startswith("severity_high")]
    assert len(lines) == 1


def test_skip_and_a_known_weakness_are_pytests_own_marks(config: pytest.Config) -> None:
    skip, weak = marks_of(spec_of(skip="not\nnow", expect=Expectation("fail")), config)
    assert (skip.name, skip.kwargs) == ("skip", {"reason": "not\\nnow"})
    assert (weak.name, weak.kwargs["strict"]) == ("xfail", True)
    assert marks_of(spec_of(), config) == ()


def test_tests_with_the_same_tags_share_their_marks(config: pytest.Config) -> None:
    one, other = spec_of(("a", "b")), spec_of(("a", "b"))
    assert marks_of(one, config) is marks_of(other, config)
    assert marks_of(spec_of(("a", "b"), skip="x"), config) is not marks_of(one, config)


@pytest.mark.parametrize(
    ("arguments", "refused"), [((), False), (("--reruns", "2"), True), (("-o", "reruns=1"), True)]
)
def test_reruns_are_refused_wherever_they_are_asked_for(
    arguments: tuple[str, ...], refused: bool, pytester: pytest.Pytester
) -> None:
    pytest.importorskip("pytest_rerunfailures")
    config = pytester.parseconfig("-p", "rerunfailures", *arguments)
    if refused:
        with pytest.raises(pytest.UsageError, match="--lve-repeats N"):
            refuse_reruns(config, [])
    else:
        refuse_reruns(config, [])
