"""The options of verbs that compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, TypeVar

import click

from lve.cli.shared_options import value_callback
from lve.options.values import AMOUNT, GATE, GATES, INDEX, Values
from lve.settings.settings import ComparisonSettings

LEAST_ALPHA, MOST_ALPHA = 1e-9, 0.5
"""As in schemas/settings.schema.json."""
ALPHA = Values(
    "number",
    f"a number from {LEAST_ALPHA:g} to {MOST_ALPHA:g}",
    lambda value: AMOUNT.accepts(value) and LEAST_ALPHA <= value <= MOST_ALPHA,
)
Command = TypeVar("Command", bound=Callable[..., Any])
DEFAULT_GATE = "default"
"""Stands for `--gate` without a mode: that of the settings."""
BASELINE_OPTIONS = ("--save", "--against")
DEFAULT_FILE = ":default:"
"""Stands for `--save` and `--against` without a file: that of the settings."""
SHARE = Values("number", "a number from 0 to 1", lambda value: AMOUNT.accepts(value) and value <= 1)
alpha_option = click.option(
    "--alpha",
    callback=value_callback(ALPHA),
    metavar="P",
    help="The probability of a false alarm, over all tests.  [default: that of lve.yaml, or 0.05]",
)
threshold_option = click.option(
    "--threshold",
    callback=value_callback(SHARE),
    metavar="SHARE",
    help="Ignore smaller drops of a pass rate; 0.02 is 2 points.  "
    "[default: that of lve.yaml, or 0]",
)
session_dir_option = click.option(
    "--session-dir", metavar="FOLDER", help="Folder of sessions.  [default: .lve]"
)


class GateCommand(click.Command):
    """A command with options whose value may be left out: `--gate [MODE]`, `--save [FILE]`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the word after such an option for its value only if it can be one, a mode or the
        name of a JSON file: a session may follow."""
        return super().parse_args(
            ctx, [_with_value(word, after) for word, after in pairwise([*args, ""])]
        )


def _with_value(word: str, after: str) -> str:
    """Return an argument, with the default value if it is an option without one."""
    if word == "--gate" and after not in GATES:
        return f"{word}={DEFAULT_GATE}"
    if word in BASELINE_OPTIONS and not after.endswith(".json"):
        return f"{word}={DEFAULT_FILE}"
    return word


def gate_options(command: Command) -> Command:
    """Add the options of the gate to a command."""
    for add in (
        click.option(
            "--allow-missing",
            is_flag=True,
            help="Let results of before be missing now, or have no verdict any more.",
        ),
        click.option(
            "--max-broken",
            callback=value_callback(INDEX),
            metavar="N",
            help="Exit with 1 if more than N results broke, whatever their significance.",
        ),
        click.option(
            "--gate",
            metavar="[MODE]",
            callback=_checked_gate,
            help="Exit with 1 after a regression, with 3 if errors may hide one, with 4 if there "
            "are too few rows to tell. MODE: significant, any (every result that broke), or auto "
            "(any in a suite too small for significance).  [default: that of lve.yaml, or auto]",
        ),
    ):
        command = add(command)
    return command


def is_gate(words: Mapping[str, Any]) -> bool:
    """Whether the exit code shall say whether the comparison has regressed."""
    return words["gate"] is not None or words["max_broken"] is not None


def with_given(settings: ComparisonSettings, words: Mapping[str, Any]) -> ComparisonSettings:
    """Return the settings, overridden by the options that are given."""
    return settings.with_chosen(
        alpha=words["alpha"],
        threshold=words["threshold"],
        gate=None if words["gate"] == DEFAULT_GATE else words["gate"],
        max_broken=words["max_broken"],
        allow_missing=words["allow_missing"] or None,
    )


def _checked_gate(ctx: click.Context, option: click.Parameter, mode: str | None) -> str | None:
    if mode not in (None, DEFAULT_GATE) and (refusal := GATE.refusal(mode)):
        raise click.BadParameter(refusal, ctx, option)
    return mode
