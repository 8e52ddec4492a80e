"""Options that several verbs share, and parsers for their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import click

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


paths_argument = click.argument("paths", nargs=-1, metavar="[PATH...]")
"""Test documents, folders, trees or globs. The default is the current folder."""
parameters_option = click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the prompt. Repeat for several.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
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


def report_form(given: Mapping[str, Any]) -> tuple[str, Detail]:
    """Return the name of the reporter and its level of detail.

    Args:
        given: the values of `report_options`.

    Raises:
        click.UsageError: two options exclude each other.
    """
    pairs = (("as_json", "as_jsonl"), ("as_json", "reporter"), ("as_jsonl", "reporter"))
    details: tuple[Detail, ...] = ("quiet", "verbose", "failures")
    refuse_pairs(given, *pairs, *combinations(details, 2))
    name = "json" if given["as_json"] else "jsonl" if given["as_jsonl"] else "text"
    name = given.get("reporter") or name
    return name, next((detail for detail in details if given[detail]), "normal")


def refuse_pairs(given: Mapping[str, Any], *pairs: tuple[str, str]) -> None:
    """Refuse pairs of options that exclude each other.

    Raises:
        click.UsageError: both options of a pair are given.
    """
    for one, other in pairs:
        if given[one] and given[other]:
            spelled = ["--" + name.removeprefix("as_").replace("_", "-") for name in (one, other)]
            raise click.UsageError(f"{spelled[0]} and {spelled[1]} don't go together")


def parse_model_args(assignments: Sequence[str]) -> dict[str, Any]:
    """Return the name and value of each `--model-arg NAME=VALUE`.

    Raises:
        click.BadParameter: see `parse_assignments`; or a name is reserved, so not a model arg.
    """
    from lve.reserved import refusal_of_typed_arg

    values = parse_assignments(assignments, option="--model-arg", as_yaml=True)
    for name in values:
        refusal = refusal_of_typed_arg(name)
        if refusal is not None:
            raise click.BadParameter(": ".join(refusal), param_hint="'--model-arg'")
    return values


def parse_assignments(
    assignments: Sequence[str], *, option: str, as_yaml: bool = False
) -> dict[str, Any]:
    """Return the names and values of `NAME=VALUE` texts.

    Args:
        assignments: the texts as typed.
        option: the option that they belong to, for messages.
        as_yaml: whether to parse values as YAML scalars or flow collections (`0.5`, `[a, b]`,
            `null`); if not, they are strings.

    Raises:
        click.BadParameter: no `=`, no name, a name given twice, or a value that isn't YAML.
    """
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"'{assignment}' is not NAME=VALUE", param_hint=f"'{option}'")
        if name in values:
            raise click.BadParameter(f"'{name}' is given twice", param_hint=f"'{option}'")
        values[name] = _yaml_value(value, option) if as_yaml else value
    return values


def _yaml_value(text: str, option: str) -> Any:
    from lve.documents.places import TextError
    from lve.documents.yaml_text import parse_yaml
    from lve.escape import excerpt

    try:
        return parse_yaml(text)
    except TextError as error:
        message = f"'{excerpt(text)}' is not a YAML value: {error.findings[0].message}"
        raise click.BadParameter(message, param_hint=f"'{option}'") from error
