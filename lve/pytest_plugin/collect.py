"""From test folders to pytest nodes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from lve.errors import LveError, Problem, SpecError
from lve.pytest_plugin import options
from lve.pytest_plugin.items import Chunk, InstanceItem, RowsItem, add_marks
from lve.spec.discover import discover
from lve.spec.instances import iter_instances
from lve.spec.load import load_spec
from lve.spec.model import Instance, Spec

PROMPT_KEYS = ("prompt", "prompt_file", "multi_run_prompt", "infer_cfg", "prompt_object")
RERUN_PLUGINS = ("rerunfailures",)


def document(path: Path, parent: pytest.Collector) -> SpecFile | None:
    """Return the collector of a test document; None for a file of that name which isn't ours."""
    if not options.is_selected(path, parent.config):
        return None
    if not (options.in_workspace(path.parent) or _looks_like_a_test(path)):
        return None
    return SpecFile.from_parent(parent, path=path)


def tree(path: Path, parent: pytest.Collector) -> SpecTree | None:
    """Return the collector of a whole tree; None when pytest has to look into it itself."""
    patterns = parent.config.getini("python_files")
    if not _is_pure(path, patterns):
        return None
    return SpecTree.from_parent(parent, path=path)


def refuse_reruns(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Refuse pytest-rerunfailures on our items.

    Raises:
        pytest.UsageError: reruns are asked for.
    """
    everywhere = config.getoption("reruns", 0) or 0
    marked = [item for item in items if options.is_ours(item) and item.get_closest_marker("flaky")]
    if everywhere or marked:
        raise pytest.UsageError(
            "reruns make a test of a model look better than it is: the pass rate over "
            "'again until it passes' is biased. Use --lve-repeats N, or `expect: {pass_rate: ...}` "
            "in the test, and leave out --reruns (or run the other tests apart)"
        )


class SpecFile(pytest.Collector):
    """One test document. Its items are the test's instances."""

    def __init__(self, *, path: Path, parent: pytest.Collector, **kwargs: Any) -> None:
        name = _relative(path, parent.config.rootpath)
        super().__init__(name=name, parent=parent, nodeid=name, path=path, **kwargs)
        self.problem: LveError | None = None

    def collect(self) -> Iterable[pytest.Item]:
        """Return one item per instance (or chunk of rows) and model."""
        if self.problem is not None:
            raise self.problem
        return list(self.items())

    def items(self) -> Iterator[pytest.Item]:
        """Yield the items.

        Raises:
            SpecError: the test document or a line of its instances can't be used.
        """
        asked = options.read(self.config)
        spec = load_spec(self.path)
        models = asked.models or spec.models
        suffixes = [f"[{model}]" for model in models] if len(models) > 1 else [""]
        marks = add_marks(spec, self.config)
        for chunk in _chunks(spec, asked.max_items):
            for model, suffix in zip(models or (None,), suffixes or [""], strict=True):
                kind = RowsItem if len(chunk.instances) > 1 else InstanceItem
                name = chunk.name + suffix
                # Spelled out: pytest must not take the brackets apart differently from the cache.
                node_id = f"{self.nodeid}::{name}"
                item = kind.from_parent(self, name=name, nodeid=node_id, spec=spec, model=model)
                item.instances = chunk.instances
                item.apply(marks)
                yield item

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show an invalid test as `file:line: message`, without a traceback."""
        if isinstance(excinfo.value, LveError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class SpecTree(pytest.Directory):
    """A folder that holds test folders, however deep, and no Python tests."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the items of all tests below; an invalid test is a collector that fails."""
        for path in discover([self.path]):
            if not options.is_selected(path, self.config):
                continue
            file = SpecFile.from_parent(self, path=path)
            try:
                items = list(file.items())
            except LveError as error:
                file.problem = error
                yield file
            else:
                yield from items


def _chunks(spec: Spec, max_items: int) -> Iterator[Chunk]:
    """Yield the instances one by one; a data set of more than `max_items` rows, in chunks of that
    many, so that names don't depend on how many rows come later."""
    rows: list[Instance] = []
    problems: list[Problem] = []
    for found in iter_instances(spec):
        if isinstance(found, Problem):
            problems.append(found)
        elif found.source.startswith("instances/"):
            yield Chunk.single(found)
        else:
            rows.append(found)
    if problems:
        raise SpecError(problems)
    if len(rows) <= max_items:
        yield from (Chunk.single(row) for row in rows)
        return
    for start in range(0, len(rows), max_items):
        yield Chunk.of_rows(rows[start : start + max_items])


def _looks_like_a_test(path: Path) -> bool:
    """Whether a `test.json` somewhere is a test of a model rather than somebody's fixture."""
    try:
        head = path.read_bytes()[:65536]
    except OSError:
        return False
    return b"description" in head and any(key.encode() in head for key in PROMPT_KEYS)


def _is_pure(folder: Path, patterns: list[str]) -> bool:
    """Whether a folder holds no Python tests and no conftest.py, and at least one document."""
    has_documents = False
    pending = [os.fspath(folder)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name in ("test.json", "test.yaml", "test.yml"):
                    has_documents = True
                elif entry.name.endswith(".py") and _is_python_test(entry.name, patterns):
                    return False
    return has_documents


def _is_python_test(name: str, patterns: list[str]) -> bool:
    return name == "conftest.py" or any(fnmatch(name, pattern) for pattern in patterns)


def _relative(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()
