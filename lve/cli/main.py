"""The `lve` command: imports the module of the verb in use, and turns errors into exit codes."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword
from typing import NoReturn

import click

from lve import __version__
from lve.cli.printing import discard_logs, discard_output, print_error, print_message, redact_output
from lve.cli.watchdog import start_watchdog
from lve.errors import (
    AdaptError,
    BudgetError,
    CheckerError,
    LveError,
    ModelError,
    SessionError,
    UnexpectedError,
    UsageError,
    with_code,
)
from lve.exit_code import ExitCode
from lve.extension_table import VERBS as EXTENSION_VERBS
from lve.extension_table import extension_part
from lve.suggest import closest

VERBS: dict[str, str] = {
    "init": "Make a workspace: settings, a test that works, a CI file.",
    "new": "Make a new test: its document, prompt file, README and examples.",
    "run": "Run tests against models and report what passed.",
    "check": "Check test documents without running anything.",
    "render": "Show exactly what would be sent to the model.",
    "show": "Describe tests or checkers, or report a session again.",
    "report": "Write reports of sessions to files.",
    "merge": "Merge the sessions of a run's shards into one.",
    "sessions": "List the sessions of this workspace and of the team's store.",
    "view": "Show sessions in the browser, even while they run.",
    "compare": "Compare two runs: what broke, what was fixed, and why.",
    "baseline": "Keep a session's verdicts in a file, to compare later runs.",
    "list": "List tests, checkers, models, or patterns for new tests.",
    "models": "List providers and known models, or show details of one.",
    "plugins": "List installed plugins: models, checkers, reporters and so on.",
    "import": "Convert the tests of another tool to test folders.",
    "record": "Run a test and keep the answers in its instances folder.",
    "score": "Judge a session's answers again, without the tested model.",
    "calibrate": "Measure how well a check agrees with people's labels.",
    "site": "Make a static site of tests.",
    "unit-test": "Judge the examples and the recorded answers of tests.",
    "readme": "Update the generated part of each test's README.",
    "status": "Show which tests you have changed, and what they still need.",
    "commit": "Commit one changed test, after checking it.",
    "pr": "Make a pull request for the tests that this branch commits.",
    "doctor": "Check what works on this machine, and what doesn't.",
    "explain": "Explain a message: its cause, and what to do about it.",
    "cache": "Show, clear or prune the cache of completions.",
    "prompt": "List, show, save and translate prompt objects.",
    "schema": "Print the schemas of lve's files, or let an editor use them.",
    "completion": "Print the script that completes commands in your shell.",
}
"""Verb -> its summary.

Its click command is in `lve.cli.<verb>`, unless `OWN_ROOM`, `SHARED_ROOM` or an extension has the
verb. It has the verb's name with `_` for `-`, plus a final `_` if that is a keyword of Python."""
WITHOUT_LIBRARIES = frozenset(
    {"init", "new", "check", "list", "explain", "schema", "completion", "import", "plugins"}
    | {"readme", "status", "commit", "pr"}
)
"""Verbs that use no library which logs, so that they start without Python's `logging`. (`check`
does where it asks models.)"""
OWN_ROOM = frozenset({"check", "run"})
"""Verbs that are packages of their own; the command is in `lve.cli.<verb>.command`."""
SHARED_ROOM = dict.fromkeys(("report", "sessions", "show"), "sessions")
"""Verb -> the package that it shares with other verbs; the command is in
`lve.cli.<package>.<verb>`."""
COMPLETION_VARIABLE = "_LVE_COMPLETE"
"""The environment variable that a shell sets to ask for completions. click reads it."""
MIN_OPTION_SIMILARITY = 0.7
"""How similar a mistyped option must be to the option that is suggested, from 0 to 1."""
OUTPUT_ERRORS = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT)
"""Error numbers of a stdout that can't be written. Sessions and caches raise their own errors."""


