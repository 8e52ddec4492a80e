"""The options of a run on the command line: made from `lve.run_options`, and read back into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from lve.cli.shared_options import (
    parse_assignments,
    parse_model_args,
    refuse_pairs,
    report_form,
    together,
)
from lve.option import AMOUNT, Door, Option, Values
from lve.run_options import DEFAULTS, OPTIONS, spelled, word_of

if TYPE_CHECKING:
    from lve.reporting import Detail

Command = TypeVar("Command", bound=Callable[..., Any])


def run_options(verb: Door) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of a run that a verb has, in the table's order."""
    return together(
        *(_declared(name, option) for name, option in OPTIONS.items() if verb in option.doors)
    )


def temperature_option(command: Command) -> Command:
    """`--temperature`: short for a model arg."""
    return click.option(
        "--temperature",
        callback=number_of(AMOUNT),
        metavar="T",
        help="Short for --model-arg temperature=T.",
    )(command)


def given_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `RunOptions` that were given on the command line.

    Args:
        given: the values of all options that the verb has.

    Raises:
        click.UsageError: an option can't be used.
    """
    typed = {name: given.get(word_of(name)) for name in OPTIONS}
    options = {
        name: _field(name, value)
        for name, value in typed.items()
        if not (value is None or value is False or value == ())  # as click has what isn't given
    }
    if given["temperature"] is not None:
        model_args = options.setdefault("model_args", {})
        if "temperature" in model_args:
            raise click.UsageError("give --temperature or --model-arg temperature=..., not both")
        model_args["temperature"] = given["temperature"]
    return options


def number_of(
    values: Values,
) -> Callable[[click.Context, click.Parameter, str | None], int | float | None]:
    """Return a callback that reads a number as an option takes it, and refuses others."""

    def read(_: click.Context, __: click.Parameter, text: str | None) -> int | float | None:
        try:
            return None if text is None else values.number(text)
        except ValueError as error:
            raise click.BadParameter(f"must be {error}") from None

    return read


def _declared(name: str, option: Option) -> Callable[[Command], Command]:
    """Return the option as click declares it. What isn't given is None, False or ()."""
    shape = option.values.shape
    spellings = [spelled(name), *([option.short] if option.short else [])]
    return click.option(
        *spellings,
        callback=number_of(option.values) if shape in ("whole", "number") else None,
        is_flag=shape == "flag" or None,
        multiple=shape in ("texts", "mapping"),
        metavar=option.shown_metavar,
        help=option.typed_help,
    )


def _field(name: str, value: Any) -> Any:
    """Return a value as `RunOptions` has it."""
    shape = OPTIONS[name].values.shape
    if name == "model_args":
        return parse_model_args(value)
    if shape == "mapping":
        pairs = parse_assignments(value, option=OPTIONS[name].short or spelled(name))
        if refusal := OPTIONS[name].values.refusal(pairs):
            raise click.BadParameter(f"must be {refusal}", param_hint=f"'{spelled(name)}'")
        return pairs
    if shape == "path":
        return Path(value).absolute()
    if shape == "flag":
        return not getattr(DEFAULTS, name)
    return value


class RunRequest(NamedTuple):
    """What the command line asks for."""

    paths: tuple[str, ...]
    given: Mapping[str, Any]
    """Fields of `RunOptions` that were given."""
    resume: str | None = None
    """Name of the session to continue."""
    retry_errors: bool = False
    """Whether its errors run again."""
    only_errors: bool = False
    """Whether nothing but its errors runs."""
    last_failed: bool = False
    dry_run: bool = False
    format: str = "text"
    detail: Detail = "normal"

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> RunRequest:
        """Return what the options mean.

        Raises:
            click.UsageError: they contradict each other.
        """
        _refuse_contradictions(given)
        name, detail = report_form(given)
        resume, retry = given["resume"], given["retry_errors"]
        return cls(
            paths=given["paths"],
            given=given_options(given),
            resume=resume or retry,
            retry_errors=retry is not None,
            only_errors=retry is not None and resume is None,
            last_failed=given["last_failed"],
            dry_run=given["dry_run"],
            format=name,
            detail=detail,
        )


def _refuse_contradictions(given: Mapping[str, Any]) -> None:
    refuse_pairs(
        given,
        ("no_cache", "refresh"),
        ("resume", "last_failed"),
        ("retry_errors", "last_failed"),
        ("dry_run", "resume"),
        ("dry_run", "retry_errors"),
        ("dry_run", "last_failed"),
    )
    resume, retry = given["resume"], given["retry_errors"]
    if resume and retry not in (None, "last", resume):
        raise click.UsageError("--resume and --retry-errors name different sessions")
