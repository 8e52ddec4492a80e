"""Defaults of tests from `suite.yaml`."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import write_test

from lve.errors import SpecError
from lve.extensions.watching.watch import Snapshot
from lve.sessions.provenance import hashes_of
from lve.sessions.resume import changed_tests
from lve.spec.load import load_spec
from lve.spec.spec import Spec

FAR = """\
model: dummy/far
default_model_args: {temperature: 0.5, seed: 1}
check: {min_words: 1}
tags: [{name: severity, value: low}, {name: jailbreak, value: "no"}]
repeats: 2
"""


@pytest.fixture
def load(root: Path) -> Callable[..., Spec]:
    """Write a test below two folders with suites, and load it."""

    def load(near: str = "", far: str = FAR, **document: Any) -> Spec:
        (root / "suite.yaml").write_text(far)
        keys = {"model": None, "checker_args": None, **document}
        folder = write_test(root / "group" / "t", **keys)
        if near:
            (root / "group" / "suite.yaml").write_text(near)
        return load_spec(folder)

    return load


def test_a_test_gets_what_it_leaves_out(load: Callable[..., Spec]) -> None:
    spec = load()
    assert spec.models == ("dummy/far",)
    assert spec.model_args == {"temperature": 0.5, "seed": 1}
    assert [checker.name for checker in spec.checkers] == ["min_words"]
    assert {tag.name: tag.value for tag in spec.tags} == {"severity": "low", "jailbreak": "no"}
    assert spec.repeats == 2
    args = ("default_model_args.temperature", "default_model_args.seed")
    tags = ("tags.severity", "tags.jailbreak")
    assert {*spec.suites} == {"model", "check", "repeats", *args, *tags}
    assert {file.name for file in spec.suites.values()} == {"suite.yaml"}


def test_the_document_wins_over_the_nearest_over_the_farthest(load: Callable[..., Spec]) -> None:
    near = "models: [dummy/near]\nrepeats: 3\ndefault_model_args: {seed: 2, top_p: 0.1}\n"
    near += "tags: [{name: severity, value: medium}]\n"
    spec = load(near)
    assert (spec.models, spec.repeats) == (("dummy/near",), 3)
    assert spec.model_args == {"temperature": 0.5, "seed": 2, "top_p": 0.1}
    assert {tag.name: tag.value for tag in spec.tags} == {"severity": "medium", "jailbreak": "no"}
    own = load(
        near,
        model="dummy/own",
        repeats=1,
        default_model_args={"seed": None},
        checks=[{"max_words": 9}],
        tags=[{"name": "severity", "value": "high"}],
    )
    assert (own.models, own.repeats) == (("dummy/own",), 1)
    assert own.model_args == {"temperature": 0.5, "seed": None, "top_p": 0.1}
    assert [checker.name for checker in own.checkers] == ["max_words"]
    assert {tag.name: tag.value for tag in own.tags} == {"severity": "high", "jailbreak": "no"}


def test_a_suite_beside_the_document_holds_and_one_above_the_workspace_does_not(
    load: Callable[..., Spec], root: Path
) -> None:
    load()
    (root / "group" / "t" / "suite.yaml").write_text("repeats: 7\n")
    (root.parent / "suite.yaml").write_text("default_model_args: {top_k: 5}\n")
    spec = load_spec(root / "group" / "t")
    assert spec.repeats == 7
    assert "top_k" not in spec.model_args
    assert load_spec(Path("group/t")).repeats == 7, "a relative path"
    with pytest.raises(SpecError, match=r"`check`, `checks`, .* is missing"):
        load_spec(root / "group" / "t", root / "group")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("base_url: http://x", "suite.yaml:1:1: $.base_url: `base_url` can't be set here"),
        (
            "default_model_args: {base_url: x}",
            "suite.yaml:1:22: $.default_model_args.base_url:",
        ),
        ("prompt: hi", "suite.yaml:1:1: $.prompt"),
        ("repeat: 3", "did you mean `repeats`?"),
        ("repeats: two", "suite.yaml:1:10: $.repeats"),
        ("repeats: 5000", "suite.yaml:1:10: $.repeats: 5000 is more than the 100 allowed"),
        ("check: {contains: x, any: y}", "suite.yaml:1:8"),
        ("model: a\nmodels: [b]", "suite.yaml:2:1: $.models: `model` and `models` exclude each"),
        ("model: hf//etc", "suite.yaml:1:8: $.model: `hf//etc` is a folder elsewhere"),
        ("[]", "suite.yaml:1:1"),
        ("[", "suite.yaml:2:1: not valid YAML"),
    ],
)
def test_what_is_wrong_with_a_suite_is_told_there(
    load: Callable[..., Spec], text: str, told: str
) -> None:
    with pytest.raises(SpecError) as refused:
        load(text)
    assert told in str(refused.value)
    code, out, _ = call("check")
    assert (code, told in out) == (2, True)


@pytest.mark.parametrize("target", ["/etc/hostname", "missing"])
def test_a_suite_elsewhere_is_refused(load: Callable[..., Spec], root: Path, target: str) -> None:
    load()
    (root / "group" / "suite.yaml").symlink_to(target)
    with pytest.raises(SpecError, match=r"suite\.yaml"):
        load_spec(root / "group" / "t")


def test_a_suite_that_changes_is_read_again(load: Callable[..., Spec], root: Path) -> None:
    before = load("repeats: 3")
    sums, files = hashes_of(before), Snapshot.take((".",))
    (root / "group" / "suite.yaml").write_text("repeats: 30\n")
    after = load_spec(root / "group" / "t")
    assert after.repeats == 30
    assert hashes_of(after)["suites"] != sums["suites"]
    assert "(suites)" in changed_tests({"tests": {after.path: sums}}, [after])[after.path]
    assert [file.parent.name for file in Snapshot.take((".",)).changed_since(files)] == ["t"]


def test_an_empty_suite_and_none_add_nothing(load: Callable[..., Spec], root: Path) -> None:
    spec = load("{}", far="{}", checks=[{"min_words": 1}])
    assert spec.suites == {}
    assert "suites" not in hashes_of(spec)
    assert root.is_dir()


def test_every_door_knows_it(
    load: Callable[..., Spec],
    root: Path,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(root)
    load("model: dummy/dummy")
    assert call("check")[0] == 0
    assert json.loads(lve("list", "--json").stdout)["tests"][0]["models"] == ["dummy/dummy"]
    found = json.loads(lve("run", "--json").stdout)["tests"]
    assert [(test["model"], len(test["instances"])) for test in found] == [("dummy/dummy", 2)]
    assert "model          dummy/dummy  (group/suite.yaml)" in lve("run", "--show-config").stdout
    pytester.runpytest(str(root), "-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("near", "file", "said"),
    [
        ("checks: [{max_wrods: 3}]", "group/suite.yaml:1:22: $.checks[0].max_wrods", "'max_wrods'"),
        ("\ncheck: {min_words: x}", "group/suite.yaml:2:20: $.check.min_words", "a whole number"),
        (
            "tags: [{name: severity, value: low}, {name: owasp, value: LLM99}]",
            "group/suite.yaml:1:52: warning: $.tags[1].value",
            "LLM99",
        ),
        ("\nmodels: [{model: a/b}, {model: a/b}]", "group/suite.yaml:2:24: $.models[1]", "twice"),
    ],
)
def test_what_is_wrong_with_what_a_suite_gives_is_told_where_it_stands(
    near: str, file: str, said: str, load: Callable[..., Spec]
) -> None:
    """Its position isn't in the test document, which doesn't have the value."""
    with suppress(SpecError):  # some are found when the file is read, some only with the test
        load(near, far="check: {min_words: 1}", tags=[{"name": "severity", "value": "high"}])
    out = "".join(call("check", ".")[1:])
    (line,) = [line for line in out.splitlines() if said in line]
    assert line.startswith(file)


def test_a_suite_may_end_in_yml_and_the_one_in_yaml_counts_more(root: Path) -> None:
    write_test(root / "group" / "t", model=None)
    (root / "group" / "suite.yml").write_text("model: dummy/yml\nrepeats: 3\n")
    first = load_spec(root / "group" / "t")
    assert (first.models, first.repeats) == (("dummy/yml",), 3)
    (root / "group" / "suite.yaml").write_text("model: dummy/yaml\n")
    both = load_spec(root / "group" / "t")
    assert (both.models, both.repeats) == (("dummy/yaml",), 3)
