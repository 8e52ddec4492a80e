"""The function that the `lve_run` fixture returns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import lve
from lve.options.run_options import OPTIONS
from lve.pipeline.result import RunResult
from lve.pytest_plugin.options import Options
from lve.spec.spec import Spec

_ITEM_OPTIONS = ("failed_in", "shard")
"""Options that select among pytest's items. They don't apply to the tests that a Python test
runs."""


class Runner:
    """Runs tests with the options of the pytest session: `lve_run("repository/x", model=...)`."""

    def __init__(self, options: Options, root: Path, target: Any = None) -> None:
        """Args:
        options: the options of the pytest session.
        root: the folder that relative paths start from.
        target: the model if a call names none, such as a function of an application.
        """
        self._options = options.run
        self._target = target
        self._root = root

    def __call__(
        self,
        tests: str | Path | Spec,
        *,
        model: str | lve.ChatModel | Callable[..., Any] | None = None,
        **options: Any,
    ) -> RunResult:
        """Run a test, or the tests below a path, and return the result.

        In a running event loop this blocks the loop and uses a thread; `await arun(...)` does
        neither.

        Args:
            tests: a document, a folder, a tree, or a loaded test.
            model: a name, a function, or a model that was made in Python; overrides `--lve-model`.
            options: see `lve.run`; they override those of the session.

        Raises:
            pytest.UsageError: an option of the session is invalid.
            LveError: see `lve.run`.
        """
        place, arguments = self._arguments(tests, model, options)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return lve.run(place, **arguments)
        with ThreadPoolExecutor(1, thread_name_prefix="lve-run") as thread:
            return thread.submit(lve.run, place, **arguments).result()

    async def arun(
        self,
        tests: str | Path | Spec,
        *,
        model: str | lve.ChatModel | Callable[..., Any] | None = None,
        **options: Any,
    ) -> RunResult:
        """Do the same as a call, in the running event loop."""
        place, arguments = self._arguments(tests, model, options)
        return await lve.arun(place, **arguments)

    def _arguments(
        self, tests: str | Path | Spec, model: object, options: dict[str, Any]
    ) -> tuple[Path | Spec, dict[str, Any]]:
        settings = {
            about.python_word or name: getattr(self._options, name)
            for name, about in OPTIONS.items()
            if "pytest" in about.interfaces and name not in _ITEM_OPTIONS
        }
        settings |= options
        if model or self._target is not None:
            settings["model"] = model or self._target
        return tests if isinstance(tests, Spec) else self._root / tests, settings
