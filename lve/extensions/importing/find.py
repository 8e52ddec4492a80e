"""Finds the importer for a format and calls it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path

from lve.errors import LveError, UsageError
from lve.escape import PlacedWarning
from lve.extensions.importing.boxes.box import BoxOptions
from lve.extensions.importing.boxes.environment import Tool
from lve.extensions.importing.lm_eval import importer as lm_eval
from lve.extensions.importing.openai_evals import read_evals
from lve.extensions.importing.opencompass import read_configs
from lve.extensions.importing.promptfoo import read_config
from lve.importers import Imported, ImportedTest
from lve.plugins import Plugin, all_plugins, find_plugin
from lve.suggest import did_you_mean

DEFAULTS = BoxOptions()
BOXED: Mapping[str, tuple[Tool, Callable[[str, BoxOptions], Imported]]] = {
    "lm-eval": (lm_eval.TOOL, lm_eval.read_with),
}
"""Tools that are run, in an environment of their own, and what imports their tests."""
CONFIGS = ("opencompass", "aisbench")
"""The names of the importer of their configurations."""
EVALS = "openai-evals"
PROVEN = (*BOXED, EVALS, *CONFIGS, "promptfoo")
"""Formats whose tests can be compared with their tool."""


def import_tests(
    name: str, source: str | Path, options: BoxOptions = DEFAULTS, data: Path | None = None
) -> Imported:
    """Return the tests that an importer finds in a file or folder.

    Args:
        name: the name of the format: `promptfoo`.
        source: the file or folder to read; for tools that are run, also a name of theirs.
        options: what a tool that is run may do.
        data: the folder with the rows that the source names.

    Raises:
        UsageError: there is no importer of that name, or it reads no data.
        PluginError: the importer can't be loaded, or fails.
        LveError: the importer refuses the source.
    """
    if name in BOXED and data is None:
        return BOXED[name][1](str(source), options)
    if (options.loads or options.prove) and name == "promptfoo" and data is None:
        return read_config(Path(source), options)
    if options.loads and name not in CONFIGS:
        which = f"{' and '.join(CONFIGS)} (and promptfoo, without --data)"
        raise UsageError(f"--loaders: only {which} have code that is run", code="usage")
    if name in CONFIGS:
        return read_configs(Path(source), data, options)
    if options.prove and name == EVALS and data is None:
        return read_evals(Path(source), options)
    plugin = find_plugin("importer", name)
    if plugin is None:
        names = sorted({plugin.name for plugin in all_plugins() if plugin.kind == "importer"})
        hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
        raise UsageError(
            f"there is no importer {name!r}: {hint}; `lve plugins` lists them", code="unknown_name"
        )
    read = plugin.load()
    with plugin.guarded("failed while it read the source"):
        path = Path(source)
        imported = read(path) if data is None else _reader_of_data(name, read)(path, data=data)
        if isinstance(imported, Imported):
            tests = tuple(imported.tests)
            imported = next(
                (test for test in tests if not isinstance(test, ImportedTest)), imported
            )
        if isinstance(imported, Imported):
            sentences = imported.left_out
            return Imported(
                tests,
                tuple(text if type(text) is PlacedWarning else str(text) for text in sentences),
                tuple(map(str, imported.notes)),
            )
    raise _wrong(plugin, imported)


def _reader_of_data(name: str, read: Callable[..., object]) -> Callable[..., object]:
    if "data" not in signature(read).parameters:
        raise UsageError(f"--data: the importer {name!r} reads no data", code="usage")
    return read


def _wrong(plugin: Plugin, imported: object) -> LveError:
    expected = f"{Imported.__module__}.{Imported.__name__} with {ImportedTest.__name__}s"
    return plugin.problem(f"returned a {type(imported).__name__}, not a {expected}")
