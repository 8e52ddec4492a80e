"""Tests as workers get them, and which of them only the machine of the run can run."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any, NamedTuple

from lve.models.registry import provider_of
from lve.pipeline.cluster.files import files_of, sent
from lve.pipeline.cluster.links import Links
from lve.pipeline.engine import Engine
from lve.pipeline.prepared_test import PreparedTest
from lve.settings.settings import Settings
from lve.spec.model import Spec

IN_ORDER = "scripted"
"""The provider whose models answer one request after the other: there is one of each."""


class Sent(NamedTuple):
    """A test as workers get it."""

    number: int
    spec: Spec
    key: str
    """Sum of its files."""
    content: Any
    """Where they are, as of `Links.put`."""
    advisory: frozenset[int]


class Sendable:
    """Reads the files of tests, each once."""

    def __init__(self, engine: Engine, links: Links) -> None:
        """Args:
        engine: of the run.
        links: lay files where workers find them.
        """
        self._engine = engine
        self._links = links
        self._numbers = count()
        self._found: dict[tuple[str, str], asyncio.Future[Sent | None]] = {}

    async def form_of(self, test: PreparedTest) -> Sent | None:
        """Return a test as workers get it; None if it runs here."""
        key = (test.spec.path, test.model)
        future = self._found.get(key)
        if future is None:
            future = self._found[key] = asyncio.ensure_future(self._read(test))
        return await asyncio.shield(future)

    async def _read(self, test: PreparedTest) -> Sent | None:
        engine = self._engine
        if test.live_tools is not None or _stays(test.model, engine):
            return None
        found = await asyncio.to_thread(_packed, test.spec, engine.settings)
        if found is None:
            return None
        key, content = found
        where = self._links.put(content)
        return Sent(next(self._numbers), sent(test.spec), key, where, test.judge.advisory)


def _stays(model: str, engine: Engine) -> bool:
    """Whether a model is only in this process."""
    if model in engine.options.own_models:
        return True
    return model in engine.settings.models and provider_of(model, engine.settings) == IN_ORDER


def _packed(spec: Spec, settings: Settings) -> tuple[str, bytes] | None:
    found = files_of(spec, settings.trust)
    return None if found is None else found.packed()
