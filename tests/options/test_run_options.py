"""An option of a run is declared once; each interface that it names offers it, with its help."""

from __future__ import annotations

import inspect
import runpy
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast, get_args

import click
import pytest
from support.command_line import lve as command_line
from support.folders import write_sums, write_test
from support.run_command import instances

import lve
from lve.cli.main import cli
from lve.cli.run.command_options import given_options
from lve.documents.validation.schema import load_schema
from lve.errors import UsageError
from lve.options.option import CHOOSING, Interface
from lve.options.python_arguments import checked_options
from lve.options.run_arguments import RunArguments
from lve.options.run_options import (
    DEFAULTS,
    OPTIONS,
    PICKING,
    RunOptions,
    spelled,
    variables_of,
    word_of,
)
from lve.pipeline.choosing.limits_and_filters import chooses_instances
from lve.pipeline.prospects.rate_prospects import has_own_size
from lve.pytest_plugin import options as plugin
from lve.sessions.stored_options import restored_options, stored_options
from lve.settings.settings import Caps

ROOT = Path(__file__).parents[2]
VERBS = [one for one in get_args(Interface) if one not in ("pytest", "python")]
NUMBERS = [name for name, option in OPTIONS.items() if option.values.range]
OWN = {("record", "repeats"), ("score", "session_dir"), ("check", "trust")}
"""What verbs call as an option of a run, and is something else there."""


def at(interface: Interface) -> list[str]:
    return [name for name, option in OPTIONS.items() if interface in option.interfaces]


def declared(verb: str) -> dict[str, click.Option]:
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    return {
        str(one.name): one
        for one in command.params
        if isinstance(one, click.Option) and (verb, one.name) not in OWN
    }


def test_every_field_is_an_option() -> None:
    assert {item.name for item in fields(RunOptions)} - set(OPTIONS) == {
        "binds_answers",
        "listen",
        "own_models",
        "picked",
    }


@pytest.mark.parametrize("verb", VERBS)
def test_the_command_line(verb: Interface) -> None:
    found, wanted = declared(verb), at(verb)
    assert [word_of(name) for name in OPTIONS if word_of(name) in found] == [*map(word_of, wanted)]
    for name in wanted:
        option, shown = OPTIONS[name], found[word_of(name)]
        assert (shown.help, shown.metavar) == (option.command_line_help, option.shown_metavar)
        assert set(shown.opts) == {spelled(name), *filter(None, [option.short])}
        assert option.values.range in option.command_line_help


def test_an_option_that_picks_instances_says_so() -> None:
    """Estimates, pass rates and `lve check` rely on it."""
    offered = {name for name, option in OPTIONS.items() if option.interfaces == CHOOSING}
    assert offered - set(PICKING) == {"tags", "prompts", "seed", "failed_in"}
    for name in PICKING:
        asked = replace(DEFAULTS, **{name: EXAMPLES.get(name, 1)})
        assert chooses_instances(asked), name
        assert not has_own_size(asked), name


EXAMPLES: dict[str, Any] = {
    "instances": ("a",),
    "match": "a",
    "rows": "1",
    "shard": "1/2",
}
"""Values of options that aren't numbers."""
IN_THE_ENVIRONMENT: dict[str, tuple[str, Any]] = {
    "flag": ("1", None),
    "text": ("2", "2"),
    "whole": ("2", 2),
    "number": ("2.5", 2.5),
    "texts": ("a b", ("a", "b")),
    "mapping": ("x=1 y=2", None),
    "path": ("/state", Path("/state")),
}
"""Shape -> a value in the environment, and as an option has it."""


def given(command: click.Command, verb: Interface) -> dict[str, Any]:
    """Return the values that a verb's options get from the environment."""
    words = {"score": ["last"], "calibrate": ["test", "labels"]}.get(verb, [])
    parent = click.Context(cli, **cli.context_settings)
    found = given_options(command.make_context(verb, list(words), parent=parent).params)
    return {name: value for name, value in found.items() if name in at(verb)}


@pytest.mark.parametrize("verb", VERBS)
def test_the_environment(verb: Interface, monkeypatch: pytest.MonkeyPatch) -> None:
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None
    for name in at(verb):
        text, value = IN_THE_ENVIRONMENT[OPTIONS[name].values.shape]
        if name == "shard":
            text = value = "2/3"
        if name == "gate":
            text = value = "any"
        if name == "attacks":
            text = value = "base64"
        if OPTIONS[name].values.shape == "flag":
            value = not getattr(DEFAULTS, name)
        elif OPTIONS[name].values.shape == "mapping":
            value = {"x": 1, "y": 2} if name == "model_args" else {"x": "1", "y": "2"}
        for variable in variables_of(name):
            with monkeypatch.context() as environment:
                environment.setenv(variable, text)
                assert given(command, verb) == {name: value}
                environment.setenv(variable, "")
                assert given(command, verb) == {}


def test_pytest_knows_the_variables_of_the_command_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LVE_MAX_COST", "2.5")
    assert plugin.options_of(pytester.parseconfig()).run.max_cost == 2.5
    monkeypatch.setenv("LVE_BUDGET", "1.5")
    assert plugin.options_of(pytester.parseconfig()).run.max_cost == 1.5


