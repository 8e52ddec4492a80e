"""Extends click's completion for bash."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    split_arg_string,
)


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
