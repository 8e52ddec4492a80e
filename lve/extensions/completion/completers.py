"""Completers: functions that return the words that a shell may offer for an option or argument.

The placeholder in help decides which completer an option or argument has (`BY_PLACEHOLDER`). They
run only while a shell completes a word. Words from the files of a workspace are offered only if
they have no special meaning to a shell, because the shell types an offered word for the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from types import ModuleType

import click
from click.shell_completion import CompletionItem

from lve.extensions.completion import candidates

_HARMLESS = re.compile(r"[\w./][\w./:@+=~-]{0,200}")
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def add_completers(command: click.Command, name: str) -> None:
    """Set the completer of each option and argument of a command.

    Args:
        command: the command; for a group also all commands in it.
        name: its full name, such as `schema print`.
    """
    if isinstance(command, click.Group):
        for word, inner in command.commands.items():
            add_completers(inner, f"{name} {word}")
    for parameter in command.params:
        found = BY_NAME.get(f"{name}:{parameter.name}")
        if found is None and type(parameter.type) is type(click.STRING):
            found = BY_PLACEHOLDER.get(parameter.metavar or "")
        if found is not None:
            setattr(parameter, "shell_complete", partial(_completed, found, parameter))  # noqa: B010


def _completed(
    complete: Complete, parameter: click.Parameter, ctx: click.Context, word: str
) -> list[CompletionItem]:
    with suppress(Exception):  # there is no place to show an error
        return complete(ctx, parameter, word)
    return []


def paths(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Let the shell offer files and folders."""
    return [CompletionItem(word, type="file")]


def show_arguments(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer the arguments of `lve show`: checkers after `checker`; else tests, `checker` and
    sessions."""
    before = ctx.params.get(param.name or "") or ()
    if before[:1] == ("checker",):
        return _beginning(word, (name for name in _lists().NAMES if name not in before))
    names = dict.fromkeys(("checker", "last", *_sessions(ctx)))
    return _first(word, names) if not before else paths(ctx, param, word)


def list_arguments(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer the arguments of `lve list`: tests, `checkers`, `models` and `patterns`."""
    before = ctx.params.get(param.name or "") or ()
    return (
        _first(word, ("checkers", "models", "patterns")) if not before else paths(ctx, param, word)
    )


def sessions(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer sessions, the latest first; if none matches, files, because baselines and folders of
    sessions are possible, too."""
    return _beginning(word, _sessions(ctx)) or paths(ctx, param, word)


def models(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer models."""
    return _beginning(word, _lists().model_names())


def roles(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer models for roles: `judge=openai/...`."""
    names = [*_lists().model_names()]
    every = _lists().role_names()
    return _beginning(word, (f"{role}={model}" for role in every for model in names))


def tags(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer the tags of the tests in the current folder, with and without their values."""
    return _beginning(word, sorted({*_lists().tag_names()}))


def checkers(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer checkers, or tests."""
    return _first(word, _lists().NAMES)


def patterns(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer patterns for new tests, or tests."""
    return _beginning(word, _lists().pattern_names()) or paths(ctx, param, word)


def schemas(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer schemas."""
    return _beginning(word, _lists().schema_names())


def codes(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer the codes of messages."""
    return _beginning(word, _lists().entries())


def _sessions(ctx: click.Context) -> Iterable[str]:
    names: Iterable[str] = _lists().session_names(ctx.params.get("session_dir"))
    return names


def _lists() -> ModuleType:
    """Return the module that lists names. Options and files are completed without it."""
    return candidates


def _first(word: str, names: Iterable[str]) -> list[CompletionItem]:
    """Offer the names that begin with `word`; if there are none, files. A shell can't offer
    both."""
    found = _beginning(word, names) if word else []
    return found or [CompletionItem(word, type="file")]


def _beginning(word: str, names: Iterable[str]) -> list[CompletionItem]:
    found = (name for name in names if name.startswith(word))
    return [CompletionItem(name) for name in found if _HARMLESS.fullmatch(name)]


BY_PLACEHOLDER: dict[str, Complete] = {
    "MODEL": models,
    "ROLE=MODEL": roles,
    "NAME[=VALUE]": tags,
    "PATH|PATTERN": patterns,
    "TEST|CHECK": checkers,
    **dict.fromkeys(("SESSION", "SESSION...", "SESSION|last", "[BEFORE [NOW]]"), sessions),
    **dict.fromkeys(("[SESSION]", "[SESSION...]"), sessions),
    **dict.fromkeys(("FILE", "FOLDER", "[PATH...]"), paths),
}
"""Placeholder of an option or argument in help -> its completer."""
BY_NAME: dict[str, Complete] = {
    "show:paths": show_arguments,
    "list:paths": list_arguments,
    "new:tags": tags,
    "render:model": models,
    "models show:name": models,
    "schema print:name": schemas,
    "explain:codes": codes,
    "commit:path": paths,
}
"""`VERB:NAME` of a parameter -> its completer, if the placeholder doesn't decide."""
