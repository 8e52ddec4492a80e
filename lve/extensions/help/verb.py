"""`lve help`: what lve can do, the help of a command, and that of `lve run` in groups."""

from __future__ import annotations

from collections.abc import Mapping

import click
from click.formatting import wrap_text

from lve.cli.verbs import MOVED, SHOWN, VERBS

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Most used": (
        "model", "match", "rows", "limit", "max_cost", "dry_run", "resume", "output"
    ),
    "Which tests": ("tag", "failed_in", "last_failed"),
    "Which rows": ("instances", "sample", "seed", "shard"),
    "Model": ("role", "base_url", "parameter", "model_arg", "stream", "batch"),
    "Limits and money": (
        "repeats", "fail_fast", "max_tokens_total", "max_requests", "timeout", "deadline",
        "max_connections", "max_tests",
    ),
    "Output": (
        "explain", "trace", "as_json", "as_jsonl", "quiet", "verbose", "failures", "github",
        "reporter",
    ),
    "Resume and compare": (
        "retry_errors", "watch", "baseline", "gate", "max_broken", "allow_missing",
    ),
}  # fmt: skip
"""Title -> its options, by the names that click passes. All others are advanced."""
HIDDEN = frozenset({"index", "temperature"})
"""Options that another one replaces: `--rows`, `--model-arg`. They go on working."""


def write_groups(
    command: click.Command, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the options of a command in groups, and how environment variables set them."""
    options = {
        option.name: option
        for option in command.get_params(ctx)
        if isinstance(option, click.Option) and option.name not in HIDDEN
    }
    grouped = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, "Advanced": tuple(str(name) for name in options if name not in grouped)}
    for title, names in groups.items():
        with formatter.section(title):
            records = [options[name].get_help_record(ctx) for name in names if name in options]
            formatter.write_dl([record for record in records if record is not None])
    with formatter.section("Environment"):
        alone = [min(option.opts, key=len) for option in options.values() if not option.envvar]
        text = "LVE_ and an option's name set it, too: LVE_MAX_COST=5 is --max-cost 5. Not so "
        indent = " " * formatter.current_indent
        wrapped = wrap_text(f"{text}{', '.join(alone)}.", formatter.width, indent, indent)
        formatter.write(f"{wrapped}\n")


@click.command()
@click.argument("words", metavar="[more | COMMAND...]", nargs=-1)
@click.pass_context
def help(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show what lve can do, or the help of a command.

    \b
    lve help
    lve help more
    lve help session merge
    """
    root = ctx.find_root()
    click.echo(more_help() if words == ("more",) else _help_of(root, words))


def more_help() -> str:
    """Return what `lve --help` has no room for: all other verbs, and the earlier names."""
    shown = {verb for verbs in SHOWN.values() for verb in verbs}
    formatter = click.HelpFormatter(width=80)
    with formatter.section("More commands"):
        formatter.write_dl(
            [(word, VERBS[word]) for word in VERBS if word not in shown and word not in MOVED]
        )
    with formatter.section("Earlier names, which still work"):
        formatter.write_dl([(word, f"lve {now.replace('`', '')}") for word, now in MOVED.items()])
    return formatter.getvalue().rstrip()


def _help_of(ctx: click.Context, words: tuple[str, ...]) -> str:
    """Return the help of a command.

    Raises:
        click.UsageError: there is no such command.
    """
    for word in words:
        if not isinstance(ctx.command, click.Group):
            raise click.UsageError(f"`{ctx.command_path}` has no command '{word}'", ctx=ctx)
        name, command, _ = ctx.command.resolve_command(ctx, [word])
        assert command is not None  # resolve_command raises an error otherwise
        ctx = click.Context(command, ctx, info_name=name, **command.context_settings)
    return ctx.get_help()
