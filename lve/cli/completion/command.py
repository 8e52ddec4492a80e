"""The command `lve completion`: prints the script that a shell needs for completion."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from lve.cli.completion.shells import add_shells
from lve.errors import UsageError
from lve.exit_code import ExitCode

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print the script that completes commands in your shell.

    It completes verbs, options, paths, models, sessions, checkers, tags, roles and patterns for new
    tests. Tags come from the first 100 tests in the current folder; models also from the settings
    and from the list of `lve models`.

    \b
    eval "$(lve completion bash)"        # in ~/.bashrc
    eval "$(lve completion zsh)"         # in ~/.zshrc
    lve completion fish > ~/.config/fish/completions/lve.fish
    lve run repository --model anth<TAB>
    lve show checker con<TAB>
    """
    add_shells()
    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"this version of click can't complete in {shell}", code="missing_package")
    # Filled in here, because click's own `source` would start the shell to check its version.
    cli = click.get_current_context().find_root().command
    parts = kind(cli, {}, "lve", "_LVE_COMPLETE")
    click.echo(parts.source_template % parts.source_vars())
    return ExitCode.as_expected
