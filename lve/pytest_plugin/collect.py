"""From test folders to pytest nodes."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy
import pytest

from lve.conventions import DOCUMENT_NAMES
from lve.error_boundary import with_error_boundary
from lve.errors import LveError, Problem, SpecError, with_code
from lve.escape import escape_line
from lve.pipeline.choosing.loading import (
    choose_workspace,
    load_chosen,
    models_named,
    unused_settings,
)
from lve.pipeline.choosing.select import select_instances
from lve.pipeline.estimate.reach import Size, reach_problems_for_all
from lve.pytest_plugin import options
from lve.pytest_plugin.chunks import chunks_for_models
from lve.pytest_plugin.finding import closing, folders, scan
from lve.pytest_plugin.finding.kept import keepable
from lve.pytest_plugin.finding.static_problems import static_problems
from lve.pytest_plugin.items import InstanceItem
from lve.pytest_plugin.marks import marks_of
from lve.redaction import own_redactor
from lve.run_options import RunOptions
from lve.spec.model import Instance, Spec
from lve.workspace import Workspace

if TYPE_CHECKING:
    from lve.pipeline.sessions.failures import Failures

_FAILURES: pytest.StashKey[Failures | None] = pytest.StashKey()


def document(path: Path, parent: pytest.Collector) -> SpecFile | None:
    """Return the collector of a test document; None for a file of that name which isn't ours."""
    if not folders.is_selected(path, parent.config) or _is_part_of_a_test(path):
        return None
    if not (folders.in_workspace(path.parent) or closing.looks_like_a_test(path)):
        return None
    if any((path.parent / name).exists() for name in _preferred_to(path.name)):
        return None  # the other document says what is wrong
    return SpecFile.from_parent(parent, path=path)


def tree(path: Path, parent: pytest.Collector) -> SpecTree | None:
    """Return the collector of a whole tree; None when pytest has to look into it itself."""
    documents = scan.documents_below(path, parent.config)
    if documents is None:
        return None
    return SpecTree.from_parent(parent, path=path, documents=documents)


def folder(path: Path, parent: pytest.Collector) -> pytest.Dir:
    """Return the collector of a test's folder, or of one in it: never a package, which pytest would
    import."""
    node = pytest.Dir.from_parent(parent, path=path)
    node.name = escape_line(node.name)
    return node


def nothing(path: Path, parent: pytest.Collector) -> SpecTree:
    """Return the collector of a folder that isn't looked into."""
    return SpecTree.from_parent(parent, path=path, documents=())


