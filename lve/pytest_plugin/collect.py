"""Turns test folders into pytest's nodes: collectors and items."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pluggy
import pytest

from lve.error_boundary import with_error_boundary
from lve.errors import LveError, Problem, SpecError, with_code
from lve.escape import escape_line
from lve.file_names import DOCUMENT_NAMES
from lve.options.run_options import RunOptions
from lve.pipeline.choosing.failures import Failures
from lve.pipeline.choosing.instances import select_instances, why_empty
from lve.pipeline.choosing.loading import (
    choose_workspace,
    load_chosen,
    models_named,
    unused_settings,
)
from lve.pipeline.prospects.rate_prospects import rate_problems_for_all_models
from lve.pipeline.prospects.row_count import RowCount
from lve.pytest_plugin.chunks import chunks_for_models
from lve.pytest_plugin.finding import blocked_python, folders, scan
from lve.pytest_plugin.finding.memory_limit import within_memory
from lve.pytest_plugin.finding.static_problems import static_problems
from lve.pytest_plugin.items import InstanceItem, options_for
from lve.pytest_plugin.marks import marks_of
from lve.pytest_plugin.options import REFUSED, WORKSPACE, options_of
from lve.pytest_plugin.undecided import EmptyItem
from lve.sessions.instance_result import REPLAY
from lve.spec.spec import Instance, Spec
from lve.workspace import Workspace

EMPTY = "no-rows"
"""The name of the item of a test that has no rows."""
_FAILURES: pytest.StashKey[Failures | None] = pytest.StashKey()


def document(path: Path, parent: pytest.Collector) -> SpecFile | None:
    """Return the collector of a test document; None if the file isn't one, or isn't selected."""
    if not folders.is_selected(path, parent.config) or _is_part_of_a_test(path):
        return None
    if not (folders.in_workspace(path.parent) or blocked_python.looks_like_a_test(path)):
        return None
    if any((path.parent / name).exists() for name in _preferred_to(path.name)):
        return None  # the collector of the other document reports that there are two
    return SpecFile.from_parent(parent, path=path)


def directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return the collector of a folder in a workspace; None if it is pytest's to collect."""
    if folders.is_link_to_skip(path):
        return SpecTree.from_parent(parent, path=path, documents=())  # its contents are skipped
    if (
        folders.may_hold_tests(path, parent.config)
        and (collector := tree(path, parent)) is not None
    ):
        return collector
    return folder(path, parent) if blocked_python.is_test_folder(path, parent.config) else None


def tree(path: Path, parent: pytest.Collector) -> SpecTree | None:
    """Return one collector for a whole tree of test folders; None if pytest has to walk it."""
    if (documents := scan.documents_below(path, parent.config)) is None:
        return None
    return SpecTree.from_parent(parent, path=path, documents=documents)


def folder(path: Path, parent: pytest.Collector) -> pytest.Dir:
    """Return a plain folder collector for a test folder or a folder in it. pytest would make a
    package of a folder with `__init__.py`, and import that."""
    node = pytest.Dir.from_parent(parent, path=path)
    node.name = escape_line(node.name)
    return node


class SpecFile(pytest.Collector):
    """The collector of one test document. Its items are the test's instances."""

    def __init__(self, *, path: Path, parent: pytest.Collector, **kwargs: Any) -> None:
        name = escape_line(_relative(path, parent.config.rootpath))
        super().__init__(name=name, parent=parent, nodeid=name, path=path, **kwargs)
        self.problem: LveError | None = None
        self._ihook: pluggy.HookRelay | None = None

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks for this document: those of the parent collector's folder, because pytest loads
        no `conftest.py` for the folders below a `SpecTree`."""
        assert self.parent is not None
        if not self.session.testscollected:  # another conftest.py may still be loaded
            return self.parent.ihook
        # Cached: pytest compares paths for each access, and each item has seven accesses.
        self._ihook = self._ihook or self.parent.ihook
        return self._ihook

    def collect(self) -> Iterable[pytest.Item]:
        """Return one item per instance (or chunk of rows) and model."""
        if self.problem is not None:
            raise self.problem
        return list(self.items())

    def items(self) -> Iterator[pytest.Item]:
        """Yield the items.

        Raises:
            SpecError: its document, prompts, instances or checkers are invalid.
            UnexpectedError: a bug.
        """
        return with_error_boundary(self._items(), "collecting the test")

    def _items(self) -> Iterator[pytest.Item]:
        workspace, run = _workspace(self.path, self.config), options_for(self)
        document = self.path if self.path.name in DOCUMENT_NAMES else self.path.parent
        for spec in load_chosen(document, workspace, run):
            yield from self._items_of(spec, workspace, run)

    def _items_of(self, spec: Spec, workspace: Workspace, run: RunOptions) -> Iterator[pytest.Item]:
        start = f"{spec.variant}-" if spec.variant else ""
        spec, instances = _with_instances(spec, workspace, run)
        failures = _failures(self.config)
        if not instances and failures is None:
            yield self._empty(spec, options_of(self.config).run)
        models = models_named(spec, run, workspace.settings) or (None,)
        for spec_for_model, model, chunk in chunks_for_models(
            spec, models, instances, options_of(self.config).max_items
        ):
            if failures and not any(
                failures.has(spec_for_model, i, model) for i in chunk.instances
            ):
                continue
            name = escape_line(start + chunk.name + (f"[{model}]" if len(models) > 1 else ""))
            # `nodeid` is given because pytest would build it again for every item.
            yield InstanceItem.from_parent(
                self,
                name=name,
                nodeid=f"{self.nodeid}::{name}",
                spec=spec_for_model,
                model=model,
                instances=chunk.instances,
                collected=len(instances),
                marks=marks_of(spec_for_model, self.config),
            )

    def _empty(self, spec: Spec, run_options: RunOptions) -> EmptyItem:
        """Return the item of a test that has nothing to run."""
        return EmptyItem.from_parent(
            self,
            name=EMPTY,
            nodeid=f"{self.nodeid}::{EMPTY}",
            spec=spec,
            why=why_empty(spec, run_options, takes_parameters=False),
            marks=marks_of(spec, self.config),
        )

    def repr_failure(  # type: ignore[override] # pytest gives a collector no style
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> object:
        """Show an invalid test as `file:line: message`, without a traceback."""
        if isinstance(excinfo.value, LveError):
            return error_text(excinfo.value)
        return super().repr_failure(excinfo)


class SpecTree(pytest.Directory):
    """The collector of a folder that contains test folders, at any depth, and no Python tests."""

    def __init__(self, *, documents: Sequence[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.name = escape_line(self.name)
        self._documents = documents

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the items of all tests below. An invalid test yields a collector that fails."""
        was_enabled = gc.isenabled()
        # Ten thousand tests make a million objects that stay alive. Each garbage collection would
        # visit all of them, which takes a quarter of the time.
        gc.disable()
        try:
            return list(self._nodes())
        finally:
            if was_enabled:
                gc.enable()

    def _nodes(self) -> Iterator[pytest.Item | pytest.Collector]:
        for text in self._documents:
            path = Path(text)
            if not folders.is_selected(path, self.config):
                continue
            file = SpecFile.from_parent(self, path=path)
            try:
                items = list(file.items())
            except LveError as error:
                file.problem = error
                yield file
            else:
                yield from items


