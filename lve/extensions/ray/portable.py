"""Makes tests portable: packs each once for workers, and finds those that only this machine can
run, and the environment variables that models need. A worker gets these and no others.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from lve.errors import LveError
from lve.extensions.ray.connections import WorkerLauncher
from lve.extensions.ray.files import files_of, sent
from lve.extensions.ray.messages import Variables
from lve.models.known_models import known_servers
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


ADDRESS_VARIABLES = {
    "openai": ("OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    "azure": ("AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"),
}
"""Provider -> variables with its address and the user's organization, beside those in the table of
known models."""
KEY_VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "azure": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
}
"""Provider -> variables with keys, beside those in the table of known models."""
AWS_PREFIX = "AWS_"
"""The prefix of the variables that AWS's own tools read."""


def variables_for(models: Iterable[str], settings: Settings) -> Variables:
    """Return the variables that models need and that are set.

    Args:
        models: the models' names.
        settings: the workspace's settings.
    """
    names = {name for model in models for name in _names(model, settings)}
    return Variables({name: os.environ[name] for name in names if name in os.environ})


def _names(model: str, settings: Settings) -> Iterator[str]:
    try:
        provider = provider_of(model, settings)
    except LveError:  # a name without a provider, which is sent to --base-url
        provider = "openai"
    yield from ADDRESS_VARIABLES.get(provider, ())
    entry, server = settings.models.get(model), known_servers().get(provider)
    if server is not None:
        yield server.address_env
    if entry is not None:
        yield from _names_in(entry.options)
    if entry is not None and entry.api_key_env:
        yield entry.api_key_env
        return
    if provider == "bedrock":
        yield from (name for name in os.environ if name.startswith(AWS_PREFIX))
    yield from KEY_VARIABLES.get(provider, ())
    if server is not None:
        yield server.api_key_env
        yield server.other_key_env


def _names_in(options: object) -> Iterator[str]:
    """Yield the names of variables in the options of an application: the list `env`, and the values
    of `headers_env` and its like."""
    for key, value in options.items() if isinstance(options, Mapping) else ():
        if key == "env" and isinstance(value, list):
            yield from map(str, value)
        elif str(key).endswith("_env") and isinstance(value, Mapping):
            yield from map(str, value.values())
        else:
            yield from _names_in(value)
