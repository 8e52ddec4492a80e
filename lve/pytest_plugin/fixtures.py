"""What the `lve_run` fixture gives, and helpers for tests written in Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lve.pytest_plugin.options import Options


class Runner:
    """Runs tests with the options of the pytest session: `lve_run("repository/x", model=...)`."""

    def __init__(self, options: Options) -> None:
        self.options = options

    def __call__(self, path: str | Path, *, model: str | None = None, **options: Any) -> Any:
        """Run the tests below a path.

        Args:
            path: a test document, a folder or a tree.
            model: wins over `--lve-model`.
            options: as for `lve.run`; they win over the session's.

        Returns:
            What `lve.run` returns.
        """
        import lve

        settings: dict[str, Any] = {
            "base_url": self.options.base_url,
            "repeats": self.options.repeats,
            "max_connections": self.options.max_connections,
            "use_cache": self.options.use_cache,
            "trust": self.options.trust,
        }
        settings.update(options)
        models: Iterable[str] = (model,) if model else self.options.models
        return lve.run(path, model=list(models) or None, **settings)
