"""`lve explain`: explains a message by its code."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable

import click

from lve.cli.printing import View
from lve.cli.shared_options import shows
from lve.errors import UsageError
from lve.escape import head
from lve.message_codes.catalogue import CodeEntry, entries, groups
from lve.suggest import did_you_mean

_AT_END = re.compile(r"\[(\w+)\]\s*\Z")
MAX_WIDTH = 80


@click.command()
@click.argument("codes", metavar="[CODE...]", nargs=-1)
@shows
def explain(codes: tuple[str, ...]) -> View:
    """Explain a message: its cause, and what to do about it.

    A message ends with its code in brackets. Without CODE, lists all codes. docs/messages.md has
    the same explanations, with the messages of each code.

    \b
    lve explain missing_column
    lve explain 'lve: prompts names no model: give one with ... [no_model]'
    """
    explanations = entries()
    chosen = [_find(code, explanations) for code in codes] if codes else list(explanations.values())
    text = "\n\n".join(map(_text, chosen)) if codes else "\n".join(_list())
    return View(lambda: {"codes": [_json(explanation) for explanation in chosen]}, text.split("\n"))


def _find(text: str, explanations: dict[str, CodeEntry]) -> CodeEntry:
    """Return the explanation of a code, which is given alone or at the end of a message."""
    at_end = _AT_END.search(text)
    code = at_end[1] if at_end else text.strip()
    if code not in explanations:
        hint = did_you_mean(code, explanations) or "`lve explain` lists all"
        raise UsageError(f"no message has the code {head(code, 40)!r}: {hint}", code="unknown_name")
    return explanations[code]


def _text(explanation: CodeEntry) -> str:
    """Return the explanation of a code as paragraphs."""
    paragraphs = (
        f"{explanation.code} ({explanation.group})",
        f"Why: {explanation.cause}",
        f"What to do: {explanation.remedy}",
    )
    return "\n\n".join(_wrapped(text) for text in paragraphs)


def _list() -> Iterable[str]:
    for group in groups():
        yield group.title
        yield (
            _wrapped(", ".join(explanation.code for explanation in group.codes), indent="  ") + "\n"
        )
    yield "`lve explain CODE` explains one."


def _wrapped(text: str, indent: str = "") -> str:
    width = min(MAX_WIDTH, shutil.get_terminal_size().columns)
    return click.formatting.wrap_text(text, width, indent, indent)


def _json(explanation: CodeEntry) -> dict[str, object]:
    return {
        "code": explanation.code,
        "group": explanation.group,
        "cause": explanation.cause,
        "remedy": explanation.remedy,
        "error_kind": explanation.is_kind,
    }
