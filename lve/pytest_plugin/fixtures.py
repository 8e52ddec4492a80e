"""What the `lve_run` fixture gives."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import lve
from lve.pipeline.result import RunResult
from lve.pytest_plugin.options import Options
from lve.run_options import OPTIONS
from lve.spec.model import Spec

_OF_ITEMS = ("failed_in", "shard")
"""Options that pick among pytest's items. What a Python test runs is its own."""


class Runner:
    """Runs tests with the options of the pytest session: `lve_run("repository/x", model=...)`."""

    def __init__(self, options: Options, root: Path) -> None:
        """Args:
        options: the session's.
        root: relative paths start here.
        """
        self._options = options.run
        self._root = root

    def __call__(
        self,
        tests: str | Path | Spec,
        *,
        model: str | lve.ChatModel | None = None,
        **options: Any,
    ) -> RunResult:
        """Run a test, or the tests below a path, and wait for what comes out.

        In a running event loop, which stands still meanwhile, this takes a thread; `arun` doesn't.

        Args:
            tests: a document, a folder, a tree, or a loaded test.
            model: wins over `--lve-model`. A name, or a model that was made in Python.
            options: as for `lve.run`; they win over the session's.

        Raises:
            pytest.UsageError: an option of the session can't be used.
            LveError: as `lve.run`.
        """
        place, given = self._arguments(tests, model, options)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return lve.run(place, **given)
        with ThreadPoolExecutor(1, thread_name_prefix="lve-run") as thread:
            return thread.submit(lve.run, place, **given).result()

    async def arun(
        self,
        tests: str | Path | Spec,
        *,
        model: str | lve.ChatModel | None = None,
        **options: Any,
    ) -> RunResult:
        """As a call, within the running event loop."""
        place, given = self._arguments(tests, model, options)
        return await lve.arun(place, **given)

    def _arguments(
        self, tests: str | Path | Spec, model: str | lve.ChatModel | None, options: dict[str, Any]
    ) -> tuple[Path | Spec, dict[str, Any]]:
        settings = {
            about.python_word or name: getattr(self._options, name)
            for name, about in OPTIONS.items()
            if "pytest" in about.interfaces and name not in _OF_ITEMS
        }
        settings |= options
        if model:
            settings["model"] = model
        return tests if isinstance(tests, Spec) else self._root / tests, settings
