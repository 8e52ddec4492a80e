"""Options that several verbs share, and the callback that reads their values."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from lve.cli.printing import View, print_view
from lve.options.values import MAPPING, Values

if TYPE_CHECKING:
    from lve.reporting import Detail

Command = TypeVar("Command", bound=Callable[..., Any])


def option_group(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return a decorator that adds several options. `--help` lists them in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def value_callback(values: Values) -> Callable[[click.Context, click.Parameter, object], object]:
    """Return a click callback that converts what was typed to a value; what is refused is an error
    that names the option, or the environment variable that it came from."""

    def read(ctx: click.Context, param: click.Parameter, text: object) -> Any:
        try:
            return None if text is None else values.typed(text)
        except ValueError as error:
            raise _refused(ctx, param, error.args[0]) from None

    return read


def _refused(ctx: click.Context, param: click.Parameter, problem: str) -> click.BadParameter:
    place = min(param.opts, key=len) if param.multiple else None
    if ctx.get_parameter_source(param.name or "") is ParameterSource.ENVIRONMENT:
        names = [param.envvar] if isinstance(param.envvar, str) else param.envvar or ()
        place = next(name for name in names if os.environ.get(name))
    return click.BadParameter(problem, ctx, param, place and f"'{place}'")


paths_argument = click.argument("paths", nargs=-1, metavar="[PATH...]")
"""Test documents, folders, trees, globs or tests' names. The default is the current folder."""
parameters_option = click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    callback=value_callback(MAPPING),
    metavar="NAME=VALUE",
    help="Set a parameter of the prompt. Repeat for several.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def shows(verb: Callable[..., View]) -> Callable[..., int]:
    """Add `--json` to a verb that returns a view; the view is printed as that says."""

    @wraps(verb)
    def show(*args: object, as_json: bool, **words: object) -> int:
        return print_view(verb(*args, **words), as_json=as_json)

    return json_option(show)


output_options = option_group(
    click.option(
        "-o",
        "--output",
        multiple=True,
        metavar="FILE",
        envvar="LVE_OUTPUT",
        help="Write a report to FILE; its suffix is the format, such as report.html. Repeat for "
        "several.",
    ),
    click.option(
        "--github",
        is_flag=True,
        help="In GitHub Actions: annotate test documents and write the step's summary.",
    ),
)
"""Options that write reports."""
report_options = option_group(
    json_option,
    click.option(
        "--jsonl", "as_jsonl", is_flag=True, help="Print a JSON line for each result as it arrives."
    ),
    click.option(
        "--reporter", metavar="NAME", help="Use a plugin's reporter (`lve plugins` lists them)."
    ),
    click.option("-q", "--quiet", is_flag=True, help="Print only the summary."),
    click.option("-v", "--verbose", is_flag=True, help="Print every result, and all statistics."),
    click.option(
        "--failures",
        is_flag=True,
        help="Print the whole transcript of every result that isn't as expected.",
    ),
)
"""Options that choose how results are reported; `report_form` interprets them."""


def report_form(words: Mapping[str, Any]) -> tuple[str, Detail]:
    """Return the name of the reporter and its level of detail.

    Args:
        words: the values of `report_options`.

    Raises:
        click.UsageError: two options exclude each other.
    """
    pairs = (("as_json", "as_jsonl"), ("as_json", "reporter"), ("as_jsonl", "reporter"))
    details: tuple[Detail, ...] = ("quiet", "verbose", "failures")
    refuse_pairs(words, *pairs, *combinations(details, 2))
    name = "json" if words["as_json"] else "jsonl" if words["as_jsonl"] else "text"
    name = words.get("reporter") or name
    return name, next((detail for detail in details if words[detail]), "normal")


def refuse_pairs(words: Mapping[str, object], *pairs: tuple[str, str]) -> None:
    """Refuse pairs of options that exclude each other.

    Raises:
        click.UsageError: both options of a pair are given.
    """
    for first, other in pairs:
        if words[first] and words[other]:
            spelled = ["--" + name.removeprefix("as_").replace("_", "-") for name in (first, other)]
            raise click.UsageError(f"{spelled[0]} and {spelled[1]} don't go together")
