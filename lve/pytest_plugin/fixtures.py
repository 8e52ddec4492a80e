"""What the `lve_run` fixture gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lve
from lve.pipeline.result import RunResult
from lve.pytest_plugin.options import Options
from lve.spec.model import Spec


class Runner:
    """Runs tests with the options of the pytest session: `lve_run("repository/x", model=...)`."""

    def __init__(self, options: Options, root: Path) -> None:
        """Args:
        options: the session's.
        root: relative paths start here.
        """
        self._options = options
        self._root = root

    def __call__(
        self,
        tests: str | Path | Spec,
        *,
        model: str | lve.ChatModel | None = None,
        **options: Any,
    ) -> RunResult:
        """Run a test, or the tests below a path.

        Args:
            tests: a document, a folder, a tree, or a loaded test.
            model: wins over `--lve-model`. A name, or a model that was made in Python.
            options: as for `lve.run`; they win over the session's.

        Raises:
            pytest.UsageError: an option of the session can't be used.
            LveError: as `lve.run`.
        """
        settings: dict[str, Any] = {
            "base_url": self._options.base_url,
            "repeats": self._options.repeats,
            "max_connections": self._options.max_connections,
            "max_cost": self._options.max_cost,
            "use_cache": self._options.use_cache,
            "trust": self._options.trust,
            "state": self._options.session_dir,
            **options,
        }
        models = [model] if model else [*self._options.models]
        place = tests if isinstance(tests, Spec) else self._root / tests
        return lve.run(place, model=models or None, **settings)
