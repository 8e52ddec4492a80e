"""The `lve` command: finds the verb, imports only its module, turns errors into exit codes."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword
from typing import Any, NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from lve import __version__
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
from lve.suggest import closest

VERBS: dict[str, str] = {
    "init": "Make a workspace: settings, a test that works, a CI file.",
    "new": "Make a new test: its document, prompt file, README and examples.",
    "run": "Run tests against models and report what passed.",
    "check": "Check test documents without running anything.",
    "render": "Show exactly what would be sent to the model.",
    "show": "Describe tests or checkers, or show the report of a session again.",
    "report": "Write reports of sessions to files.",
    "merge": "Join the sessions of a run's shards into one.",
    "sessions": "List the sessions of this workspace and of the team's store.",
    "view": "Show sessions in the browser, also while they run.",
    "compare": "Compare two runs: what broke, what was fixed, how surely, and why.",
    "baseline": "Keep the verdicts of a session in a file, to compare later runs with.",
    "list": "List tests, checkers, models, or patterns of new tests.",
    "models": "List providers and known models, or say more about one.",
    "plugins": "List what other packages bring: models, checkers, reporters and so on.",
    "import": "Turn the tests of another tool into test folders.",
    "record": "Run a test and keep the answers in its instances folder.",
    "score": "Judge a session's answers again, without asking the tested model.",
    "calibrate": "Measure how well a check agrees with people's labels.",
    "site": "Show tests as a static site.",
    "unit-test": "Judge the examples and the recorded answers of tests.",
    "readme": "Keep the generated part of each test's README up to date.",
    "status": "Show which tests you have changed, and what they lack.",
    "commit": "Commit one changed test, once it lacks nothing.",
    "pr": "Make a pull request for the tests that this branch commits.",
    "doctor": "Say what works here, and what doesn't.",
    "explain": "Say why a message is given, and what to do about it.",
    "cache": "Look at the cache of completions, or clear it.",
    "prompt": "Work with saved prompt objects.",
    "schema": "Print the schemas of lve's files, or have an editor use them.",
    "completion": "Print what makes a shell complete verbs, paths, models, sessions and more.",
}
"""Verb -> its summary. The module `lve.cli.<verb>` has a click command of that name, with `_` for
`-`, and with a `_` behind it if Python has such a keyword. Large verbs have a room."""
OWN_ROOM = frozenset(
    {"cache", "calibrate", "check", "completion", "doctor", "new", "record", "render", "run"}
)
"""Verbs with a room of their own: `lve.cli.<verb>.command` has the command."""
SHARED_ROOM = {
    **dict.fromkeys(("merge", "report", "score", "sessions", "show", "view"), "sessions"),
    **dict.fromkeys(("baseline", "compare"), "comparing"),
    **dict.fromkeys(("commit", "pr", "readme", "status"), "contribute"),
}
"""Verb -> the room that it shares with others: `lve.cli.<room>.<verb>` has the command."""
COMPLETION = "_LVE_COMPLETE"
"""The variable by which a shell asks what may come next; click reads it."""
OPTIONS_ALIKE = 0.7
"""How similar a mistyped option and the suggested one are at least."""
UNWRITABLE = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT)
"""Errors of a stdout that can't be written. Sessions and caches raise their own errors."""


class LazyGroup(click.Group):
    """A group that imports a verb's module only when that verb is used.

    The summaries are in `VERBS`, so that `lve --help` imports no verb.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name.replace("-", "_")
        command = getattr(import_module(f"lve.cli.{_home(name)}"), name)
        assert isinstance(command, click.Command)
        if os.environ.get(COMPLETION):
            from lve.cli.completion.completed import complete_all  # only here

            complete_all(command, cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would exit with 1
            return _leave_output()

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


def _home(name: str) -> str:
    """Return the module of a verb, below `lve.cli`."""
    if name in OWN_ROOM:
        return f"{name}.command"
    return f"{SHARED_ROOM[name]}.{name}" if name in SHARED_ROOM else name


def _with_suggestion(error: click.UsageError, given: str) -> click.UsageError:
    verb = closest(given, VERBS)
    if verb:
        hint = f"did you mean `lve {verb}`?"
    elif os.path.exists(given):  # noqa: PTH110 (pathlib costs start-up time here)
        hint = f"did you mean `lve run {given}`?"
    else:
        hint = "`lve --help` lists the commands"
    message = f"No such command '{given}'; {hint}"
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
    from lve.cli.last_resort import start_last_resort
    from lve.cli.talk import redact_output

    if sys.argv[1:2] and sys.argv[1] in VERBS:
        start_last_resort()
    _open_missing_streams()
    if not os.environ.get(COMPLETION):
        redact_output()
    else:  # then click writes bytes, and runs nothing
        from lve.cli.completion.shells import add_shells

        add_shells()
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
        from lve.cli.talk import tell_error

        tell_error(error)
        code = exit_code_of(error)
    except BrokenPipeError:
        code = _leave_output()
    except OSError as error:
        code = refused_by_system(error)
    _leave(code if isinstance(code, int) else 0)


def with_one_suggestion(error: click.NoSuchOption) -> click.NoSuchOption:
    """Suggest the option that was meant, or none. Click's own suggestions are hardly alike."""
    command = error.ctx.command if error.ctx else cli
    known = [name for parameter in command.params for name in parameter.opts]
    meant = closest(error.option_name, known, cutoff=OPTIONS_ALIKE)
    return click.NoSuchOption(
        error.option_name, possibilities=[meant] if meant else None, ctx=error.ctx
    )


def _coded(error: click.ClickException) -> click.ClickException:
    """Return what is wrong with the command line, with its code."""
    if not isinstance(error, click.UsageError) or isinstance(error, NoArgsIsHelpError):
        return error
    return click.UsageError(with_code(error.format_message(), UsageError.code), error.ctx)


def refused_by_system(error: OSError) -> ExitCode:
    """Say what the system didn't allow; return the exit code.

    Raises:
        OSError: it names no file, so the user couldn't mend it; or the traceback is asked for.
    """
    if error.errno in UNWRITABLE:
        _leave_output()
        with suppress(OSError):  # both were a terminal that is gone
            click.echo(f"lve: the output can't be written: {error.strerror}", err=True)
        return ExitCode.errors
    from lve.cli.talk import tell
    from lve.error_boundary import wants_traceback  # late, as the next one: few commands need them

    if not isinstance(error.filename, str | bytes) or wants_traceback():
        raise error

    file = os.fsdecode(error.filename)
    tell(with_code(f"{file} can't be used: {error.strerror}", "unreadable"))
    return ExitCode.invalid


def _leave(code: int) -> NoReturn:
    """End the process. From now on, Ctrl-C ends it at once, without a traceback."""
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, lambda *_: os._exit(code))
    gc.freeze()  # saves the last garbage collection, which takes 15 ms
    sys.exit(code)


def _open_missing_streams() -> None:
    """Replace a closed stream (`lve ... >&-`) by the null device. Otherwise the stream is None, and
    the next file that is opened gets its descriptor."""
    for name in ("stdin", "stdout", "stderr"):  # in this order, each gets its own descriptor
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


def _leave_output() -> int:
    """Ignore a reader that has gone (`lve ... | head`), at exit, too; return the exit code."""
    from lve.cli.output import leave_output

    leave_output()
    return ExitCode.as_expected
