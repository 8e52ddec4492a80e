"""The document that `--json` prints of a verb that was refused: stdout is JSON whatever happens."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from lve.cli.find_tests import problem_json
from lve.documents.json_lines import plain
from lve.errors import LveError, SpecError, UsageError
from lve.escape import disarm_json, keyless
from lve.exit_code import ExitCode

OPTION = "--json"
OF_FORMATS = ("new",)
"""Verbs whose `--json` is the format of a file that they write."""

QUESTION = "the command asks something, and with --json nobody is asked: its --help has an option"


def print_refusal(error: BaseException, exit_code: int, words: Sequence[str]) -> None:
    """Print an error that ended a verb as a JSON document on stdout, if `--json` asks for that.

    Args:
        error: why the verb ended; on stderr is the same.
        exit_code: the verb's exit code.
        words: the command line, without the name of the program.
    """
    if getattr(sys.stdout, "is_used", False):  # the document is there, or a part of it
        return
    options = words[: words.index("--")] if "--" in words else words
    if OPTION not in options or words[0] in OF_FORMATS:
        return
    meanings = {int(code): code.meaning for code in ExitCode}
    problems = error.problems if isinstance(error, SpecError) else ()
    document = {
        "exit_code": exit_code,
        "meaning": meanings.get(exit_code, ""),
        "error": {"code": _code(error), "message": _message(error)},
        "problems": [problem_json(problem) for problem in problems],
    }
    click.echo(disarm_json(keyless(json.dumps(plain(document), indent=2))))


def _code(error: BaseException) -> str | None:
    if isinstance(error, KeyboardInterrupt):
        return None
    if isinstance(error, LveError):
        return error.code
    return "unreadable" if isinstance(error, OSError) else UsageError.code


def _message(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, click.Abort):
        return QUESTION
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} can't be used: {error.strerror}"
    return str(error)