class SpecFile(pytest.Collector):
    """One test document. Its items are the test's instances."""

    def __init__(self, *, path: Path, parent: pytest.Collector, **kwargs: Any) -> None:
        name = escape_line(_relative(path, parent.config.rootpath))
        super().__init__(name=name, parent=parent, nodeid=name, path=path, **kwargs)
        self.problem: LveError | None = None
        self._ihook: pluggy.HookRelay | None = None

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks that hold here: those of the folder that pytest has looked into. It knows of no
        conftest.py for the folders of a `SpecTree`."""
        assert self.parent is not None
        if not self.session.testscollected:  # another conftest.py may be loaded
            return self.parent.ihook
        # pytest compares paths whenever it is asked, and each item asks seven times.
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
            SpecError: the test can't be used: document, prompts, instances, or checkers.
            UnexpectedError: a bug was met.
        """
        return with_error_boundary(self._items(), "collecting the test")

    def _items(self) -> Iterator[pytest.Item]:
        asked = options.read(self.config)
        workspace = _workspace(self.path, self.config)
        loaded = _load(self.path, workspace, asked.run_of_all_shards)
        if loaded is None:
            return
        spec, instances = loaded
        models = models_named(spec, asked.run, workspace.settings) or (None,)
        failures = _failures(self.config)
        for one, model, chunk in chunks_for_models(spec, models, instances, asked.max_items):
            if failures and not any(failures.has(one, i, model) for i in chunk.instances):
                continue
            name = escape_line(f"{chunk.name}[{model}]" if len(models) > 1 else chunk.name)
            # The node id is spelled out because pytest would build it again for every item.
            yield InstanceItem.from_parent(
                self,
                name=name,
                nodeid=f"{self.nodeid}::{name}",
                spec=one,
                model=model,
                instances=chunk.instances,
                collected=len(instances),
                marks=marks_of(one, self.config),
            )

    def repr_failure(  # type: ignore[override] # pytest gives a collector no style
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:
        """Show an invalid test as `file:line: message`, without a traceback."""
        if isinstance(excinfo.value, LveError):
            return own_redactor()(told(excinfo.value))
        return super().repr_failure(excinfo)


class SpecTree(pytest.Directory):
    """A folder that holds test folders, however deep, and no Python tests."""

    def __init__(self, *, documents: Sequence[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.name = escape_line(self.name)
        self._documents = documents

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the items of all tests below; an invalid test is a collector that fails."""
        was_enabled = gc.isenabled()
        # Ten thousand tests are a million objects that stay, and each pass of the garbage
        # collector looks at all of them: a quarter of the time.
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


def told(error: LveError) -> str:
    """Return what an error says, one line per problem."""
    problems = error.problems if isinstance(error, SpecError) else (error,)
    return "\n".join(escape_line(problem.message_with_code) for problem in problems)


def _workspace(document: Path, config: pytest.Config) -> Workspace:
    """Return the session's workspace, chosen as `lve run` does for the first test."""
    if options.WORKSPACE not in config.stash:
        cwd = config.invocation_params.dir
        workspace = config.stash[options.WORKSPACE] = choose_workspace([document], cwd=cwd)
        places = [str(argument).partition("::")[0] for argument in config.args]
        if unused := unused_settings(places, workspace, cwd=cwd):
            note = with_code(f"lve: {unused}", "settings_unused")
            config.stash.setdefault(closing.NOTES, {})[note] = None
    return config.stash[options.WORKSPACE]


def _failures(config: pytest.Config) -> Failures | None:
    """Return what failed in the session of `--lve-failed-in`; None if none is named."""
    asked = options.read(config).run
    if asked.failed_in is None:
        return None
    if _FAILURES not in config.stash:
        from lve.pipeline.sessions.failures import Failures

        workspace = config.stash[options.WORKSPACE]
        config.stash[_FAILURES] = None
        try:
            config.stash[_FAILURES] = Failures.of(asked.failed_in, workspace, asked.state)
        except LveError as error:  # the user's mistake, and no test's
            config.stash[options.REFUSED] = f"--lve-failed-in: {error.message_with_code}"
    return config.stash[_FAILURES]


def _load(
    path: Path, workspace: Workspace, asked: RunOptions
) -> tuple[Spec, list[Instance]] | None:
    """Return a test and those of its instances that are asked for; None if it isn't itself. Runs no
    code of the test.

    Raises:
        SpecError: with all problems that can be known before it runs.
    """
    document = path if path.name in DOCUMENT_NAMES else path.parent
    spec = load_chosen(document, workspace, asked)
    if spec is None:
        return None
    instances: list[Instance] = []
    problems: list[Problem] = []
    warnings: list[str] = []
    selected = select_instances(spec, asked, workspace.settings, warn=warnings.append)
    for found in keepable(spec, selected):
        if isinstance(found, Problem):
            problems.append(found)
        else:
            instances.append(found)
    problems += static_problems(spec)
    size = Size.of(spec, instances)
    problems += reach_problems_for_all(spec, size, asked, workspace.settings)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise SpecError(errors)
    # Told when the test runs, with the document's own.
    return replace(spec, warnings=(*spec.warnings, *warnings)), instances


def _preferred_to(name: str) -> Sequence[str]:
    """Return the names of documents that win over this one in the same folder."""
    is_known = name in DOCUMENT_NAMES
    return DOCUMENT_NAMES[: DOCUMENT_NAMES.index(name)] if is_known else DOCUMENT_NAMES


def _is_part_of_a_test(path: Path) -> bool:
    """Whether a `test.json` is a test's instances, say, rather than a test."""
    folder = path.parent
    if folder.name not in scan.PARTS_OF_A_TEST:
        return False
    return any((folder.parent / name).exists() for name in DOCUMENT_NAMES)


def _relative(path: Path, root: Path) -> str:
    """Return a path relative to the root where it lies in it. As texts: once per test."""
    text, start = os.fspath(path), os.path.join(root, "")  # noqa: PTH118
    inside = text[len(start) :] if text.startswith(start) else text
    return inside if os.sep == "/" else inside.replace(os.sep, "/")
