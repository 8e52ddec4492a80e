"""The command `lve completion`: prints the script that a shell needs for completion.

Extends click's completion for bash, which this script and each completion use.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from lve.errors import UsageError
from lve.exit_code import ExitCode

SHELLS = ("bash", "zsh", "fish")


class Bash(BashComplete):
    """Completes words that contain `=` or `:`, such as `severity=high` and `ollama/llama3.2:1b`.

    bash splits such a word and replaces only its last part by the offered text. So the whole word
    is read from the command line, and its first part is removed from the offered text.
    """

    name = "bash"
    source_template = BashComplete.source_template.replace(
        "$(env ", '$(env COMP_LINE="${COMP_LINE:0:${COMP_POINT:-0}}" '
    )
    _before = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that word as a whole."""
        args, last = super().get_completion_args()
        line = os.environ.get("COMP_LINE", "")
        words = split_arg_string(line)
        first = os.environ["COMP_WORDS"].partition("\n")[0]
        if not words or Path(words[0]).name != Path(first).name:
            return args, last
        word = "" if line[-1].isspace() else words.pop()
        part = "" if last in ("=", ":") else last
        self._before = word.removesuffix(part) if word.endswith(part) else ""
        return words[1:], word

    def format_completion(self, item: CompletionItem) -> str:
        """Return the offered word as a line for click's script."""
        value: Any = item.value
        return f"{item.type},{value.removeprefix(self._before)}"


def add_shells() -> None:
    """Register these classes with click."""
    add_completion_class(Bash)


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
