"""The options of a run on the command line: made from `lve.run_options`, and read back into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from lve.cli.shared_options import (
    parse_assignments,
    parse_model_args,
    refuse_pairs,
    report_form,
    together,
)
from lve.cli.typed_values import number_of, text_of
from lve.options.option import AMOUNT, Interface, Option, Values
from lve.run_options import DEFAULTS, OPTIONS, SEED_ALONE, spelled, variables_of, word_of

if TYPE_CHECKING:
    from lve.reporting import Detail

Command = TypeVar("Command", bound=Callable[..., Any])


def run_options(verb: Interface) -> Callable[[Command], Command]:
    """Return a decorator that adds the options of a run that a verb has, in the table's order."""
    return together(
        *(_declared(name, option) for name, option in OPTIONS.items() if verb in option.interfaces)
    )


def temperature_option(command: Command) -> Command:
    """`--temperature`: short for a model arg."""
    return click.option(
        "--temperature",
        callback=number_of(AMOUNT),
        metavar="T",
        help="Short for --model-arg temperature=T.",
    )(command)


class RunCommand(click.Command):
    """A command with options whose value may be left out. click takes any next word for it; where
    that can only be a number, a path isn't."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words of the command line, with the values that were left out."""
        bare = {
            spelled(name): option.flag_value
            for name, option in OPTIONS.items()
            if option.flag_value
        }
        following = [*args, ""][1:]
        whole = [
            f"{word}={bare[word]}" if word in bare and not _is_number(after) else word
            for word, after in zip(args, following, strict=True)
        ]
        return super().parse_args(ctx, whole)


def _is_number(word: str) -> bool:
    return word.lstrip("+-").replace(".", "", 1).isdigit()


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
    if given.get("temperature") is not None:
        model_args = options.setdefault("model_args", {})
        if "temperature" in model_args:
            raise click.UsageError("give --temperature or --model-arg temperature=..., not both")
        model_args["temperature"] = given["temperature"]
    _refuse_seed_alone(given, options)
    return options


def _refuse_seed_alone(given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuse a typed --seed that draws nothing; a session that goes on may have its sample."""
    goes_on = any(given.get(word) for word in GOING_ON)
    if _is_typed("seed") and "sample" not in options and not goes_on:
        raise click.UsageError(SEED_ALONE.format(spelled("seed"), spelled("sample")))


def _declared(name: str, option: Option) -> Callable[[Command], Command]:
    """Return the option as click declares it. What isn't given is None, False or ()."""
    shape = option.values.shape
    spellings = [spelled(name), *([option.short] if option.short else [])]
    return click.option(
        *spellings,
        callback=_callback(option.values),
        is_flag=shape == "flag" or None,
        multiple=shape in ("texts", "mapping"),
        metavar=option.shown_metavar,
        help=option.command_line_help,
        envvar=variables_of(name),
    )


def _callback(values: Values) -> Any:
    """Return what looks at a typed value, if anything has to."""
    if values.shape in ("whole", "number"):
        return number_of(values)
    return text_of(values) if values.refusal_of_text else None


def _field(name: str, value: Any) -> Any:
    """Return a value as `RunOptions` has it."""
    shape = OPTIONS[name].values.shape
    if name == "model_args":
        return parse_model_args(value)
    if shape == "mapping":
        pairs = parse_assignments(value, option=OPTIONS[name].short or spelled(name))
        for key, text in pairs.items():
            if OPTIONS[name].values.refusal({key: text}):
                message = f"'{key}={text}' is not NAME=VALUE"
                raise click.BadParameter(message, param_hint=f"'{spelled(name)}'")
        return pairs
    if shape == "path":
        return Path(value).absolute()
    if shape == "flag":
        return not getattr(DEFAULTS, name)
    return value


GOING_ON = ("resume", "retry_errors", "last_failed", "failed_in")
"""What begins with an earlier session."""
ALONE = (*GOING_ON, "dry_run", "as_json", "github")
"""What makes no sense again and again."""


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
    failures_of: str | None = None
    """Name of the session whose failures run again."""
    dry_run: bool = False
    watch: bool = False
    """Whether what changes runs again, until Ctrl-C."""
    format: str = "text"
    detail: Detail = "normal"
    outputs: tuple[str, ...] = ()
    """Reports to write at the end."""
    github: bool = False
    """Whether to tell GitHub what came out."""

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> RunRequest:
        """Return what the options mean.

        Raises:
            click.UsageError: they contradict each other.
        """
        _refuse_contradictions(given)
        name, detail = report_form(given)
        resume, retry = given["resume"], given["retry_errors"]
        goes_on = any(given[word] for word in GOING_ON)
        typed = given_options(_typed(given) if goes_on else given)
        failed_in = typed.pop("failed_in", None)
        return cls(
            paths=given["paths"],
            given=typed,
            resume=resume or retry,
            retry_errors=retry is not None,
            only_errors=retry is not None and resume is None,
            failures_of="last" if given["last_failed"] else failed_in,
            dry_run=given["dry_run"],
            watch=given["watch"],
            format=name,
            detail=detail,
            outputs=given["output"],
            github=given["github"],
        )


def _typed(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is given for a session that goes on with an earlier one: its results are decided
    by the options of then, and those in the environment are meant for new ones."""
    ctx = click.get_current_context()
    decided = {word_of(name) for name, option in OPTIONS.items() if option.on_resume == "fixed"}
    return {
        name: None
        if name in decided and ctx.get_parameter_source(name) is ParameterSource.ENVIRONMENT
        else value
        for name, value in given.items()
    }


def _is_typed(name: str) -> bool:
    ctx = click.get_current_context(silent=True)
    return ctx is not None and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _refuse_contradictions(given: Mapping[str, Any]) -> None:
    refuse_pairs(
        given,
        ("no_cache", "refresh"),
        ("resume", "last_failed"),
        ("resume", "failed_in"),
        ("retry_errors", "last_failed"),
        ("retry_errors", "failed_in"),
        ("last_failed", "failed_in"),
        ("dry_run", "resume"),
        ("dry_run", "retry_errors"),
        ("dry_run", "last_failed"),
        ("dry_run", "failed_in"),
        ("dry_run", "reporter"),
        *(("watch", other) for other in ALONE),
        *(
            ("show_config", other)
            for other in ("watch", "as_jsonl", "reporter", *ALONE)
            if other != "as_json"
        ),
        ("dry_run", "output"),
        ("dry_run", "github"),
    )
    resume, retry = given["resume"], given["retry_errors"]
    if resume and retry not in (None, "last", resume):
        raise click.UsageError("--resume and --retry-errors name different sessions")
