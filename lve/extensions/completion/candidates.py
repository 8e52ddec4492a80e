"""What a shell may offer: names in the files of a workspace, and names that lve has.

Only a shell that completes such a word needs this, so `completers` imports it late.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

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
