"""What a shell offers for the word that is being typed."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem


def paths(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer files and folders: the shell itself finds them."""
    return [CompletionItem(word, type="file")]


def shown(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer what `lve show` takes: checkers after `checker`, else tests, and `checker`, `last`."""
    before = ctx.params.get(param.name or "") or ()
    if before[:1] == ("checker",):
        from lve.checkers.describe import NAMES  # only here

        return _beginning(word, (name for name in NAMES if name not in before))
    return _first(word, ("checker", "last")) if not before else paths(ctx, param, word)


def listed(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer what `lve list` takes: tests, and what else it lists."""
    before = ctx.params.get(param.name or "") or ()
    return (
        _first(word, ("checkers", "models", "patterns")) if not before else paths(ctx, param, word)
    )


def _first(word: str, names: Iterable[str]) -> list[CompletionItem]:
    """Offer names that a word begins, otherwise files: shells can't offer both."""
    found = _beginning(word, names) if word else []
    return found or [CompletionItem(word, type="file")]


def _beginning(word: str, names: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(word)]
