"""`lve completion`: lets a shell complete what a user types."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from lve.errors import UsageError
from lve.exit_code import ExitCode

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print what makes a shell complete verbs, options, paths and names of checkers.

    \b
    eval "$(lve completion bash)"        # in ~/.bashrc
    eval "$(lve completion zsh)"         # in ~/.zshrc
    lve completion fish > ~/.config/fish/completions/lve.fish
    lve show checker con<TAB>
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"this version of click can't complete in {shell}")
    # The variables have the name of the command; `source` would start the shell for its version.
    cli = click.get_current_context().find_root().command
    parts = kind(cli, {}, "lve", "_LVE_COMPLETE")
    click.echo(parts.source_template % parts.source_vars())
    return ExitCode.as_expected
