"""Model args that look misspelt are sent, with a warning in every interface."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace, write_test

import lve
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS, MAX_NAMES, misspelt

MEANT = "did you mean `temperature`?"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("temprature", "temperature"),
        ("max_token", "max_tokens"),
        ("maxTokens", "max_tokens"),
        ("seeds", "seed"),
        ("resoning_effort", "reasoning_effort"),
    ],
)
def test_a_misspelt_name_gets_a_suggestion(name: str, meant: str) -> None:
    assert misspelt(name) == f"did you mean `{meant}`?"


@pytest.mark.parametrize(
    "name",
    [*sorted(KNOWN_MODEL_ARGS), "tools", "user", "top_n", "chat_template_kwargs", ""],
)
def test_others_are_left_alone(name: str) -> None:
    assert misspelt(name) is None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(workspace(tmp_path))
    return tmp_path / "t"


def test_the_documents_own_are_warned_of_with_their_place(folder: Path) -> None:
    write_test(folder, default_model_args={"temprature": 1, "top_n": 3})
    code, out, err = call("check", "t")
    text = "$.default_model_args.temprature: `temprature` is sent as it is written"
    assert (code, f"{text} ({MEANT})" in out + err, "top_n" in out + err) == (0, True, False)
    _, _, err = call("run", "t")
    assert err.count(MEANT) == 1
    with pytest.warns(UserWarning, match="did you mean `temperature`"):
        lve.run("t")


def test_those_of_instances_are_warned_of_once(folder: Path) -> None:
    instances = [{"args": {"temprature": n}, "response": "Hello"} for n in range(3)]
    write_test(folder, instances=instances)
    code, out, err = call("check", "t")
    assert (code, (out + err).count(MEANT)) == (0, 1)
    assert "t/instances/main.jsonl:1: warning: $.args: `temprature`" in out + err
    code, _, err = call("run", "t")
    assert err.count(f"the model arg `temprature` is sent as it is written ({MEANT})") == 1


def test_those_of_a_run_and_of_the_settings_are_warned_of_once(folder: Path) -> None:
    workspace(folder.parent, "models: {dummy/dummy: {args: {seeds: 1}}}")
    write_test(folder)
    write_test(folder.parent / "u")
    _, _, err = call("run", ".", "--model-arg", "temprature=1")
    assert (err.count(MEANT), err.count("did you mean `seed`?")) == (1, 1)
    workspace(folder.parent)
    with pytest.warns(UserWarning, match="did you mean `temperature`"):
        lve.run("t", model_args={"temprature": 1})


def test_of_very_many_names_only_the_first_are_compared(folder: Path) -> None:
    args = {f"temperatur{n}": n for n in range(20_000)}
    write_test(folder, default_model_args=args, instances=[{"args": args, "response": "Hello"}])
    misspelt.cache_clear()
    assert call("check", "t")[0] == 0
    assert misspelt.cache_info().misses <= MAX_NAMES
    assert call("run", "t")[0] == 0
    assert misspelt.cache_info().misses <= MAX_NAMES
