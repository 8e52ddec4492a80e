"""What `lve record` keeps: which answers, in which file, with what said of them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test
from support.results import make_result

from lve.errors import UsageError
from lve.extensions.recording.recording import Target, each_args_once, run_info
from lve.messages import Completion, Transcript
from lve.options.run_options import RunOptions
from lve.sessions.instance_result import result_id
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings
from lve.spec.load import load_spec
from lve.spec.spec import Spec

ASKS = {"prompt": [{"content": "{x}"}], "prompt_parameters": ["x"]}


def spec_of(folder: Path, *args: dict[str, Any], **document: Any) -> Spec:
    instances = [{"args": one} for one in args]
    return load_spec(write_test(folder / "t", instances=instances, **{**ASKS, **document}), folder)


@pytest.mark.parametrize(
    ("model", "file"),
    [
        ("openai/gpt-4o", "openai--gpt-4o.jsonl"),
        ("gpt", "gpt.jsonl"),
        ("a/b/c.d_e", "a--b--c.d_e.jsonl"),
    ],
)
def test_a_models_answers_are_in_a_file_of_its_name(model: str, file: str, tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    assert Target().file(spec, model) == spec.folder / "instances" / file


def test_names_that_would_have_one_file_have_two(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    files = {Target().file(spec, model).name for model in ("a b", 'a"b', "a-b", "a--b", "a/b")}
    assert len(files) == 5


def test_a_name_that_is_given_counts(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    for name in ("mine", "mine.jsonl"):
        assert Target(name).file(spec, "m").name == "mine.jsonl"


def answered(*served: str | None) -> Any:
    return make_result(
        transcripts=tuple(Transcript((), (Completion("x", model=name),)) for name in served)
    )


def test_where_an_answer_comes_from_is_said() -> None:
    info = run_info(answered("m-1"), provider="openai")
    assert (info["source"], info["model"], info["served_model"]) == ("model", "openai/m", "m-1")
    assert run_info(answered("b", "a", None, "b"), provider="x")["served_model"] == ["a", "b"]
    assert "served_model" not in run_info(answered(None), provider="x")
    assert "redacted" not in info


@pytest.mark.parametrize("provider", ["scripted", "dummy"])
def test_what_stands_in_for_a_model_is_no_model(provider: str) -> None:
    assert run_info(answered(None), provider=provider)["source"] == provider


def test_the_checkers_of_a_redacted_answer_are_kept() -> None:
    info = run_info(make_result(judged_by="sum"), provider="openai")
    assert info["redacted"] == {"judged_by": "sum"}


def lines(spec: Spec, **options: Any) -> list[tuple[int, int]]:
    """Return line and repeat of what is to be recorded."""
    given = RunOptions(**{"models": ("dummy/dummy",), **options})
    only = each_args_once([spec], given, Settings()).only
    assert only is not None
    every = [(line, repeat) for line in range(1, 9) for repeat in range(4)]
    return [
        one
        for one in every
        if result_id(spec.path, "dummy/dummy", "instances/main.jsonl", *one) in only
    ]


def test_each_row_is_asked_once(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, {"x": "1"}, {"x": "2"}, {"x": "1"}, {"x": 1})
    assert lines(spec) == [(1, 0), (2, 0), (3, 0), (4, 0)]
    answers = [{"args": {"x": x}, "response": "r"} for x in ("1", "2", "1", 1)]
    spec = load_spec(write_test(tmp_path / "u", instances=answers, **ASKS), tmp_path)
    assert lines(spec) == [(1, 0), (2, 0), (4, 0)], "two answers to the same args are of one row"
    assert lines(spec, repeats=2) == [(line, n) for line in (1, 2, 4) for n in (0, 1)]


def test_there_must_be_something_to_record(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give all parameters with -p NAME=VALUE"):
        each_args_once([spec_of(tmp_path)], RunOptions(models=("dummy/dummy",)), Settings())


def test_what_was_recorded_is_not_recorded_from(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, {"x": "1"})
    for model, settings in (
        ("replay", Settings()),
        ("mine", Settings(models={"mine": ModelSettings("replay")})),
    ):
        with pytest.raises(UsageError, match="name the model to record"):
            each_args_once([spec], RunOptions(models=(model,)), settings)


def test_the_time_of_an_answer_is_universal_time_to_the_second() -> None:
    told = run_info(make_result(), provider="openai")["timestamp"]
    then = datetime.strptime(told, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert abs((datetime.now(UTC) - then).total_seconds()) < 60
