"""Which model args a request has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lve.models.scripted import ScriptedModel
from lve.options.run_options import RunOptions
from lve.pipeline.model_args import args_maker, base_args, request_args
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Caps, Settings
from lve.spec.spec import Instance

MODEL = "openai/m"


def args_of_test(
    settings: dict[str, Any] | None = None, test: dict[str, Any] | None = None
) -> dict[str, Any]:
    spec: Any = SimpleNamespace(model_args=test or {}, args_for=lambda _: test or {})
    return base_args(Settings(models={MODEL: ModelSettings(args=settings or {})}), MODEL, spec)


def instance(**model_args: Any) -> Instance:
    return Instance(model_args, {}, model_args, "instances/a.jsonl", 1)


def test_the_test_wins_over_the_settings_and_temperature_is_zero() -> None:
    assert args_of_test() == {"temperature": 0.0}
    assert args_of_test({"temperature": 1, "seed": 1}) == {"temperature": 1, "seed": 1}
    assert args_of_test({"temperature": 1}, {"temperature": 2})["temperature"] == 2


def test_the_command_line_wins_and_none_takes_an_arg_away() -> None:
    options = RunOptions(model_args={"seed": 3, "temperature": None})
    base = {"temperature": 0.0, "seed": 1, "top_p": 1}
    assert request_args(base, instance(seed=2, top_p=0.5), options, Settings()) == {
        "seed": 3,
        "top_p": 0.5,
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"max_tokens": 100}),
        ({"max_tokens": 7}, {"max_tokens": 7}),
        ({"max_tokens": 101}, {"max_tokens": 100}),
        ({"max_completion_tokens": 101}, {"max_completion_tokens": 100}),
        (
            {"max_tokens": 7, "max_completion_tokens": 101},
            {"max_tokens": 7, "max_completion_tokens": 100},
        ),
        ({"max_tokens": None}, {"max_tokens": 100}),
    ],
)
def test_the_cap_on_tokens_holds_whatever_is_given(
    given: dict[str, Any], expected: dict[str, Any]
) -> None:
    settings = Settings(caps=Caps(max_tokens=100))
    assert request_args({}, instance(), RunOptions(model_args=given), settings) == expected


def test_instances_without_args_of_their_own_share_one_object() -> None:
    spec: Any = SimpleNamespace(model_args={}, args_for=lambda _: {})
    args_of = args_maker(spec, MODEL, RunOptions(), Settings(), notice=list)
    assert args_of(instance()) is args_of(instance())
    assert args_of(instance(seed=1)) == {"temperature": 0.0, "seed": 1}
    mine = RunOptions(own_models={MODEL: ScriptedModel({})})
    args_of = args_maker(spec, MODEL, mine, Settings(), notice=list)
    assert args_of(instance()) is not args_of(instance())
