"""The catalogue has useful sentences for each code, and names only what exists."""

from __future__ import annotations

import re
from pathlib import Path

import click
import yaml

from lve.cli.main import cli
from lve.cli.verbs import VERBS
from lve.message_codes.catalogue import FILE, CodeEntry, entries, groups
from lve.options.run_options import RunOptions

ROOT = Path(__file__).parents[2]
GIVEN = ROOT / "tests" / "cases" / "message_codes.txt"
ALL = list(entries().values())


def test_a_code_has_a_cause_and_a_remedy_in_sentences() -> None:
    for one in ALL:
        _has_sentences(one)


def _has_sentences(one: CodeEntry) -> None:
    assert re.fullmatch(r"[a-z][a-z_]{1,29}", one.code), one.code
    for text in (one.cause, one.remedy):
        assert re.match(r"[A-Z`]", text), f"{one.code}: {text}"
        assert text.endswith("."), f"{one.code}: {text}"
        assert 15 <= len(text) <= 300, f"{one.code}: {text}"
    assert one.cause != one.remedy, one.code
    assert "|" not in one.cause + one.remedy, f"{one.code}: the page of kinds is a table"


def test_what_a_remedy_names_is_there() -> None:
    for one in ALL:
        _names_what_is_there(one)


def _names_what_is_there(one: CodeEntry) -> None:
    text = f"{one.cause} {one.remedy}"
    for page in re.findall(r"docs/[\w-]+\.md", text):
        assert (ROOT / page).is_file(), f"{one.code}: {page}"
    for words in re.findall(r"`lve ([a-z-]+(?: [a-z]+)?)", text):
        verb, _, inner = words.partition(" ")
        assert verb in VERBS, f"{one.code}: {words}"
        command = cli.get_command(click.Context(cli), verb)
        if isinstance(command, click.Group) and inner:
            assert inner in command.list_commands(click.Context(command)), f"{one.code}: {words}"


def test_a_code_has_one_place() -> None:
    written = [code for group in groups() for code in (one.code for one in group.codes)]
    assert len(written) == len(set(written))
    titles = [group.title for group in groups()]
    assert len(titles) == len(set(titles))


def test_a_code_that_was_given_is_never_lost_and_never_given_again() -> None:
    given = GIVEN.read_text(encoding="utf-8").split()
    retired = yaml.safe_load(FILE.read_text(encoding="utf-8"))["retired"]
    assert given == sorted(set(given))
    assert {*given} == {*entries(), *retired}, f"new codes go into {GIVEN.name}"
    assert not {*entries()} & {*retired}


def test_options_that_remedies_name_are_there() -> None:
    known = {f"--{name.replace('_', '-')}" for name in RunOptions.__dataclass_fields__}
    for verb in VERBS:
        command = cli.get_command(click.Context(cli), verb)
        assert command is not None
        commands = [command, *getattr(command, "commands", {}).values()]
        known |= {name for c in commands for p in c.params for name in (*p.opts, *p.secondary_opts)}
    known |= {"--lve-trust", "--help"}
    for one in ALL:
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", f"{one.cause} {one.remedy}"):
            assert option in known, f"{one.code}: {option}"
