"""`lve help`: what lve can do, and the help of a command."""

from __future__ import annotations

import click

from lve.cli.verbs import MOVED, SHOWN, VERBS


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
