"""Finds the data sets of configurations: the lists of objects whose name ends in `datasets`."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lve.data_classes import dataclass, field
from lve.errors import Problem, UsageError
from lve.escape import PlacedWarning, excerpt
from lve.extensions.importing.opencompass.configuration import Configuration
from lve.extensions.importing.opencompass.package import PACKAGES, Package, open_package
from lve.extensions.importing.opencompass.reading_cost import NotDataError
from lve.json_types import JsonObject
from lve.workspace import display_path

MAX_FILES = 5_000
SUFFIX = "datasets"
"""The end of the names that upstream's command looks for."""
FUNCTIONS = "BFCLV3FunctionCallInferencer"
PROMPT = "prompt"
"""The column that gets the messages with such functions, as that inferencer writes them."""
SUMMARIZER = "summarizer"
"""The name of what upstream makes its table with: averages of groups, or of judges' replies."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of a configuration."""

    config: JsonObject
    """Its object, as JSON: names of classes are texts with their module."""
    file: Path
    line: int

    @property
    def abbr(self) -> str:
        """The name that upstream's reports give to it."""
        return str(self.config.get("abbr") or self.config.get("path") or self.file.stem)

    @property
    def package(self) -> str:
        """The package whose classes it names."""
        text = json.dumps(self.config)
        return next((name for name in PACKAGES[1:] if f'"{name}.' in text), PACKAGES[0])

    @property
    def calls_functions(self) -> bool:
        """Whether its inferencer tells the model of functions to call, which rows have."""
        return FUNCTIONS in json.dumps(self.part("infer_cfg").get("inferencer"))

    def part(self, name: str) -> JsonObject:
        """Return an object of the configuration; an empty one if there is none."""
        value = self.config.get(name)
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Summarizer:
    """What a configuration makes a table of its data sets' scores with."""

    config: JsonObject
    file: Path
    line: int
    data_sets: tuple[DataSet, ...]


@dataclass(slots=True)
class Source:
    """The configurations to import, and what can't be imported of them."""

    files: tuple[Path, ...]
    package: Package
    left_out: list[str] = field(default_factory=list)
    summarizers: list[Summarizer] = field(default_factory=list)

    def leave_out(self, file: Path, line: int, why: object) -> None:
        """Remember that a part of a file is left out, and why."""
        name = display_path(file)
        problem = Problem(f"left out: {why}", name, line or 1, code="importer")
        self.left_out.append(PlacedWarning(replace(problem, severity="warning")))

    def data_sets(self) -> Iterator[DataSet]:
        """Yield the data sets of all files; a file that can't be read as data is left out."""
        for file in self.files:
            configuration = Configuration(self.package, file)
            try:
                names = configuration.names()
                every = list(data_sets_of(configuration, names))
                yield from every
                if every:
                    self._add_summarizer(configuration, names, every)
            except NotDataError as error:
                self.leave_out(Path(error.file or file), error.line, excerpt(error, 300))

    def _add_summarizer(
        self, configuration: Configuration, names: Mapping[str, object], data_sets: list[DataSet]
    ) -> None:
        """Remember what summarizes the scores of data sets."""
        own = names.get(SUMMARIZER)
        config = configuration.work.plain(own) if isinstance(own, dict) else None
        if isinstance(config, dict):
            line = _line_of(configuration.package.tree(configuration.path), SUMMARIZER)
            summarizer = Summarizer(config, configuration.path, line, tuple(data_sets))
            self.summarizers.append(summarizer)


def open_source(path: Path) -> Source:
    """Return the configurations of a path.

    Args:
        path: a configuration file (`.py`), or a folder of such.

    Raises:
        UsageError: it is neither, or has too many files.
    """
    if path.is_dir():
        files = tuple(sorted(path.resolve().rglob("*.py")))
    else:
        files = (path.resolve(),) if path.suffix == ".py" else ()
    if len(files) > MAX_FILES:
        raise UsageError(f"it has more than {MAX_FILES:,} files", code="over_limit")
    if not files:
        raise UsageError(
            f"{display_path(path)} is no configuration of OpenCompass: name a `.py` file of "
            "configs/datasets, or a folder of such",
            code="importer",
        )
    return Source(files, open_package(path))


def data_sets_of(configuration: Configuration, names: Mapping[str, object]) -> Iterator[DataSet]:
    """Yield the data sets of a file, whose names have values.

    Raises:
        NotDataError: one isn't data.
    """
    tree = configuration.package.tree(configuration.path)
    listed: list[tuple[str, object]] = []
    for name, value in names.items():
        for item in value if name.endswith(SUFFIX) and isinstance(value, list) else ():
            if isinstance(item, dict) and not any(item is other for _, other in listed):
                listed.append((name, item))
    for name, item in listed:
        config = configuration.work.plain(item)
        if isinstance(config, dict) and "infer_cfg" in config:
            yield DataSet(config, configuration.path, _line_of(tree, name))


def _line_of(tree: ast.Module, name: str) -> int:
    """Return the line where a name gets its value, or is imported; 1 if it is made elsewhere."""
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.alias) and name in (node.name, node.asname))
    ]
    return min(lines, default=1)
