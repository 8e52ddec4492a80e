"""`lve completion`: lets a shell complete what a user types."""

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
    """Print what makes a shell complete verbs, paths, models, sessions and more.

    Also options, checkers, tags, roles and patterns of new tests. Tags and models come from the
    first 100 tests here; models also from the settings and from what `lve models` knows.

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
    # The variables have the name of the command; `source` would start the shell for its version.
    cli = click.get_current_context().find_root().command
    parts = kind(cli, {}, "lve", "_LVE_COMPLETE")
    click.echo(parts.source_template % parts.source_vars())
    return ExitCode.as_expected
