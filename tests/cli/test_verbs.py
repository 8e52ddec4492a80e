"""The verbs that help shows, the words that stand for them, and names of earlier versions."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from lve.cli.main import cli
from lve.cli.verbs import INNER, MOVED, SHOWN, VERBS
from lve.extensions.help.verb import more_help


def help_of(*words: str) -> str:
    result = CliRunner().invoke(cli, [*words, "--help"])
    assert result.exit_code == 0
    return result.stdout


def test_the_help_fits_a_terminal() -> None:
    lines = help_of().splitlines()
    assert len(lines) <= 23  # and the prompt of the shell
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("words", [*((verb,) for verb in VERBS), ("session", "merge")])
def test_every_help_fits_80_columns(words: tuple[str, ...]) -> None:
    assert max(map(len, help_of(*words).splitlines())) <= 80


def test_each_verb_is_in_one_place_of_the_help() -> None:
    short, more = help_of(), more_help()
    shown = [verb for verbs in SHOWN.values() for verb in verbs]
    assert len(shown) == len({*shown}) == 11
    for verb in VERBS:
        assert (f"\n  {verb:8}{VERBS[verb]}\n" in short) == (verb in shown), verb
        assert (f"\n  {verb} " in more) == (verb not in shown), verb


def test_what_the_help_names_beside_its_groups_is_there() -> None:
    (line,) = [line for line in help_of().splitlines() if line.startswith("  list ")]
    assert {*line.split()} - {"..."} <= {*VERBS} - {*MOVED}


@pytest.mark.parametrize("verb", MOVED)
def test_an_earlier_name_works_and_says_the_new_one(verb: str) -> None:
    result = CliRunner().invoke(cli, [verb, "--help"])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: cli {verb} ")
    assert (
        result.stderr == f"lve: `lve {verb}` is now `lve {MOVED[verb]}`; the old name still works\n"
    )


@pytest.mark.parametrize(
    ("group", "word"), [(group, word) for group in INNER for word in INNER[group]]
)
def test_a_command_of_a_group_is_that_of_the_earlier_name(group: str, word: str) -> None:
    earlier = INNER[group][word]
    result = CliRunner().invoke(cli, [group, word, "--help"])
    assert (result.exit_code, result.stderr) == (0, "")
    old = help_of(earlier).replace(f"Usage: cli {earlier} ", f"Usage: cli {group} {word} ")
    assert result.stdout == old


def test_a_group_lists_its_commands() -> None:
    for group, words in INNER.items():
        listed = help_of(group).partition("Commands:")[2]
        assert [line.split()[0] for line in listed.strip().splitlines()] == [*words]


def test_a_mistyped_command_of_a_group_gets_a_suggestion() -> None:
    result = CliRunner().invoke(cli, ["contrib", "statu"])
    assert result.exit_code == 2
    assert "did you mean `lve contrib status`?" in result.output
    result = CliRunner().invoke(cli, ["session", "qqqqqq"])
    assert "`lve session --help` lists the commands" in result.output


def test_a_verb_beside_its_new_place_is_no_command_of_the_group() -> None:
    assert CliRunner().invoke(cli, ["session", "status"]).exit_code == 2
    assert cli.get_command(click.Context(cli), "nothing") is None
