"""The verbs that help shows, the words that stand for them, and names of earlier versions."""

from __future__ import annotations

import click
import pytest
from support.command_line import lve

from lve.cli.main import cli
from lve.cli.verbs import INNER, MOVED, SHOWN, VERBS
from lve.extensions.help.verb import more_help


def help_of(*words: str) -> str:
    return lve(*words, "--help").stdout


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
    result = lve(verb, "--help")
    assert result.stdout.startswith(f"Usage: lve {verb} ")
    assert (
        result.stderr == f"lve: `lve {verb}` is now `lve {MOVED[verb]}`; the old name still works\n"
    )


@pytest.mark.parametrize(
    ("group", "word"), [(group, word) for group in INNER for word in INNER[group]]
)
def test_a_command_of_a_group_is_that_of_the_earlier_name(group: str, word: str) -> None:
    earlier = INNER[group][word]
    result = lve(group, word, "--help")
    assert result.stderr == ""
    old = help_of(earlier).replace(f"Usage: lve {earlier} ", f"Usage: lve {group} {word} ")
    assert result.stdout == old


def test_a_group_lists_its_commands() -> None:
    for group, words in INNER.items():
        listed = help_of(group).partition("Commands:")[2]
        assert [line.split()[0] for line in listed.strip().splitlines()] == [*words]


def test_a_mistyped_command_of_a_group_gets_a_suggestion() -> None:
    assert "did you mean `lve contrib status`?" in lve("contrib", "statu", code=2).output
    unknown = lve("session", "qqqqqq", code=2).output
    assert "`lve session --help` lists the commands" in unknown


def test_a_verb_beside_its_new_place_is_no_command_of_the_group() -> None:
    lve("session", "status", code=2)
    assert cli.get_command(click.Context(cli), "nothing") is None
