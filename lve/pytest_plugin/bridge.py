"""From pytest's one-after-the-other to the engine's many-at-once.

The first item that runs submits all selected items, in collection order, to an engine in a thread
of its own; each item then only waits for its own result.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from hashlib import sha256

import pytest

from lve.errors import UsageError
from lve.pipeline.background import BackgroundSession
from lve.pipeline.loading import choose_workspace
from lve.pipeline.options import RunOptions
from lve.pytest_plugin import options
from lve.pytest_plugin.items import InstanceItem
from lve.results.provenance import hashes_of
from lve.results.records import InstanceResult
from lve.spec.model import Spec

Results = list[InstanceResult]


def bridge_of(session: pytest.Session) -> Bridge:
    """Return the bridge of a pytest session; the first call starts it."""
    stash = session.config.stash
    if options.BRIDGE not in stash:
        stash[options.BRIDGE] = Bridge(session)
    return stash[options.BRIDGE]


class Bridge:
    """One engine for all items of a pytest session."""

    def __init__(self, session: pytest.Session) -> None:
        config = session.config
        asked = options.read(config)
        self._workspace = choose_workspace([], cwd=config.rootpath)
        self._futures: dict[str, Future[Results]] = {}
        self._warnings: list[str] = []
        self._prompt_hashes: dict[str, str] = {}
        self.session_id: str | None = None
        self._background = BackgroundSession(
            self._workspace, _run_options(asked), warn=self._warnings.append
        )
        self._background.start()
        if not _is_xdist_worker():
            self._submit(item for item in session.items if isinstance(item, InstanceItem))

    def results_of(self, item: InstanceItem) -> Results:
        """Return an item's results, one per instance and repeat, as soon as they are there.

        Raises:
            LveError: the test or the model can't be used, or the session has stopped.
        """
        self._submit([item])
        results = self._futures.pop(item.nodeid).result()
        while self._warnings:
            warnings.warn(pytest.PytestWarning(f"lve: {self._warnings.pop(0)}"), stacklevel=1)
        return results

    def prompt_hash(self, spec: Spec) -> str:
        """Return a short sum over a test's document and prompt files, for reports."""
        known = self._prompt_hashes
        if spec.path not in known:
            sums = hashes_of(spec)
            text = sums["document"] + sums.get("prompts", "")
            known[spec.path] = sha256(text.encode()).hexdigest()[:16]
        return known[spec.path]

    def look_ahead(self, item: pytest.Item | None) -> None:
        """Start with the item that comes next. An xdist worker knows no more than that."""
        if isinstance(item, InstanceItem):
            self._submit([item])

    def close(self) -> None:
        """Stop sending, wait for what is under way, write it."""
        self._background.close()

    def summary(self) -> Sequence[str]:
        """Return what is worth saying at the end."""
        return [f"lve: {warning}" for warning in self._warnings]

    def _submit(self, items: Iterable[InstanceItem]) -> None:
        for item in items:
            if item.nodeid in self._futures or item.spec.skip is not None:
                continue
            model = item.model or self._default_model(item.spec)
            self._futures[item.nodeid] = self._background.submit(item.spec, model, item.instances)

    def _default_model(self, spec: Spec) -> str:
        model = self._workspace.settings.model
        if model is None:
            raise UsageError(
                f"{spec.path} names no model: give one with --lve-model (openai/NAME, or use "
                "--lve-replay for the recorded completions), or set `model:` in lve.yaml"
            )
        return model


def _run_options(asked: options.Options) -> RunOptions:
    return RunOptions(
        models=asked.models,
        base_url=asked.base_url,
        repeats=asked.repeats,
        max_connections=asked.max_connections,
        max_cost=asked.max_cost,
        use_cache=asked.use_cache,
        trust=asked.trust,
    )


def _is_xdist_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ
