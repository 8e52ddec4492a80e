"""The folder of a package of configurations: which files they may read, and how they are called."""

from __future__ import annotations

import ast
from pathlib import Path

from lve.data_classes import dataclass, field
from lve.documents.read import read_text
from lve.errors import SpecError
from lve.extensions.importing.opencompass.reading_cost import NotDataError

MAX_SOURCE = 2_000_000
"""The largest file that is read."""
NAMES = {"opencompass": "OpenCompass", "ais_bench": "AISBench"}
"""The projects whose configurations are of this kind, by their packages."""
PACKAGES = tuple(NAMES)


@dataclass(slots=True)
class Package:
    """The folder that configurations may read, and those that were read."""

    folder: Path
    _parsed: dict[Path, ast.Module] = field(default_factory=dict)

    def tree(self, path: Path) -> ast.Module:
        """Return the statements of a file.

        Raises:
            NotDataError: it can't be read, or isn't Python.
        """
        if path not in self._parsed:
            self._parsed[path] = self._read(path)
        return self._parsed[path]

    def text(self, path: Path) -> str:
        """Return the text of a file of the package.

        Raises:
            NotDataError: it can't be read, or isn't in the folder.
        """
        try:
            return read_text(path, folder=self.folder, max_bytes=MAX_SOURCE, hint="make it smaller")
        except SpecError as error:
            raise NotDataError(str(error)) from None

    def _read(self, path: Path) -> ast.Module:
        text = self.text(path)
        try:
            return ast.parse(text)
        except SyntaxError as error:
            raise NotDataError(f"not Python: {error.msg}", error.lineno or 0) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise NotDataError(f"not Python that can be read: {error}") from None

    def path_of(self, module: str) -> Path | None:
        """Return the file of a module, `opencompass.configs.datasets.gsm8k.gsm8k_gen`; None if
        it is of no package here."""
        first, *steps = module.split(".")
        if first not in PACKAGES or first not in self.folder.parts:
            return None
        position = len(self.folder.parts) - self.folder.parts[::-1].index(first)
        home = Path(*self.folder.parts[:position])
        path = home.joinpath(*steps)
        return next(
            (p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None
        )


def open_package(source: Path) -> Package:
    """Return the package of a configuration or a folder of such: the folder around it that is the
    package's, or that has all configurations; else its own."""
    source = source.resolve()
    home = source if source.is_dir() else source.parent
    around = [home, *home.parents]
    for name in (*PACKAGES, "configs", "datasets"):
        named = [folder for folder in around if folder.name == name]
        if named:
            return Package(named[-1] if name in ("configs", "datasets") else named[0])
    return Package(home)
