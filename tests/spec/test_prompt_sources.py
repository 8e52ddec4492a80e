"""Variants: `prompts` of a test, each a test of its own that shares its rows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test

import lve
from lve.data.instances import iter_instances
from lve.documents.validation.schema import explain_value
from lve.errors import SpecError
from lve.spec.load import load_spec
from lve.spec.prompt_sources import ONE_PROMPT, by_variant, each_variant, variants_of
from lve.verdicts.tally import Tally

PROMPTS = {
    "formal": "formal.prompt",
    "casual": "Hi! {q}",
    "chat": [{"system": "Short."}, {"user": "{q}"}],
    "app": {"prompt_file": "@/app/p.txt"},
    "text": {"prompt": "formal.prompt"},
}
ANSWERS = {"Hi! a": "Hello", "Hi! b": "no"}


@pytest.fixture
def test(root: Path) -> Path:
    """A test with five variants and two rows, in `t`."""
    workspace(root, "files: [app]\n")
    (root / "app").mkdir()
    (root / "app" / "p.txt").write_text("App: {q}")
    folder = write_test(root / "t", prompt=None, prompts=PROMPTS, dataset=[{"q": "a"}, {"q": "b"}])
    (folder / "formal.prompt").write_text("Dear model, {q}")
    return folder


def sent(*arguments: str) -> dict[str, list[str]]:
    """Return variant -> the last message of each row, from `lve render`."""
    code, out, err = call("render", "t", "--json", *arguments)
    assert code == 0, err
    return {
        one["variant"]: [str(row["runs"][0]["messages"][-2]["content"]) for row in one["instances"]]
        for one in json.loads(out)["tests"]
    }


def run_json(*arguments: str) -> dict[str, Any]:
    """Return the JSON of a run of `t`."""
    document: dict[str, Any] = json.loads(call("run", "t", "--json", *arguments)[1])
    return document


@pytest.mark.usefixtures("test")
def test_each_kind_of_prompt_is_a_variant() -> None:
    assert sent() == {
        "formal": ["Dear model, a", "Dear model, b"],
        "casual": ["Hi! a", "Hi! b"],
        "chat": ["a", "b"],
        "app": ["App: a", "App: b"],
        "text": ["formal.prompt", "formal.prompt"],
    }


@pytest.mark.usefixtures("test")
def test_some_of_them_can_be_chosen_everywhere() -> None:
    assert [*sent("--prompts", "casual", "--prompts", "app")] == ["casual", "app"]
    assert [*sent("--prompt", "chat")] == ["chat"]
    assert [one["path"] for one in run_json("-k", "chat")["tests"]] == ["t@chat"]
    tests = run_json("--prompts", "formal")["tests"]
    assert [one["path"] for one in tests] == ["t@formal"]
    assert {row["variant"] for row in tests[0]["instances"]} == {"formal"}
    assert call("check", "t", "--prompts", "nope")[0] == 5
    assert [one.variant for one in lve.run("t", prompts=["chat"]).results] == ["chat", "chat"]


def test_from_python_a_loaded_test_runs_all_its_variants(test: Path) -> None:
    write_test(test, prompt=None, prompts={"a": "A", "b": "B"})
    results = lve.run(lve.load(test)).results
    assert [(one.test, one.variant) for one in results] == [("t@a", "a"), ("t@b", "b")]


def test_variants_run_times_models_times_rows(test: Path) -> None:
    (test.parent / "app" / "p.txt").write_text("{q}")
    results = lve.run("t", model=["dummy/dummy", "dummy/x"]).results
    assert len(results) == 5 * 2 * 2
    places = {(one.variant, one.model, one.line) for one in results}
    assert len(places) == len(results)


def test_a_test_without_variants_asks_no_more_than_before(root: Path) -> None:
    write_test(root / "t")
    result = lve.run("t")
    assert result.requests == 1
    assert result.results[0].variant is None
    assert each_variant(load_spec(root / "t")) == (load_spec(root / "t"),)


def test_expectations_hold_for_each_variant(root: Path) -> None:
    write_test(
        root / "t",
        prompt=None,
        prompts={"good": "{q}", "bad": "Bad {q}"},
        dataset=[{"q": "a"}, {"q": "b"}],
        expect={"at_least": 2},
        model="scripted/s",
    )
    (root / "lve.yaml").write_text(
        "models: {mine: {provider: scripted, options: {answers: "
        "{a: Hello, b: Hello, Bad a: Hello, Bad b: no}}}}\n"
    )
    tests = run_json("--model", "mine")["tests"]
    assert {one["path"]: one["verdict"] for one in tests} == {"t@good": "passed", "t@bad": "failed"}


def test_recorded_answers_are_those_of_a_variant(test: Path) -> None:
    write_test(test, prompt=None, prompts={"a": "A {q}", "b": "B {q}"}, dataset=[{"q": 1}])
    assert call("record", "t", "--model", "dummy/dummy")[0] == 0
    lines = (test / "instances" / "dummy--dummy.jsonl").read_text().splitlines()
    assert [json.loads(line)["variant"] for line in lines] == ["a", "b"]
    assert call("run", "t", "--model", "replay")[0] == 0
    write_test(test, prompt=None, prompts={"a": "A! {q}", "b": "B {q}"}, dataset=[{"q": 1}])
    verdicts = {one["path"]: one["verdict"] for one in run_json("--model", "replay")["tests"]}
    assert verdicts == {"t@a": "error", "t@b": "passed"}
    write_test(test, prompt=None, prompts={"b": "B {q}", "c": "C"}, dataset=[{"q": 1}])
    code, out, _ = call("check", "t")
    assert code == 2
    assert "is of the variant `a`, which the test doesn't have" in out


def test_a_session_is_resumed_and_judged_again_with_its_variants(test: Path) -> None:
    write_test(test, prompt=None, prompts={"a": "A", "b": "B"})
    assert call("run", "t", "--limit", "1")[0] == 0
    code, out, _ = call("score", "last", "--json")
    assert code == 0
    assert {one["path"] for one in json.loads(out)["tests"]} == {"t@a", "t@b"}
    code, out, _ = call("run", "--resume", "last", "--json")
    assert code == 0
    assert {one["path"] for one in json.loads(out)["tests"]} == {"t@a", "t@b"}


def test_reports_name_the_variant(test: Path) -> None:
    write_test(test, prompt=None, prompts={"a": "A", "b": "B"})
    files = ["r.csv", "r.md", "r.xml"]
    assert call("run", "t", *(word for file in files for word in ("-o", file)))[0] == 0
    table, page, junit = (Path(file).read_text("utf-8-sig") for file in files)
    rows = list(csv.DictReader(table.splitlines()))
    assert {(row["test"], row["variant"]) for row in rows} == {("t@a", "a"), ("t@b", "b")}
    assert "| test | `a` | `b` |" in page
    assert 'classname="t@b" file="t/test.json"' in junit


def test_what_is_written_fits_the_schemas(test: Path) -> None:
    write_test(test, prompt=None, prompts={"a": "A", "b": "B"})
    report = run_json()
    assert explain_value(report, "report") == []
    (journal,) = Path(".lve/runs").glob("*/results.jsonl")
    lines = list(map(json.loads, journal.read_text().splitlines()))
    assert [line["variant"] for line in lines] == ["a", "b"]
    assert [explain_value(line, "result") for line in lines] == [[], []]


def test_a_table_of_variants_is_printed(test: Path) -> None:
    write_test(test, prompt=None, prompts={"a": "A", "b": "B"})
    write_test(test.parent / "u")
    out = call("run")[1]
    assert "   a           b           (one prompt)\nt  ✓ 100% 1/1  ✓ 100% 1/1  -" in out
    assert "t · dummy/x" in call("run", "--model", "dummy/dummy", "--model", "dummy/x")[1]


@pytest.mark.parametrize(
    ("prompts", "problem"),
    [
        ({"a": "x.prompt"}, "$.prompts.a: `x.prompt` does not exist"),
        ({"a": {"prompt_file": "x.prompt"}}, "$.prompts.a.prompt_file: `x.prompt` does not exist"),
        ({"a": "@/x/y.txt"}, "$.prompts.a: `@/x/y.txt` is in no folder that the settings allow"),
        ({"a b": "x"}, "$.prompts"),
        ({"a": {"prompt": "x", "prompt_file": "y.prompt"}}, "$.prompts.a"),
        ({}, "$.prompts"),
        ({"a": 3}, "$.prompts.a"),
    ],
)
def test_mistakes_are_found(root: Path, prompts: dict[str, Any], problem: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_spec(write_test(root / "t", prompt=None, prompts=prompts))
    assert problem in str(caught.value)


def test_prompts_and_prompt_exclude_each_other(root: Path) -> None:
    with pytest.raises(SpecError):
        load_spec(write_test(root / "t", prompts={"a": "A"}))


def test_problems_of_a_variant_have_its_place(root: Path) -> None:
    write_test(root / "t", prompt=None, prompts={"a": "A", "b": [{"user": "{q}"}]})
    code, out, _ = call("check", "t")
    assert code == 2
    assert out.count("$.prompts.b[0].user: {q} is not a declared parameter") == 1


def test_which_paths_are_variants() -> None:
    assert variants_of(["t@a", "t@b", "u", "x@y", "@s/u", "@r/u"]) == {"t": ["a", "b"]}
    a, b, u = (Tally("t", "m", variant=variant) for variant in ("a", "b", None))
    results = {("t@a", "m"): a, ("t@b", "m"): b, ("u", "m"): u}
    assert by_variant(results) == {("t", "a"): a, ("t", "b"): b, ("u", ONE_PROMPT): u}
    assert by_variant({("t@a", "m"): a, ("t@b", "n"): b}) == {("t · m", "a"): a, ("t · n", "b"): b}
    folders = {("x@y", "m"): u, ("x@z", "m"): u}
    assert by_variant(folders) == folders, "folders with an @ in their names are no variants"


def test_the_whole_test_has_the_answers_of_all_variants(test: Path) -> None:
    """A page about it shows them all."""
    lines = [{"args": {"q": 1}, "response": "Hello", "variant": name} for name in ("a", "b")]
    write_test(test, prompt=None, prompts={"a": "A", "b": "B"}, dataset=[{"q": 1}], instances=lines)
    spec = load_spec(test)
    counts = [len([*iter_instances(one)]) for one in (spec, *each_variant(spec))]
    assert counts == [2, 1, 1]


def test_a_session_shows_its_variants(test: Path) -> None:
    write_test(test, prompt=None, prompts={"a": "A", "b": "B"})
    write_test(test.parent / "u")
    call("run")
    for paths in ([], ["t"]):
        _, out, err = call("show", "last", *paths, "--json")
        paths_shown = {one["path"] for one in json.loads(out)["tests"]}
        assert paths_shown == {"t@a", "t@b"} | ({"u"} if not paths else set())
        assert "no such test" not in err


@pytest.mark.usefixtures("test")
def test_a_variant_that_no_test_has_is_said() -> None:
    _, _, err = call("run", "t", "--prompts", "casual", "--prompts", "nope")
    assert "no test has the variant nope" in err


def test_a_folder_with_the_path_of_a_variant_is_refused(root: Path, test: Path) -> None:
    other = write_test(root / "t@casual")
    code, out, _ = call("check", "t")
    assert code == 2
    assert "$.prompts.casual: the test t@casual beside this one has the path of this vari" in out
    assert "duplicate_name" in out
    (other / "test.json").rename(other / "notes.json")
    assert call("check", "t")[0] == 0, "a folder without a test has no path"
