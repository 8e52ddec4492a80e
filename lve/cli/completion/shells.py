"""What bash needs beside what click has for it."""

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
    """Completes words with `=` and `:`, such as `severity=high` and `ollama/llama3.2:1b`.

    bash takes them for several words, and puts what is offered in the place of the last one. So the
    words are read from the line, and what stands before the last one isn't offered again.
    """

    name = "bash"
    source_template = BashComplete.source_template.replace(
        "$(env ", '$(env COMP_LINE="${COMP_LINE:0:${COMP_POINT:-0}}" '
    )
    _before = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the whole words before the one that is completed, and that one."""
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
        """Return the line that the script reads."""
        value: Any = item.value
        return f"{item.type},{value.removeprefix(self._before)}"


def add_shells() -> None:
    """Have click use what is here."""
    add_completion_class(Bash)
