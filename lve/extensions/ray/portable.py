"""Makes tests portable: packs each once for workers, and finds those that only this machine can
run."""

from __future__ import annotations

import asyncio
from itertools import count

from lve.extensions.ray.connections import WorkerLauncher
from lve.extensions.ray.files import files_of, sent
from lve.models.registry import provider_of
from lve.named_tuples import NamedTuple
from lve.pipeline.engine import Engine
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.settings.settings import Settings
from lve.spec.spec import Spec

IN_ORDER = "scripted"
"""The provider whose models answer requests in a fixed order, so that each exists once."""


class PortableTest(NamedTuple):
    """A test in the form that workers get."""

    number: int
    spec: Spec
    key: str
    """Hash of its files."""
    content: object
    """The reference to its files that `WorkerLauncher.put` returned."""
    advisory: frozenset[int]


class PortableTests:
    """Packs the tests of a run, each once."""

    def __init__(self, engine: Engine, launcher: WorkerLauncher) -> None:
        """Args:
        engine: the run's engine.
        launcher: stores files for all workers.
        """
        self._engine = engine
        self._launcher = launcher
        self._numbers = count()
        self._tests: dict[tuple[str, str], asyncio.Future[PortableTest | None]] = {}

    async def of(self, test: PreparedTest) -> PortableTest | None:
        """Return the portable form of a test; None if it can only run here."""
        key = (test.spec.path, test.model.name)
        future = self._tests.get(key)
        if future is None:
            future = self._tests[key] = asyncio.ensure_future(self._read(test))
        return await asyncio.shield(future)

    async def _read(self, test: PreparedTest) -> PortableTest | None:
        engine = self._engine
        if test.model.live_tools is not None or _is_local(test.model.name, engine):
            return None
        packed = await asyncio.to_thread(_packed, test.spec, engine.settings)
        if packed is None:
            return None
        key, content = packed
        where = self._launcher.put(content)
        return PortableTest(next(self._numbers), sent(test.spec), key, where, test.judge.advisory)


def _is_local(model: str, engine: Engine) -> bool:
    """Whether a model exists in this process only."""
    if model in engine.options.own_models:
        return True
    return model in engine.settings.models and provider_of(model, engine.settings) == IN_ORDER


def _packed(spec: Spec, settings: Settings) -> tuple[str, bytes] | None:
    files = files_of(spec, settings.trust)
    return None if files is None else files.packed()
