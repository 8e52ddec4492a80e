"""Which instances run, and with which model args."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums, write_test

from lve.errors import UsageError
from lve.models.scripted import ScriptedModel
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.instances import check_selection, select_instances
from lve.pipeline.model_args import args_maker, base_args, request_args
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Caps, Settings
from lve.spec.load import load_spec
from lve.spec.spec import Instance, Spec


@pytest.fixture
def sums(tmp_path: Path) -> Spec:
    return load_spec(write_sums(workspace(tmp_path) / "sums", 5))


def selected(spec: Spec, settings: Settings | None = None, **options: Any) -> list[Instance]:
    found = list(select_instances(spec, RunOptions(**options), settings or Settings()))
    assert all(isinstance(item, Instance) for item in found)
    return [item for item in found if isinstance(item, Instance)]


def test_all_instances_by_default(sums: Spec) -> None:
    assert [instance.line for instance in selected(sums)] == [1, 2, 3, 4, 5]


def test_a_cap_that_leaves_instances_out_is_told(sums: Spec) -> None:
    told: list[str] = []
    for rows, expected in ((5, 5), (4, 4)):
        settings = Settings(caps=Caps(rows=rows))
        found = list(select_instances(sums, RunOptions(), settings, warn=told.append))
        assert len(found) == expected
    assert told == [
        "sums: ends after row 4 and has more: the settings' caps allow no more rows [cap]"
    ]


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ({"limit": 2}, [1, 2]),
        ({"limit": 5}, [1, 2, 3, 4, 5]),
        ({"limit": 10**12}, [1, 2, 3, 4, 5]),
        ({"limit": 2, "index": 3}, [4]),
        ({"limit": 2, "parameters": {"a": "7"}}, [1, 2]),
        ({"limit": 2, "parameters": {"a": "7", "b": "8"}}, [1]),
    ],
)
def test_a_limit_ends_what_is_selected(
    sums: Spec, options: dict[str, Any], lines: list[int]
) -> None:
    assert [instance.line for instance in selected(sums, **options)] == lines


def test_a_limit_counts_instances_and_reads_no_further(sums: Spec) -> None:
    file = sums.folder / "instances" / "main.jsonl"
    first, second, third, *others = file.read_text().splitlines()
    file.write_text("\n".join([first, "broken", second, third, "broken", *others]))
    found = list(select_instances(sums, RunOptions(limit=2), Settings()))
    assert [isinstance(item, Instance) for item in found] == [True, False, True]


@pytest.mark.parametrize(("limit", "told"), [(3, 0), (4, 0), (5, 1)])
def test_only_a_cap_below_the_limit_is_told(sums: Spec, limit: int, told: int) -> None:
    warnings: list[str] = []
    settings = Settings(caps=Caps(rows=4))
    found = list(select_instances(sums, RunOptions(limit=limit), settings, warn=warnings.append))
    assert (len(found), len(warnings)) == (min(limit, 4), told)


def test_index_counts_from_zero(sums: Spec) -> None:
    assert [instance.line for instance in selected(sums, index=1)] == [2]


def test_an_index_beyond_the_end_selects_nothing(sums: Spec) -> None:
    assert selected(sums, index=5) == []


def test_instances_by_file_name(sums: Spec) -> None:
    assert len(selected(sums, instances=("main.jsonl",))) == 5
    assert selected(sums, instances=("other.jsonl",)) == []


def test_all_parameters_make_an_instance_of_their_own(sums: Spec) -> None:
    (only,) = selected(sums, parameters={"a": "3", "b": "4"})
    assert (only.parameters, only.source, only.line) == ({"a": "3", "b": "4"}, "command line", 1)


def test_some_parameters_override_every_instance(sums: Spec) -> None:
    found = selected(sums, parameters={"a": "100"})
    assert [instance.parameters["a"] for instance in found] == ["100"] * 5
    assert [instance.recorded for instance in found] == [None] * 5


def test_an_unknown_parameter_gets_a_suggestion(tmp_path: Path) -> None:
    spec = load_spec(
        write_test(
            workspace(tmp_path) / "t",
            prompt=[{"content": "Hi {person}"}],
            prompt_parameters=["person"],
        )
    )
    with pytest.raises(UsageError, match="no parameter 'persn': did you mean `person`"):
        check_selection(spec, RunOptions(parameters={"persn": "x"}))


def test_parameters_are_typed_as_the_test_declares(tmp_path: Path) -> None:
    spec = load_spec(
        write_sums(workspace(tmp_path) / "t", 1, prompt_parameters_validator=["int", "float"])
    )
    (only,) = selected(spec, parameters={"a": "3", "b": "4"})
    assert only.parameters == {"a": 3, "b": 4.0}
    with pytest.raises(UsageError, match="parameter 'a' must be int, not 'x'"):
        check_selection(spec, RunOptions(parameters={"a": "x"}))


def test_the_cap_on_rows_holds(sums: Spec) -> None:
    assert len(selected(sums, Settings(caps=Caps(rows=2)))) == 2


@pytest.mark.parametrize(
    ("settings", "test", "instance", "command", "cap", "expected"),
    [
        ({}, {}, {}, {}, None, {"temperature": 0.0}),
        ({"temperature": 0.1}, {}, {}, {}, None, {"temperature": 0.1}),
        ({"temperature": 0.1}, {"temperature": 0.2}, {}, {}, None, {"temperature": 0.2}),
        ({}, {"temperature": 0.2}, {"temperature": 0.3}, {}, None, {"temperature": 0.3}),
        ({}, {}, {"temperature": 0.3}, {"temperature": 0.4}, None, {"temperature": 0.4}),
        ({}, {}, {"temperature": 0.3}, {"temperature": None}, None, {}),
        ({"seed": 1}, {"seed": None}, {}, {}, None, {"temperature": 0.0}),
        ({}, {}, {"max_tokens": 900}, {}, 100, {"temperature": 0.0, "max_tokens": 100}),
        ({}, {}, {"max_tokens": 9}, {}, 100, {"temperature": 0.0, "max_tokens": 9}),
        ({}, {}, {}, {}, 100, {"temperature": 0.0, "max_tokens": 100}),
        (
            {},
            {},
            {"max_completion_tokens": 900},
            {},
            100,
            {"temperature": 0.0, "max_completion_tokens": 100},
        ),
    ],
)
def test_model_args(
    tmp_path: Path,
    settings: dict[str, Any],
    test: dict[str, Any],
    instance: dict[str, Any],
    command: dict[str, Any],
    cap: int | None,
    expected: dict[str, Any],
) -> None:
    spec = load_spec(write_test(workspace(tmp_path) / "t", default_model_args=test))
    known = Settings(models={"m": ModelSettings(args=settings)}, caps=Caps(max_tokens=cap))
    one = Instance(instance, {}, instance, "x", 1)
    base = base_args(known, "m", spec)
    assert request_args(base, one, RunOptions(model_args=command), known) == expected


def test_instances_without_model_args_of_their_own_share_one_object(sums: Spec) -> None:
    first, second = selected(sums)[:2]
    special = replace(first, model_args={"seed": 7})
    args_of = args_maker(sums, "m", RunOptions(), Settings(), notice=list)
    assert args_of(first) is args_of(second)
    assert args_of(special) == {"temperature": 0.0, "seed": 7}
    assert args_of(first) == {"temperature": 0.0}


def test_a_model_made_in_python_may_change_its_args(sums: Spec) -> None:
    first, second = selected(sums)[:2]
    options = RunOptions(own_models={"m": ScriptedModel(["4"])})
    args_of = args_maker(sums, "m", options, Settings(), notice=list)
    assert args_of(first) == args_of(second)
    assert args_of(first) is not args_of(second)
