"""Packages with entry points, installed for a test: folders with metadata, as pip leaves them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


class Installed:
    """Installs packages into a folder of the test; undone at its end."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self._monkeypatch = monkeypatch
        monkeypatch.syspath_prepend(str(folder))

    def add(
        self,
        name: str,
        modules: Mapping[str, str],
        points: Mapping[str, Mapping[str, str]],
        version: str = "1.0",
    ) -> None:
        """Install a package.

        Args:
            name: of the distribution.
            modules: name -> source.
            points: group -> name -> `module:attribute`.
            version: of it.
        """
        for module, source in modules.items():
            self._monkeypatch.delitem(sys.modules, module, raising=False)
            (self.folder / f"{module}.py").write_text(source, "utf-8")
        info = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata, "utf-8")
        sections = [
            "\n".join([f"[{group}]", *(f"{key} = {value}" for key, value in entries.items())])
            for group, entries in points.items()
        ]
        (info / "entry_points.txt").write_text("\n\n".join(sections) + "\n", "utf-8")
        # What is found is known per sys.path.
        self._monkeypatch.syspath_prepend(str(self.folder / f"none-{len(sys.path)}"))
