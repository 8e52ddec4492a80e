"""What a shell offers for the word that is being typed.

Which words those are, the placeholder of an option or argument says. All of it is looked up while a
shell completes, and never else. What comes from files of a workspace is only offered if it means
nothing to a shell: an offered word is typed for the user.
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

from lve.errors import LveError

MAX_DOCUMENTS = 100
"""Most test documents that are read for their models and tags: a shell waits."""
MAX_SESSIONS = 100
_HARMLESS = re.compile(r"[\w./][\w./:@+=~-]{0,200}")
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def add_completers(command: click.Command, name: str) -> None:
    """Give each option and argument of a command what completes it.

    Args:
        command: a verb, or a group of them.
        name: its name, `schema print`.
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
    with suppress(Exception):  # a shell has no place for a message
        return complete(ctx, parameter, word)
    return []


def paths(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer files and folders: the shell itself finds them."""
    return [CompletionItem(word, type="file")]


def shown(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer what `lve show` takes: checkers after `checker`, else tests, `checker`, sessions."""
    before = ctx.params.get(param.name or "") or ()
    if before[:1] == ("checker",):
        return _beginning(word, (name for name in _checkers() if name not in before))
    names = dict.fromkeys(("checker", "last", *_sessions(ctx)))
    return _first(word, names) if not before else paths(ctx, param, word)


def listed(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer what `lve list` takes: tests, and what else it lists."""
    before = ctx.params.get(param.name or "") or ()
    return (
        _first(word, ("checkers", "models", "patterns")) if not before else paths(ctx, param, word)
    )


def sessions(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer sessions, the latest first; else files, as baselines and folders of sessions are."""
    return _beginning(word, _sessions(ctx)) or paths(ctx, param, word)


def models(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer models."""
    return _beginning(word, _models())


def roles(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer models for roles: `judge=openai/...`."""
    from lve.spec.settings import load_workspace

    named = load_workspace(Path.cwd()).settings.roles
    names = [*_models()]
    every = dict.fromkeys(("judge", "embedding", "user", *named))
    return _beginning(word, (f"{role}={model}" for role in every for model in names))


def tags(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer the tags of the tests here, with and without their values."""
    return _beginning(word, sorted({*_tags()}))


def checkers(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer checkers, or tests."""
    return _first(word, _checkers())


def patterns(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer patterns of new tests, or tests."""
    from lve.authoring.patterns import pattern_names

    return _beginning(word, pattern_names()) or paths(ctx, param, word)


def schemas(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer schemas."""
    from lve.documents.schema import schema_names

    return _beginning(word, schema_names())


def codes(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem]:
    """Offer the codes of messages."""
    from lve.message_codes.catalogue import explained

    return _beginning(word, explained())


def _checkers() -> Iterable[str]:
    from lve.checkers.describe import NAMES  # only here

    return NAMES


def _sessions(ctx: click.Context) -> Iterator[str]:
    from lve.results.session_file import session_ids
    from lve.workspace import Workspace, find_root

    given = ctx.params.get("session_dir")
    folder = Path(given) if given else Workspace(find_root(Path.cwd())).session_dir
    found = session_ids(folder)[::-1][:MAX_SESSIONS]
    yield from ["last", *found] if found else []


def _models() -> Iterable[str]:
    """Return the models of the settings and tests here, those without a server, those known."""
    from lve.models.tables import tables
    from lve.spec.settings import load_workspace

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


def _models_in(document: dict[str, Any]) -> Iterator[Any]:
    yield document.get("model")
    several = document.get("models")
    for one in several if isinstance(several, list) else []:
        yield one.get("model") if isinstance(one, dict) else one


def _tags() -> Iterator[str]:
    for document in _documents():
        listed = document.get("tags")
        for tag in listed if isinstance(listed, list) else []:
            if isinstance(tag, dict):
                name, value = str(tag.get("name")), str(tag.get("value"))
                yield name
                yield f"{name}={value}"


def _documents() -> Iterator[dict[str, Any]]:
    """Yield the first test documents below the current folder."""
    from lve.documents.read import read_document
    from lve.spec.discover import discover

    for file in islice(discover(["."], report=lambda problem: None), MAX_DOCUMENTS):
        with suppress(LveError, OSError):
            data = read_document(file).data
            if isinstance(data, dict):
                yield data


def _first(word: str, names: Iterable[str]) -> list[CompletionItem]:
    """Offer names that a word begins, otherwise files: shells can't offer both."""
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
"""Placeholder of an option or argument in help -> what completes it."""
BY_NAME: dict[str, Complete] = {
    "show:paths": shown,
    "list:paths": listed,
    "new:tags": tags,
    "render:model": models,
    "models show:name": models,
    "schema print:name": schemas,
    "explain:codes": codes,
    "commit:path": paths,
}
"""`VERB:NAME` of a parameter -> the same, where its placeholder doesn't tell."""
