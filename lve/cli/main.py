"""The `lve` command: imports the module of the verb in use, and turns errors into exit codes."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

import click

from lve import __version__
from lve.cli.printing import discard_output, keep_keys_out, print_error, print_message
from lve.cli.verbs import COMPLETION_VARIABLE, SHOWN, VERBS, Verbs
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
from lve.extension_table import extension_part

MORE = """\
More:
  list models score calibrate import session contrib site doctor explain ...
  `lve help more` says what they do, `lve COMMAND --help` what a command takes.

Try it offline: lve run repository --model replay
"""
"""The end of `lve --help`."""
OUTPUT_ERRORS = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT)
"""Error numbers of a stdout that can't be written. Sessions and caches raise their own errors."""


class Cli(Verbs):
    """The command `lve`."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would exit with 1
            return _reader_gone()

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help that fits a terminal of 80 x 24; `lve help more` has the rest."""
        formatter.write_usage(ctx.command_path, "COMMAND [OPTIONS] [ARGS]...")
        formatter.write(f"\n  {(self.help or '').splitlines()[0]}\n\n")
        for title, words in SHOWN.items():
            formatter.write(f"{title}:\n")
            formatter.write("".join(f"  {word:8}{VERBS[word]}\n" for word in words))
        formatter.write(MORE)


@click.group(cls=Cli, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lve")
def cli() -> None:
    """Test language models, and what is built with them, with folders of text."""


def main() -> NoReturn:
    """Run the command line and exit with a code from docs/cli.md."""
    if sys.argv[1:2] and sys.argv[1] in VERBS:
        start_watchdog()
    _open_missing_streams()
    if not os.environ.get(COMPLETION_VARIABLE):
        keep_keys_out()
    else:  # click writes bytes then, and runs no verb
        extension_part("completion of shells")()
    try:
        code = cli.main(prog_name="lve", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        code = _reader_gone()
    except (click.ClickException, click.Abort, KeyboardInterrupt, LveError, OSError) as error:
        code = _refused(error)
    _exit(code if isinstance(code, int) else 0)


def _refused(error: BaseException) -> int:
    """Print why a verb ended early, with `--json` also as a document; return the exit code."""
    code: int = ExitCode.interrupted
    if isinstance(error, click.ClickException):
        extension_part("usage error")(error, cli).show()
        code = error.exit_code
    elif isinstance(error, LveError):
        print_error(error)
        code = exit_code_of(error)
    elif isinstance(error, OSError):
        code = print_system_error(error)
    if "--json" in sys.argv:
        extension_part("refusal as JSON")(error, code, sys.argv[1:])
    return code


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
