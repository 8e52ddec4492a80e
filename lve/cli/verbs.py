"""The verbs of `lve`: what each is for, in which group of `lve --help` it stands, and where its
command is. The module of a verb is imported only when the verb is used."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword

import click

from lve.cli.printing import print_message
from lve.extension_table import VERBS as EXTENSION_VERBS
from lve.extension_table import extension_part
from lve.late import discard_logs, import_pathlib

VERBS: dict[str, str] = {
    "init": "Make a workspace: settings, a test that works, a CI file.",
    "new": "Make a new test: its document, prompt file, README and examples.",
    "record": "Run a test and keep the answers in its instances folder.",
    "run": "Run tests against models and report what passed.",
    "check": "Check test documents without running anything.",
    "render": "Show exactly what would be sent to the model.",
    "watch": "Run each test again when its files change, until Ctrl-C.",
    "show": "Describe tests or checkers, or report a session again.",
    "report": "Write reports of sessions to files.",
    "view": "Show sessions in the browser, even while they run.",
    "compare": "Compare two runs: what broke, what was fixed, and why.",
    "list": "List tests, checkers, models, or patterns for new tests.",
    "attacks": "List the attacks on tests, or show what they make of a text.",
    "models": "List providers and known models, or show details of one.",
    "score": "Judge a session's answers again, without the tested model.",
    "calibrate": "Measure how well a check agrees with people's labels.",
    "import": "Convert the tests of another tool to test folders.",
    "export": "Write tests or results in the format of another tool.",
    "session": "List and merge sessions, and look after their cache.",
    "contrib": "Contribute tests: what has changed, commit it, make a pull request.",
    "site": "Make a static site of tests.",
    "help": "Show what lve can do, or the help of a command.",
    "doctor": "Check what works on this machine, and what doesn't.",
    "explain": "Explain a message: its cause, and what to do about it.",
    "plugins": "List installed plugins: models, checkers, reporters and so on.",
    "prompt": "List, show, save and translate prompt objects.",
    "schema": "Print the schemas of lve's files, or let an editor use them.",
    "completion": "Print the script that completes commands in your shell.",
    "baseline": "Keep a session's verdicts in a file, to compare later runs.",
    "unit-test": "Judge the examples and the recorded answers of tests.",
    "sessions": "List the sessions of this workspace and of the team's store.",
    "merge": "Merge the sessions of a run's shards into one.",
    "cache": "Show, clear or prune the cache of completions.",
    "status": "Show which tests you have changed, and what they still need.",
    "commit": "Commit one changed test, after checking it.",
    "pr": "Make a pull request for the tests that this branch commits.",
    "readme": "Update the generated part of each test's README.",
}
"""Verb -> its summary.

Its click command is in `lve.cli.<verb>`, unless `OWN_ROOM`, `SHARED_ROOM` or an extension has the
verb. It has the verb's name with `_` for `-`, plus a final `_` if that is a keyword of Python."""
SHOWN: Mapping[str, tuple[str, ...]] = {
    "Write": ("init", "new", "record"),
    "Run": ("run", "check", "render", "watch"),
    "Look": ("show", "report", "view", "compare"),
}
"""Group of `lve --help` -> its verbs."""
MOVED: Mapping[str, str] = {
    "baseline": "compare --save` and `lve compare --against",
    "unit-test": "check --replay",
    "sessions": "session list",
    "merge": "session merge",
    "cache": "session cache",
    "status": "contrib status",
    "commit": "contrib commit",
    "pr": "contrib pr",
    "readme": "contrib readme",
}
"""Verb of earlier versions, which goes on working -> what it is now."""
INNER: Mapping[str, Mapping[str, str]] = {
    group: {words.split()[1]: verb for verb, words in MOVED.items() if words.startswith(group)}
    for group in ("session", "contrib")
}
"""Verb that is a group -> the word after it -> the verb that has the command."""
WITHOUT_LIBRARIES = frozenset(
    {
        "init",
        "new",
        "check",
        "list",
        "attacks",
        "explain",
        "schema",
        "completion",
        "import",
        "plugins",
    }
    | {"readme", "status", "commit", "pr", "help", *INNER}
)
"""Verbs that use no library which logs, so that they start without Python's `logging`. (`check`
does where it asks models.)"""
SAYING = frozenset(
    {"init", "models", "record", "report", "site", "prompt", "schema", "baseline"}
    | {"merge", "cache", "commit", "pr", "readme"}
)
"""Verbs that do something and say so in sentences: they get their `--json` from an extension."""
OWN_ROOM = frozenset({"check", "run"})
"""Verbs that are packages of their own; the command is in `lve.cli.<verb>.command`."""
SHARED_ROOM = dict.fromkeys(("report", "show"), "sessions")
"""Verb -> the package that it shares with other verbs; the command is in
`lve.cli.<package>.<verb>`."""
COMPLETION_VARIABLE = "_LVE_COMPLETE"
"""The environment variable that a shell sets to ask for completions. click reads it."""


class Verbs(click.Group):
    """A group that imports the module of a verb only when the verb is used."""

    verbs: Mapping[str, str] = {verb: verb for verb in VERBS}
    """Word that is typed -> the verb of `VERBS` that it stands for."""
    moved: Mapping[str, str] = MOVED
    """Words that no help lists, and whose use is answered with what they are now."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [word for word in self.verbs if word not in self.moved]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.verbs:
            return None
        import_pathlib()
        verb = self.verbs[cmd_name]
        command = inner_group(verb) if verb in INNER else _imported(verb)
        if verb in SAYING:
            extension_part("what is told as JSON")(command)
        if verb not in WITHOUT_LIBRARIES:
            discard_logs()
        if os.environ.get(COMPLETION_VARIABLE):
            extension_part("completers")(command, verb)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            word, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise extension_part("meant verb")(error, args[0], [*self.verbs]) from None
        if word is not None and word in self.moved:
            with suppress(BrokenPipeError):  # the command works without a reader
                print_message(
                    f"`lve {word}` is now `lve {self.moved[word]}`; the old name still works"
                )
        return word, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            words = self.list_commands(ctx)
            formatter.write_dl([(word, VERBS[self.verbs[word]]) for word in words])


def inner_group(verb: str) -> Verbs:
    """Return the command of a verb that is a group, such as `lve session`."""
    group = Verbs(verb, help=VERBS[verb], context_settings={"help_option_names": ["-h", "--help"]})
    group.verbs, group.moved = INNER[verb], {}
    return group


def _imported(verb: str) -> click.Command:
    name = f"{verb}_" if iskeyword(verb) else verb.replace("-", "_")
    command = getattr(import_module(_module_of(verb, name)), name)
    assert isinstance(command, click.Command)
    return command


def _module_of(verb: str, name: str) -> str:
    """Return the module of a verb, whose command has this name."""
    room = f"{SHARED_ROOM[verb]}." if verb in SHARED_ROOM else ""
    own = f"lve.cli.{room}{name}{'.command' * (verb in OWN_ROOM)}"
    return EXTENSION_VERBS.get(verb, own)
