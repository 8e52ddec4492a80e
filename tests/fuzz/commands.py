"""Command lines with hostile values, and what runs them in this process."""

from __future__ import annotations

import io
import random
import sys
from functools import cache
from unittest import mock

import click

from lve.cli.main import cli, print_system_error
from lve.cli.verbs import VERBS

from .attempts import HangsError

LEFT_OUT = frozenset({"view", "commit", "pr", "completion", "init", "import", "new"})
"""Verbs that serve, start git, or read nothing of what is tried here."""
NEVER = frozenset(
    {
        "--watch",
        "--ray",
        "--batch",
        "--to",
        "--ask",
        "--help",
        "--contribute",
        "--push",
        "--tokens",
        "--embed",
    }
)
"""Options that wait, or need what isn't here."""
TEXTS = (
    "",
    " ",
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "9" * 5000,
    "1_000",
    "\u0663",
    "1/0",
    "0/1",
    "1/2",
    "2/2",
    "-1/-1",
    "1/99999999999999",
    "1-",
    "-3",
    "3-1",
    "1-999999999999",
    "1,,2",
    "::",
    "1:2:3",
    "a",
    "a=",
    "=b",
    "a=b",
    "a=b=c",
    "a=1e999",
    "a=nan",
    'a={"b": [1]}',
    "a=[",
    "temperature=x",
    "top_k=-1",
    "seed=null",
    "a and",
    "(a",
    "a)" * 50,
    "not " * 200 + "a",
    "[",
    "*",
    "\\",
    "{a}",
    "%s",
    "%(x)s",
    "\n",
    "\r\n::error::x",
    "\x1b[2J",
    "\u202e",
    "\udcff",
    "\ufeff",
    "a" * 5_000,
    "..",
    "/dev/null",  # not "/": `unit-test` would judge every test of the machine
    "~",
    ".",
    "-",
    "--",
    "no/such",
    "t",
    "t/test.yaml",
    "lve.yaml",
    ".lve",
    "dummy/dummy",
    "replay",
    "scripted/x",
    "openai/gpt-4",
    "hf/none",
    "//no",
    "judge=",
    "judge=dummy/dummy",
    "=dummy/dummy",
    "low",
    "last",
    "latest",
    "last~1",
    "last~999999999999",
    "2026",
    "out.json",
    "out.csv",
    "out.xml",
    "out.md",
    "out.parquet",
    "out.xyz",
    "no/such/out.json",
    "json:out",
    "html:",
    ":x",
    "http://127.0.0.1:9",
    "http://[",
    "file:///etc/passwd",
    "1h",
    "1d",
    "30s",
    "1GB",
    "-1GB",
    "9" * 400 + "GB",
    "0.5:0.9",
    ">=0.9",
    ">=2",
    "tag=low",
    "severity=low",
)
"""Values of options and arguments."""


@cache
def commands() -> dict[tuple[str, ...], click.Command]:
    """Return the commands that are tried, by their words."""
    context = click.Context(cli)
    commands: dict[tuple[str, ...], click.Command] = {}
    for verb in VERBS:
        command = cli.get_command(context, verb) if verb not in LEFT_OUT else None
        if isinstance(command, click.Group):
            commands.update({(verb, name): one for name, one in command.commands.items()})
        elif command is not None:
            commands[(verb,)] = command
    return commands


def command_line(draw: random.Random, verb: tuple[str, ...], places: tuple[str, ...]) -> list[str]:
    """Return a command line with hostile values.

    Args:
        draw: decides.
        verb: the words of the command.
        places: what its arguments often are.
    """
    words, arguments = list(verb), list[str]()
    for parameter in commands()[verb].params:
        if isinstance(parameter, click.Argument):
            count = draw.choice((0, 1, 1, 1, 2)) if parameter.nargs != 1 else 1
            arguments += [_place(draw, places) for _ in range(count)]
        elif parameter.opts[0] in NEVER:
            continue
        elif draw.random() < 0.12:
            words += _option(draw, parameter, places)
    return [*words, *arguments]


def _place(draw: random.Random, places: tuple[str, ...]) -> str:
    return draw.choice(places) if draw.random() < 0.85 else draw.choice(TEXTS)


def _option(draw: random.Random, parameter: click.Parameter, places: tuple[str, ...]) -> list[str]:
    name = draw.choice([*parameter.opts, *parameter.secondary_opts])
    if getattr(parameter, "is_flag", False):
        return [name]
    if isinstance(parameter.type, click.Choice) and draw.random() < 0.8:
        return [name, str(draw.choice(list(parameter.type.choices)))]
    value = draw.choice(TEXTS) if draw.random() < 0.8 else draw.choice(places)
    return [f"{name}={value}"] if name.startswith("--") and draw.random() < 0.5 else [name, value]


def run(words: list[str]) -> object:
    """Run a command in this process, as `lve.cli.main.main` does.

    Raises:
        Exception: what would end in a traceback, or an error on purpose.
    """
    try:
        with mock.patch.object(sys, "stdin", io.StringIO()):  # for `-i`; nobody is there to answer
            return cli.main(words, prog_name="lve", standalone_mode=False)
    except HangsError:
        raise
    except (click.exceptions.Abort, SystemExit):
        return None
    except OSError as error:
        return print_system_error(error)


def joined(words: list[str]) -> bytes:
    """Return a command line as bytes."""
    return "\x00".join(words).encode("utf-8", "surrogateescape")


def split(data: bytes) -> list[str]:
    """Return the command line in bytes; of words that the system would refuse nothing is left."""
    return data.decode("utf-8", "surrogateescape").split("\x00") if data else []
