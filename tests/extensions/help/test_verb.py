"""`lve help`, and the help of `lve run`."""

from __future__ import annotations

import click
import pytest
from support.command_line import lve

from lve.cli.run.command import run
from lve.extensions.help.verb import GROUPS, HIDDEN


def said(*words: str) -> str:
    return lve(*words).output


@pytest.mark.parametrize("words", [(), ("run",), ("session", "merge"), ("compare",)], ids=" ".join)
def test_it_is_the_help_of_the_command(words: tuple[str, ...]) -> None:
    assert said("help", *words) == said(*words, "--help")


def test_more_has_the_other_commands() -> None:
    more = said("help", "more")
    assert "calibrate   Measure how well" in more
    assert "merge      lve session merge" in more


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("nothing",), "No such command 'nothing'"),
        (("run", "x"), "`lve run` has no command 'x'"),
        (("session", "comit"), "No such command 'comit'"),
    ],
)
def test_a_command_that_there_is_not(words: tuple[str, ...], problem: str) -> None:
    assert problem in lve("help", *words, code=2).output


def test_every_option_of_a_run_is_in_one_group() -> None:
    options = [option.name for option in run.params if isinstance(option, click.Option)]
    names = [name for group in GROUPS.values() for name in group]
    assert len(names) == len({*names})
    assert {*names} <= {*options}
    assert {*options} >= HIDDEN
    text = said("run", "--help")
    for option in run.params:
        if isinstance(option, click.Option):
            times = text.count(f"  {_first_spelling(option)}")
            assert times == (option.name not in HIDDEN), option.name


def _first_spelling(option: click.Option) -> str:
    words = ", ".join(sorted(option.opts, key=len))
    return f"{words} " if option.is_flag or not option.metavar else f"{words} {option.metavar}"


def test_what_matters_first_is_first() -> None:
    text = said("run", "--help")
    titles = [line[:-1] for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles == [*GROUPS, "Advanced", "Environment"]
    assert len(GROUPS["Most used"]) == 8


def test_the_environment_is_named_for_the_options_that_it_sets() -> None:
    text = said("run", "--help").partition("Environment:")[2]
    alone = {
        min(option.opts, key=len)
        for option in run.params
        if isinstance(option, click.Option) and not option.envvar and option.name not in HIDDEN
    }
    assert {word.strip(".,") for word in text.replace("\n", " ").split("Not so")[1].split()} >= {
        word for word in alone if len(word) > 2
    } - {"--dry-run"}


def test_hidden_options_go_on_working() -> None:
    for name, value in (("index", "3"), ("temperature", "0.5")):
        ctx = run.make_context("run", [f"--{name}", value, "tests"])
        assert str(ctx.params[name]) == value
