"""What a mistyped command or option was meant to be."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import click

from lve.errors import UsageError, with_code
from lve.suggest import closest

ELSEWHERE: Mapping[str, str] = {
    "--concurrency": "--max-connections N",
    "--filter": "-k WORDS",
    "--html": "-o FILE.html",
    "--junit": "-o FILE.xml",
    "--junit-xml": "-o FILE.xml",
    "--junitxml": "-o FILE.xml",
    "--output_path": "-o FILE",
    "--provider": "--model NAME",
    "--workers": "--max-connections N",
}
"""Option of another tool -> what does that here, in `lve run` and its kind."""
MIN_OPTION_SIMILARITY = 0.7
"""How similar a mistyped option must be to the option that is suggested, from 0 to 1."""


def meant_verb(error: click.UsageError, word: str, words: Sequence[str]) -> click.UsageError:
    """Return click's error about a command that there isn't, with a suggestion.

    Args:
        error: the error.
        word: what was typed.
        words: the commands that there are.
    """
    path = " ".join(["lve", *(error.ctx.command_path.split()[1:] if error.ctx else ())])
    verb = closest(word, words)
    if os.path.exists(word):  # noqa: PTH110 (pathlib costs start-up time here)
        hint = f"did you mean `lve run {word}`?"
    elif verb:
        hint = f"did you mean `{path} {verb}`?"
    else:
        hint = f"`{path} --help` lists the commands"
    message = f"No such command '{word}'; {hint}"
    return click.UsageError(message, ctx=error.ctx)


def usage_error(error: click.ClickException, cli: click.Command) -> click.ClickException:
    """Return an error of the command line with its code, and with what an option was meant to be.

    Args:
        error: the error. Those without arguments, which show the help, stay as they are.
        cli: the command whose options are meant if the error doesn't say.
    """
    if isinstance(error, click.NoSuchOption):
        meant = _meant_elsewhere(error)
        error = _meant_option(error, cli) if meant is None else click.UsageError(meant, error.ctx)
    no_args = getattr(click.exceptions, "NoArgsIsHelpError", ())  # new in click 8.2
    if not isinstance(error, click.UsageError) or isinstance(error, no_args):
        return error
    return click.UsageError(with_code(error.format_message(), UsageError.code), error.ctx)


def _meant_elsewhere(error: click.NoSuchOption) -> str | None:
    """Return the message for an option of another tool that the command has by another name."""
    meant = ELSEWHERE.get(error.option_name)
    if meant is None or error.ctx is None:
        return None
    spellings = {name for parameter in error.ctx.command.params for name in parameter.opts}
    has_it = meant.split()[0] in spellings
    return f"No such option '{error.option_name}'. Here it is `{meant}`." if has_it else None


def _meant_option(error: click.NoSuchOption, cli: click.Command) -> click.NoSuchOption:
    """Return `error` with the most similar option as its only suggestion, or with none.

    click suggests several options, most of them unrelated.

    Args:
        error: the error.
        cli: the command whose options are meant if the error doesn't say.
    """
    command = error.ctx.command if error.ctx else cli
    spellings = [name for parameter in command.params for name in parameter.opts]
    spelling = closest(error.option_name, spellings, cutoff=MIN_OPTION_SIMILARITY)
    return click.NoSuchOption(
        error.option_name, possibilities=[spelling] if spelling else None, ctx=error.ctx
    )