class LazyGroup(click.Group):
    """A group that imports a verb's module only when the verb is used.

    `lve --help` takes the summaries from `VERBS`, so it imports no verb.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name.replace("-", "_")
        command = getattr(import_module(_module_of(cmd_name, name)), name)
        if cmd_name not in WITHOUT_LIBRARIES:
            discard_logs()
        assert isinstance(command, click.Command)
        if os.environ.get(COMPLETION_VARIABLE):
            extension_part("completers")(command, cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would exit with 1
            return _reader_gone()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise _with_suggestion(error, args[0]) from None


def _module_of(verb: str, name: str) -> str:
    """Return the module of a verb, whose command has this name."""
    room = f"{SHARED_ROOM[verb]}." if verb in SHARED_ROOM else ""
    own = f"lve.cli.{room}{name}{'.command' * (verb in OWN_ROOM)}"
    return EXTENSION_VERBS.get(verb, own)


def _with_suggestion(error: click.UsageError, word: str) -> click.UsageError:
    verb = closest(word, VERBS)
    if os.path.exists(word):  # noqa: PTH110 (pathlib costs start-up time here)
        hint = f"did you mean `lve run {word}`?"
    elif verb:
        hint = f"did you mean `lve {verb}`?"
    else:
        hint = "`lve --help` lists the commands"
    message = f"No such command '{word}'; {hint}"
    return click.UsageError(message, ctx=error.ctx)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lve")
def cli() -> None:
    """Test language models with folders of text.

    \b
    lve run repository --model replay          offline, recorded answers
    lve run TEST --model openai/gpt-6-luna    against a model
    lve check TEST                             is this test well-formed?
    """


def main() -> NoReturn:
    """Run the command line and exit with a code from docs/cli.md."""
    if sys.argv[1:2] and sys.argv[1] in VERBS:
        start_watchdog()
    _open_missing_streams()
    if not os.environ.get(COMPLETION_VARIABLE):
        redact_output()
    else:  # click writes bytes then, and runs no verb
        extension_part("completion of shells")()
    try:
        code = cli.main(prog_name="lve", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        code = ExitCode.interrupted
    except KeyboardInterrupt:
        code = ExitCode.interrupted
    except click.ClickException as error:
        if isinstance(error, click.NoSuchOption):
            error = with_one_suggestion(error)
        _coded(error).show()
        code = error.exit_code
    except LveError as error:
        print_error(error)
        code = exit_code_of(error)
    except BrokenPipeError:
        code = _reader_gone()
    except OSError as error:
        code = print_system_error(error)
    _exit(code if isinstance(code, int) else 0)


def with_one_suggestion(error: click.NoSuchOption) -> click.NoSuchOption:
    """Return `error` with the most similar option as its only suggestion, or with none.

    click suggests several options, most of them unrelated.
    """
    command = error.ctx.command if error.ctx else cli
    spellings = [name for parameter in command.params for name in parameter.opts]
    spelling = closest(error.option_name, spellings, cutoff=MIN_OPTION_SIMILARITY)
    return click.NoSuchOption(
        error.option_name, possibilities=[spelling] if spelling else None, ctx=error.ctx
    )


def _coded(error: click.ClickException) -> click.ClickException:
    """Return a usage error with its code at the end of the message; other errors unchanged."""
    no_args = getattr(click.exceptions, "NoArgsIsHelpError", ())  # new in click 8.2
    if not isinstance(error, click.UsageError) or isinstance(error, no_args):
        return error
    return click.UsageError(with_code(error.format_message(), UsageError.code), error.ctx)


def print_system_error(error: OSError) -> ExitCode:
    """Print which file or stream the operating system refused, and return the exit code.

    Raises:
        OSError: `error` itself, if it names no file (the user couldn't fix it then), or if
            tracebacks are wanted.
    """
    if error.errno in OUTPUT_ERRORS:
        _reader_gone()
        with suppress(OSError):  # stdout and stderr may be the same closed terminal
            click.echo(f"lve: the output can't be written: {error.strerror}", err=True)
        return ExitCode.errors
    from lve.error_boundary import wants_traceback  # late imports: few commands need them

    if _is_current_folder_gone():
        message = "the current folder has been removed: go to another one (`cd ..`)"
        print_message(with_code(message, "no_such_path"))
        return ExitCode.invalid
    if not isinstance(error.filename, str | bytes) or wants_traceback():
        raise error

    file = os.fsdecode(error.filename)
    print_message(with_code(f"{file} can't be used: {error.strerror}", "unreadable"))
    return ExitCode.invalid


def _is_current_folder_gone() -> bool:
    try:
        os.getcwd()  # noqa: PTH109
    except OSError:
        return True
    return False


def _exit(code: int) -> NoReturn:
    """End the process. Ctrl-C during the exit ends it at once, without a traceback."""
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, lambda *_: os._exit(code))
    gc.freeze()  # skips the last garbage collection, which takes 15 ms
    sys.exit(code)


def _open_missing_streams() -> None:
    """Open the null device for each closed stream (`lve ... >&-`).

    Python sets a closed stream to None, and the next file that is opened would get its descriptor.
    """
    for name in ("stdin", "stdout", "stderr"):  # in this order each gets its own descriptor
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123


def exit_code_of(error: LveError) -> ExitCode:
    """Return the exit code for an error that ends a verb."""
    if isinstance(error, BudgetError):
        return ExitCode.budget
    kinds = (AdaptError, CheckerError, ModelError, SessionError, UnexpectedError)
    is_infrastructure = isinstance(error, kinds)
    if is_infrastructure and not isinstance(error, UsageError):
        return ExitCode.errors
    return ExitCode.invalid


def _reader_gone() -> int:
    """Discard the rest of the output (the reader of `lve ... | head` is gone); return the exit
    code."""
    discard_output()
    return ExitCode.as_expected
