"""The options of a run on the command line, derived from the table in `lve.options.run_options`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from lve.cli.shared_options import option_group, refuse_pairs, report_form, value_callback
from lve.extension_table import extension_part
from lve.named_tuples import NamedTuple
from lve.options.option import Interface, Option
from lve.options.run_options import DEFAULTS, OPTIONS, SEED_ALONE, spelled, variables_of, word_of
from lve.options.values import AMOUNT

if TYPE_CHECKING:
    from lve.reporting import Detail

Command = TypeVar("Command", bound=Callable[..., Any])


def run_options(verb: Interface) -> Callable[[Command], Command]:
    """Return a decorator that adds the options that `verb` has, in the order of the table."""
    return option_group(
        *(_declared(name, option) for name, option in OPTIONS.items() if verb in option.interfaces)
    )


def temperature_option(command: Command) -> Command:
    """Add `--temperature`, which is short for a model arg."""
    return click.option(
        "--temperature",
        callback=value_callback(AMOUNT),
        metavar="T",
        help="Short for --model-arg temperature=T.",
    )(command)


class RunCommand(click.Command):
    """A command with options whose value may be omitted, such as `--fail-fast [N]`.

    click would take any following word for the value: in `lve run --fail-fast tests` the path. Here
    only a number is taken for it, and for `--ray [ADDRESS]` only an address.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with omitted values filled in."""
        optional = {spelled(name): option for name, option in OPTIONS.items() if option.flag_value}
        following = [*args, ""][1:]
        whole = [
            f"{word}={optional[word].flag_value}"
            if word in optional and not _is_value(after, optional[word])
            else word
            for word, after in zip(args, following, strict=True)
        ]
        return super().parse_args(ctx, whole)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups."""
        extension_part("options of a run in help")(self, ctx, formatter)


def _is_value(word: str, option: Option) -> bool:
    """Whether the word after an option is its value, and not a path."""
    if option.values.shape == "text":
        return re.fullmatch(r"auto|local|off|\S+:\d+", word) is not None
    return word.lstrip("+-").replace(".", "", 1).isdigit()


def given_options(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `RunOptions` that the user gave, with their values.

    Args:
        words: the values of all options of the verb, as click passes them.

    Raises:
        click.UsageError: the value of an option is invalid.
    """
    typed = {name: words.get(word_of(name)) for name in OPTIONS}
    options: dict[str, Any] = {
        name: not getattr(DEFAULTS, name) if value is True else value
        for name, value in typed.items()
        if value is not None and value is not False and value not in ((), {})  # absent
    }
    if words.get("temperature") is not None:
        model_args = options.get("model_args", {})
        if "temperature" in model_args:
            raise click.UsageError("give --temperature or --model-arg temperature=..., not both")
        options["model_args"] = {**model_args, "temperature": words["temperature"]}
    _refuse_seed_alone(words, options)
    return options


def _refuse_seed_alone(words: Mapping[str, object], options: Mapping[str, object]) -> None:
    """Refuse `--seed` without `--sample`, unless the session that is continued may have a
    sample."""
    has_previous = any(words.get(word) for word in PREVIOUS_SESSION)
    if _is_typed("seed") and "sample" not in options and not has_previous:
        raise click.UsageError(SEED_ALONE.format(spelled("seed"), spelled("sample")))


def _declared(name: str, option: Option) -> Callable[[Command], Command]:
    """Return the click option for a row of the table. Its value is None, False or () if absent."""
    shape = option.values.shape
    spellings = [spelled(name), *([option.short] if option.short else [])]
    return click.option(
        *spellings,
        callback=None if shape == "flag" else value_callback(option.values),
        is_flag=shape == "flag" or None,
        multiple=shape in ("texts", "mapping"),
        metavar=option.shown_metavar,
        help=option.command_line_help,
        envvar=variables_of(name),
    )


PREVIOUS_SESSION = ("resume", "retry_errors", "last_failed", "failed_in")
"""Options that build on an earlier session."""
RUN_ONCE = (*PREVIOUS_SESSION, "dry_run", "as_json", "github", "explain", "trace")
"""Options that make no sense in a run that repeats, such as `--watch`."""
NOT_OF_A_ROW = (
    *PREVIOUS_SESSION,
    "dry_run",
    "as_json",
    "as_jsonl",
    "reporter",
    "rows",
    "index",
    "limit",
    "sample",
    "shard",
    "batch",
)
"""Options that make no sense where one row is explained, besides those that choose a report."""


class RunRequest(NamedTuple):
    """The parsed command line of `lve run`."""

    paths: tuple[str, ...]
    fields: Mapping[str, Any]
    """The fields of `RunOptions` that the user gave."""
    resume: str | None = None
    """The session to continue."""
    retry_errors: bool = False
    """Whether errors of the resumed session run again."""
    only_errors: bool = False
    """Whether only errors of the resumed session run."""
    failures_of: str | None = None
    """The session whose failures run again, in a new session."""
    dry_run: bool = False
    watch: bool = False
    """Whether tests run again when their files change, until Ctrl-C."""
    format: str = "text"
    """The reporter's name."""
    detail: Detail = "normal"
    outputs: tuple[str, ...] = ()
    """Report files to write at the end."""
    github: bool = False
    """Whether to write GitHub annotations and the step's summary."""
    explain: str | None = None
    """The number of the row whose story is told."""
    trace: str | None = None
    """The file of the log."""

    @classmethod
    def read(cls, words: Mapping[str, Any]) -> RunRequest:
        """Return the request for the values that click passes.

        Raises:
            click.UsageError: two options exclude each other.
        """
        _refuse_contradictions(words)
        name, detail = report_form(words)
        resume, retry = words["resume"], words["retry_errors"]
        has_previous = any(words[word] for word in PREVIOUS_SESSION)
        typed = given_options(_without_environment(words) if has_previous else words)
        failed_in = typed.pop("failed_in", None)
        return cls(
            paths=words["paths"],
            fields=typed,
            resume=resume or retry,
            retry_errors=retry is not None,
            only_errors=retry is not None and resume is None,
            failures_of="last" if words["last_failed"] else failed_in,
            dry_run=words["dry_run"],
            watch=words["watch"],
            format=name,
            detail=detail,
            outputs=words["output"],
            github=words["github"],
            explain=words["explain"],
            trace=words["trace"],
        )


def _without_environment(words: Mapping[str, object]) -> Mapping[str, object]:
    """Return the values without those of environment variables that would change results.

    A session that builds on an earlier one keeps the earlier options that determine results;
    environment variables are meant for new sessions.
    """
    ctx = click.get_current_context()
    restored = {word_of(name) for name, option in OPTIONS.items() if option.on_resume == "fixed"}
    return {
        name: None
        if name in restored and ctx.get_parameter_source(name) is ParameterSource.ENVIRONMENT
        else value
        for name, value in words.items()
    }


def _is_typed(name: str) -> bool:
    ctx = click.get_current_context(silent=True)
    return ctx is not None and ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _refuse_contradictions(words: Mapping[str, object]) -> None:
    refuse_pairs(
        words,
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
        *(("watch", other) for other in RUN_ONCE),
        *(
            ("show_config", other)
            for other in ("watch", "as_jsonl", "reporter", *RUN_ONCE)
            if other != "as_json"
        ),
        ("dry_run", "output"),
        ("dry_run", "github"),
        ("dry_run", "trace"),
        *(("explain", word) for word in NOT_OF_A_ROW),
    )
    resume, retry = words["resume"], words["retry_errors"]
    if resume and retry not in (None, "last", resume):
        raise click.UsageError("--resume and --retry-errors name different sessions")
