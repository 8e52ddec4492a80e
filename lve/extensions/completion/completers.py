"""Completers: functions that return the words that a shell may offer for an option or argument.

The placeholder in help decides which completer an option or argument has (`BY_PLACEHOLDER`). They
run only while a shell completes a word. Words from the files of a workspace are offered only if
they have no special meaning to a shell, because the shell types an offered word for the user.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from lve.checkers.describe import NAMES as NAMES
from lve.documents.read import read_document
from lve.documents.validation.schema import schema_names as schema_names
from lve.errors import LveError
from lve.extension_table import extension_part
from lve.message_codes.catalogue import entries as entries
from lve.models.known_tables import tables
from lve.sessions.session_file import session_ids
from lve.spec.discover import discover
from lve.spec.settings_file import load_workspace
from lve.workspace import Workspace, find_root

MAX_DOCUMENTS = 100
"""Test documents that are read for their models and tags. The shell waits meanwhile."""
MAX_SESSIONS = 100


def role_names() -> Iterable[str]:
    """Return the roles of lve and of the settings."""
    return dict.fromkeys(("judge", "embedding", "user", *load_workspace(Path.cwd()).settings.roles))


def pattern_names() -> Iterable[str]:
    """Return the patterns for new tests."""
    names: Iterable[str] = extension_part("pattern names")()
    return names


def session_names(session_dir: str | None) -> Iterator[str]:
    """Yield the sessions of a folder, or of this workspace, the latest first, after `last`."""
    folder = Path(session_dir) if session_dir else Workspace(find_root(Path.cwd())).session_dir
    ids = session_ids(folder)[::-1][:MAX_SESSIONS]
    yield from ["last", *ids] if ids else []


def model_names() -> Iterable[str]:
    """Return the models of the settings and of the tests here, the offline models, and all known
    models."""
    settings = load_workspace(Path.cwd()).settings
    own = [settings.model, *settings.models, *settings.roles.values()]
    named = (name for document in _documents() for name in _models_in(document))
    known = (
        name if "/" in name else f"{model.provider}/{name}"
        for table in tables(settings)
        for name, model in table.by_name.items()
        if name not in table.patterns and ("/" in name or model.provider)
    )
    every = (*own, *named, "replay", "dummy/dummy", *known)
    return dict.fromkeys(name for name in every if isinstance(name, str))


def _models_in(document: dict[str, object]) -> Iterator[object]:
    yield document.get("model")
    several = document.get("models")
    for one in several if isinstance(several, list) else []:
        yield one.get("model") if isinstance(one, dict) else one


def tag_names() -> Iterator[str]:
    """Yield the tags of the tests in the current folder, with and without their values."""
    for document in _documents():
        several = document.get("tags")
        for tag in several if isinstance(several, list) else []:
            if isinstance(tag, dict):
                name, value = str(tag.get("name")), str(tag.get("value"))
                yield name
                yield f"{name}={value}"


def _documents() -> Iterator[dict[str, Any]]:
    """Yield the first test documents below the current folder."""
    for file in islice(discover(["."], report=lambda problem: None), MAX_DOCUMENTS):
        with suppress(LveError, OSError):
            data = read_document(file).data
            if isinstance(data, dict):
                yield data


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
        return _beginning(word, (name for name in NAMES if name not in before))
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
    return _beginning(word, model_names())


def roles(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer models for roles: `judge=openai/...`."""
    names = [*model_names()]
    every = role_names()
    return _beginning(word, (f"{role}={model}" for role in every for model in names))


def tags(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer the tags of the tests in the current folder, with and without their values."""
    return _beginning(word, sorted({*tag_names()}))


def checkers(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer checkers, or tests."""
    return _first(word, NAMES)


def patterns(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer patterns for new tests, or tests."""
    return _beginning(word, pattern_names()) or paths(ctx, param, word)


def schemas(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer schemas."""
    return _beginning(word, schema_names())


def codes(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer the codes of messages."""
    return _beginning(word, entries())


def _sessions(ctx: click.Context) -> Iterable[str]:
    names: Iterable[str] = session_names(ctx.params.get("session_dir"))
    return names


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