def error_text(error: LveError) -> str:
    """Return an error's message with its code, one line per problem."""
    problems = error.problems if isinstance(error, SpecError) else (error,)
    return "\n".join(escape_line(problem.message_with_code) for problem in problems)


def _workspace(document: Path, config: pytest.Config) -> Workspace:
    """Return the session's workspace: the one that `lve run` would choose for the first test."""
    if WORKSPACE not in config.stash:
        cwd = config.invocation_params.dir
        workspace = config.stash[WORKSPACE] = choose_workspace([document], cwd=cwd)
        places = [str(argument).partition("::")[0] for argument in config.args]
        if unused := unused_settings(places, workspace, cwd=cwd):
            note = with_code(f"lve: {unused}", "settings_unused")
            config.stash.setdefault(blocked_python.NOTES, {})[note] = None
    return config.stash[WORKSPACE]


def _failures(config: pytest.Config) -> Failures | None:
    """Return the failures of the session of `--lve-failed-in`; None without that option, or if the
    session can't be read."""
    run_options = options_of(config).run
    if run_options.failed_in is None:
        return None
    if _FAILURES not in config.stash:
        workspace = config.stash[WORKSPACE]
        config.stash[_FAILURES] = None
        try:
            config.stash[_FAILURES] = Failures.of(
                run_options.failed_in, workspace, run_options.state
            )
        except LveError as error:  # a mistake of the user, not a problem of this test
            config.stash[REFUSED] = f"--lve-failed-in: {error.message_with_code}"
    return config.stash[_FAILURES]


def _with_instances(
    spec: Spec, workspace: Workspace, run_options: RunOptions
) -> tuple[Spec, list[Instance]]:
    """Return a test and its selected instances. Runs no code of the test.

    Raises:
        SpecError: has all problems that can be found before the test runs.
    """
    instances: list[Instance] = []
    problems: list[Problem] = []
    warnings: list[str] = []
    settings = workspace.settings
    once = REPLAY not in models_named(spec, run_options, settings)
    selected = select_instances(spec, run_options, settings, once=once, warn=warnings.append)
    for row in within_memory(spec, selected):
        if isinstance(row, Problem):
            problems.append(row)
        else:
            instances.append(row)
    problems += static_problems(spec)
    size = RowCount.of(spec, instances)
    problems += rate_problems_for_all_models(spec, size, run_options, settings)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise SpecError(errors)
    # Printed when the test runs, together with the warnings of its document.
    return replace(spec, warnings=(*spec.warnings, *warnings)), instances


def _preferred_to(name: str) -> Sequence[str]:
    """Return the file names that take precedence over this one in the same folder."""
    is_known = name in DOCUMENT_NAMES
    return DOCUMENT_NAMES[: DOCUMENT_NAMES.index(name)] if is_known else DOCUMENT_NAMES


def _is_part_of_a_test(path: Path) -> bool:
    """Whether a `test.json` lies in a test's `instances` or `checker` folder, so isn't a test."""
    folder = path.parent
    if folder.name not in scan.PARTS_OF_A_TEST:
        return False
    return any((folder.parent / name).exists() for name in DOCUMENT_NAMES)


def _relative(path: Path, root: Path) -> str:
    """Return a path relative to `root`, or whole if it lies outside. Uses strings because it runs
    for every test."""
    text, start = os.fspath(path), os.path.join(root, "")  # noqa: PTH118
    inside = text[len(start) :] if text.startswith(start) else text
    return inside if os.sep == "/" else inside.replace(os.sep, "/")