def test_the_command_line_wins_over_the_environment(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sums(root / "t", 5)
    monkeypatch.setenv("LVE_MODEL", "replay")
    monkeypatch.setenv("LVE_LIMIT", "2")
    assert len(instances(command_line("run", "--json"))) == 2
    assert len(instances(command_line("run", "--limit", "3", "--json"))) == 3
    monkeypatch.setenv("LVE_LIMIT", "x")
    told = "Invalid value for 'LVE_LIMIT': must be a whole number"
    assert told in command_line("run", code=2).stderr


def test_a_pair_that_is_none_is_named_with_the_place_that_it_came_from(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test(root / "t")
    assert (
        "Invalid value for '-p': 'x' is not NAME=VALUE"
        in command_line("run", "-p", "x", code=2).stderr
    )
    monkeypatch.setenv("LVE_PARAMETER", "y")
    assert "'LVE_PARAMETER': 'y' is not NAME=VALUE" in command_line("run", code=2).stderr


def test_an_earlier_session_goes_on_whatever_the_environment_says(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sums(root / "t", 5)
    command_line("run", "-m", "replay", "--limit", "3", "--max-requests", "1", code=6)
    monkeypatch.setenv("LVE_MODEL", "dummy/dummy")
    monkeypatch.setenv("LVE_LIMIT", "1")
    monkeypatch.setenv("LVE_MAX_REQUESTS", "9")
    assert len(instances(command_line("run", "--resume", "--json"))) == 3
    refused = command_line("run", "--resume", "--limit", "1", code=2)
    assert "--limit can't change" in str(refused.exception)


def test_pytest(pytester: pytest.Pytester) -> None:
    assert [one.field for one in plugin.TABLE if one.field] == at("pytest")
    shown = " ".join(pytester.runpytest("--help").stdout.str().split())
    for one in plugin.TABLE:
        assert one.flag in shown
        assert " ".join(one.help.split()) in shown


@pytest.mark.parametrize("function", [lve.run, lve.arun])
def test_python(function: Callable[..., object]) -> None:
    arguments = inspect.signature(function).parameters
    known = {OPTIONS[name].python_word or name: name for name in at("python")}
    assert list(arguments) == ["tests", *known]
    assert list(RunArguments.__annotations__) == [*known]
    defaults: Any = {word: arguments[word].default for word in known}
    assert [defaults[word] for word in ("model", "roles", "tags", "seed")] == [None, None, (), 0]
    assert checked_options(defaults) == checked_options({}) == DEFAULTS


def test_the_schema_knows_every_option() -> None:
    """A session whose options it doesn't know could not be resumed."""
    known = load_schema("session")["properties"]["options"]["properties"]
    assert list(known) == list(OPTIONS)


def test_what_is_generated_is_up_to_date() -> None:
    pages = runpy.run_path(str(ROOT / "docs" / "generate_options.py"))["pages"]()
    for file, text in pages.items():
        assert file.read_text(encoding="utf-8") == text, "run `make docs`"


@pytest.mark.parametrize("number", [-1, 10**400])
@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_out_of_its_range_is_refused_alike_everywhere(
    root: Path, pytester: pytest.Pytester, name: str, number: int
) -> None:
    values = OPTIONS[name].values
    write_test(root / "t")
    refusal = str(values.refusal(number))
    assert len(refusal) < 120
    with pytest.raises(UsageError, match=f"^{name} must be {refusal}$"):
        lve.run("t", **cast("Any", {name: number}))
    with pytest.raises(UsageError, match=f"^session s: {name} must be {refusal}$"):
        restored_options({name: number}, {}, session="s", caps=Caps())
    with pytest.raises(ValueError, match=values.in_words.partition(" from ")[0]) as of_text:
        values.typed(str(number))
    for verb in VERBS:
        if verb in OPTIONS[name].interfaces:
            typed = command_line(verb, "t", f"{spelled(name)}={number}", code=2)
            assert f"Invalid value for '{spelled(name)}'" in typed.output
            assert f": {of_text.value} [usage]" in " ".join(typed.output.split())
    for one in plugin.TABLE:
        if one.field == name:
            read = plugin.options_of(pytester.parseconfig(f"{one.flag}={number}"))
            assert read.problems == (f"{one.flag} {of_text.value}",)
            assert read.run == DEFAULTS


def test_a_session_keeps_what_is_given_and_brings_back_what_it_may() -> None:
    given: dict[str, Any] = {
        "flag": True,
        "text": "http://x/v1",
        "whole": 2,
        "number": 2.5,
        "texts": ("a",),
        "mapping": {"a": "1"},
        "path": Path("/state"),
    }
    for name, option in OPTIONS.items():
        value = given[option.values.shape]
        if option.values.shape == "flag":
            value = not getattr(DEFAULTS, name)
        if (option.values.parser is not None and option.values.shape == "text") or name == "gate":
            value = {"shard": "2/3", "gate": "any", "attacks": "base64"}.get(
                name, "2"
            )  # a row, and a word
        stored = stored_options(replace(DEFAULTS, **{name: value}))
        assert list(stored) == [name]
        if option.on_resume == "given_again":
            with pytest.raises(UsageError, match="give it again"):
                restored_options(stored, {}, session="s", caps=Caps())
            continue
        restored = restored_options(stored, {}, session="s", caps=Caps())
        assert getattr(restored, name) == (
            getattr(DEFAULTS, name) if option.on_resume == "not_stored" else value
        )
