"""Entries of `models` with values for one model alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import call
from support.folders import workspace, write_test

import lve
from lve.errors import SpecError
from lve.extensions.recording.recording import each_args_once
from lve.options.run_options import DEFAULTS
from lve.sessions.provenance import hashes_of
from lve.settings.settings import Caps, Settings
from lve.spec.load import load_spec

MODELS = """
- dummy/plain
- {model: dummy/weak, args: {temperature: 0.7}, expect: fail, repeats: 3, timeout_s: 9}
- {model: dummy/rate, args: {temperature: 1}, expect: {pass_rate: 0.2, max_repeats: 12}}
"""
ENTRIES = yaml.safe_load(MODELS)
WRONG = {"check": {"contains": "no such word"}, "checker_args": None, "model": None}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(workspace(tmp_path))
    return tmp_path


def test_an_entry_holds_for_its_model_alone(root: Path) -> None:
    document = {**WRONG, "models": ENTRIES, "repeats": 2}
    document["default_model_args"] = {"seed": 1, "temperature": 0}
    spec = load_spec(write_test(root / "t", **document))
    assert spec.models == ("dummy/plain", "dummy/weak", "dummy/rate")
    assert spec.args_for("dummy/plain") == {"seed": 1, "temperature": 0}
    assert spec.args_for("dummy/weak") == {"seed": 1, "temperature": 0.7}
    weak, other = spec.for_model("dummy/weak"), spec.for_model("dummy/plain")
    assert (weak.repeats, weak.timeout_s, weak.expect.kind) == (3, 9, "fail")
    assert (other.repeats, other.timeout_s, other.expect.kind) == (2, None, "pass")
    assert spec.for_model("dummy/rate").expect_position != spec.expect_position
    assert weak.for_model("dummy/weak") == weak
    assert weak.args_for("dummy/weak") == spec.args_for("dummy/weak")


def test_every_door_judges_by_the_entry(root: Path) -> None:
    write_test(root / "t", **WRONG, models=ENTRIES)
    said = {"dummy/plain": (1, "failed"), "dummy/weak": (3, "passed")}
    said["dummy/rate"] = (12, "inconclusive")
    for asked in (["run", "t"], ["show", "last"], ["score", "last"]):
        report = json.loads(call(*asked, "--json")[1])
        found = {one["model"]: (len(one["instances"]), one["verdict"]) for one in report["tests"]}
        assert found == said, asked
    result = lve.run("t", keep=False)
    assert {(one.model, one.verdict()[0]) for one in result.summary.tallies.values()} == {
        (model, verdict) for model, (_, verdict) in said.items()
    }
    document = json.loads(call("run", "t", "--dry-run", "--json")[1])
    assert [one["calls"] for one in document["tests"]] == [1, 3, 12]


def test_a_finished_session_keeps_what_it_expected_of_each_model(root: Path) -> None:
    write_test(root / "t", **WRONG, models=ENTRIES)
    call("run", "t")
    write_test(root / "t", **WRONG, models=["dummy/plain", "dummy/weak", "dummy/rate"])
    report = json.loads(call("show", "last", "--json")[1])
    found = {one["model"]: one["verdict"] for one in report["tests"]}
    expected = {"dummy/plain": "failed", "dummy/weak": "passed", "dummy/rate": "inconclusive"}
    assert found == expected


def test_failures_are_those_of_their_model(root: Path) -> None:
    write_test(root / "t", **WRONG, models=ENTRIES[:2])
    call("run", "t")
    report = json.loads(call("run", "--last-failed", "--json")[1])
    assert [one["model"] for one in report["tests"]] == ["dummy/plain"]


def test_repeats_of_an_entry_hold_for_failures_and_recordings(root: Path) -> None:
    entries = ["dummy/plain", {"model": "dummy/twice", "repeats": 2}]
    spec = load_spec(write_test(root / "t", **WRONG, models=entries))
    call("run", "t", "-m", "dummy/plain")
    report = json.loads(call("run", "--failed-in", "last", "-m", "dummy/twice", "--json")[1])
    assert [len(one["instances"]) for one in report["tests"]] == [2]
    wanted = each_args_once([spec], DEFAULTS, Settings()).only
    assert wanted is not None
    assert wanted.total() == 3


def test_what_is_typed_wins(root: Path) -> None:
    write_test(root / "t", **WRONG, models=ENTRIES)
    asked = ("t", "-m", "dummy/weak", "--repeats", "2", "--temperature", "0.1", "--json")
    (one,) = json.loads(call("run", *asked)[1])["tests"]
    assert (len(one["instances"]), one["verdict"]) == (2, "passed")
    document = json.loads(call("run", *asked, "--show-config")[1])
    values = {each["name"].strip(): each for each in document["tests"][0]["values"]}
    assert (values["temperature"]["value"], values["temperature"]["origin"]) == (
        0.1,
        "command line",
    )
    assert values["expect"]["origin"] == "test.json, for this model"


def test_the_config_says_what_holds_for_one_model(root: Path) -> None:
    write_test(root / "t", **WRONG, models=ENTRIES)
    values = json.loads(call("run", "t", "--show-config", "--json")[1])["tests"][0]["values"]
    own = [one for one in values if one["origin"] == "test.json, for this model"]
    assert [(one["name"].strip(), one["value"]) for one in own] == [
        ("temperature", 0.7),
        ("expect", "fail"),
        ("repeats", 3),
        ("timeout_s", 9),
        ("temperature", 1),
        ("expect", "pass rate >= 0.2 (confidence 0.95)"),
    ]


def test_the_hash_of_model_args_is_the_same_for_all_models(root: Path) -> None:
    spec = load_spec(write_test(root / "t", models=ENTRIES, model=None))
    before = hashes_of(spec)
    assert hashes_of(spec.for_model("dummy/weak")) == before
    other = [{**ENTRIES[1], "args": {"temperature": 0.8}}]
    now = hashes_of(load_spec(write_test(root / "t", models=other, model=None)))
    assert now["model_args"] != before["model_args"]


@pytest.mark.parametrize(
    ("own", "args", "repeats", "kind"),
    [
        ({}, {"temperature": 0.7}, 3, "fail"),
        ({"repeats": 2}, {"temperature": 0.7}, 2, "fail"),
        ({"default_model_args": {"temperature": 0}}, {"temperature": 0}, 3, "fail"),
        ({"expect": "pass"}, {"temperature": 0.7}, 3, "pass"),
        ({"models": ["dummy/weak"]}, {}, 1, "pass"),
    ],
)
def test_a_test_wins_over_the_entries_of_its_suite(
    root: Path, own: dict[str, Any], args: dict[str, Any], repeats: int, kind: str
) -> None:
    (root / "suite.yaml").write_text(yaml.safe_dump({"models": ENTRIES}))
    spec = load_spec(write_test(root / "t", **{"model": None, **own}))
    found = spec.for_model("dummy/weak")
    assert dict(spec.args_for("dummy/weak")) == args
    assert (found.repeats, found.expect.kind) == (repeats, kind)


@pytest.mark.parametrize(
    ("entry", "caps"),
    [
        ({"repeats": 9}, Caps(repeats=5)),
        ({"expect": {"pass_rate": 0.9, "max_repeats": 9}}, Caps(repeats=5)),
        ({"args": {"max_tokens": 900}}, Caps(max_tokens=100)),
    ],
)
def test_an_entry_is_held_to_the_caps(root: Path, entry: dict[str, Any], caps: Caps) -> None:
    folder = write_test(root / "t", model=None, models=[{"model": "dummy/a", **entry}])
    with pytest.raises(SpecError, match="is more than the"):
        load_spec(folder, caps=caps)


def test_a_misspelt_arg_of_an_entry_is_warned_of(root: Path) -> None:
    entry = {"model": "dummy/a", "args": {"temprature": 1}}
    spec = load_spec(write_test(root / "t", model=None, models=[entry]))
    (warning,) = spec.warnings
    assert "models[0].args.temprature" in warning
    assert "did you mean `temperature`?" in warning


def test_show_names_what_holds_for_one_model(root: Path) -> None:
    write_test(root / "t", **WRONG, models=ENTRIES)
    assert "dummy/weak: temperature=0.7" in call("show", "t")[1]
