"""Loads the tests below some paths: valid ones, invalid ones with their problems, and the models
that each runs against."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lve.data_classes import dataclass, field
from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, SpecError, UsageError, with_code
from lve.escape import excerpt
from lve.file_names import SETTINGS_FILES
from lve.limits.effort import Effort
from lve.named_tuples import NamedTuple
from lve.pipeline.choosing.all_problems import problems_of, with_all_problems
from lve.pipeline.choosing.limits_and_filters import allowed, chosen_variants, may_be_chosen
from lve.prompts.plan import foreign_dialect
from lve.settings.settings import Settings
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.location import test_path
from lve.spec.many import Specs
from lve.spec.settings_file import load_workspace, load_workspace_from
from lve.spec.spec import Spec
from lve.workspace import (
    PYPROJECT,
    Workspace,
    display_path,
    existing_part,
    find_root,
    has_tool_table,
    is_root,
)

if TYPE_CHECKING:  # `lve check` loads tests, too, and starts faster without them
    from lve.options.run_options import RunOptions
    from lve.verdicts.summary import Summary

SHOWN = 3
"""Most settings files that a warning names."""


class InvalidTest(NamedTuple):
    """A test that can't run, or not all of its instances."""

    path: str
    """The test folder relative to the workspace root, with `/`."""
    problems: tuple[Problem, ...]

    @classmethod
    def of(cls, path: str, file: Path, error: LveError) -> InvalidTest:
        """Return the test with the problems that an error reports."""
        return cls(path, problems_of(file, error))


class InvalidTests:
    """Collects the invalid tests of a session, and puts them into its summary."""

    def __init__(self, summary: Summary) -> None:
        """Args:
        summary: the session's summary.
        """
        self._summary = summary
        self._problems: dict[str, dict[Problem, str]] = {}
        """Test path -> problem -> its text. A test may get a thousand problems, one by one."""

    def add(self, test: InvalidTest) -> None:
        """Add the problems of a test, each only once."""
        messages = self._problems.setdefault(test.path, {})
        messages.update({problem: problem.message_with_code for problem in test.problems})
        self._summary.invalid[test.path] = tuple(messages.values())

    def __contains__(self, path: str) -> bool:
        return path in self._problems

    def all(self) -> tuple[InvalidTest, ...]:
        """Return the tests, each with all its problems."""
        return tuple(
            InvalidTest(path, tuple(messages)) for path, messages in self._problems.items()
        )


@dataclass(slots=True, repr=False, eq=False)
class LoadedTests:
    """The tests below some paths, valid and invalid ones."""

    specs: Specs = field(default_factory=Specs)
    invalid: list[InvalidTest] = field(default_factory=list)

    def refuse(self, tests: Sequence[InvalidTest]) -> None:
        """Move tests to the invalid ones."""
        if paths := {test.path for test in tests}:
            self.specs = Specs(spec for spec in self.specs if spec.path not in paths)
            self.invalid += tests


def choose_workspace(paths: Sequence[str | Path], *, cwd: Path | None = None) -> Workspace:
    """Return the workspace whose settings hold for the tests below `paths`.

    That is the workspace of the current folder, if all tests lie in it: a test folder that came
        with
    a pull request must not bring its own settings. Otherwise it is the workspace of the first path,
    whose settings then grant no permissions (`Settings.is_own`).

    Raises:
        SettingsError: its settings can't be used.
    """
    here = (cwd or Path.cwd()).absolute()
    root = find_root(here)
    places = [existing_part(here / path) for path in paths]
    if all(place.is_relative_to(root) for place in places) and is_root(root):
        return load_workspace(here)
    return load_workspace_from(here, places[0] if places else here)


def note_on_session_dir(workspace: Workspace) -> str | None:
    """Return a notice with the folder of sessions and cache, if it isn't in the current folder or
    above it; else None."""
    if Path.cwd().is_relative_to(workspace.root):
        return None
    place = display_path(workspace.session_dir)
    return f"sessions and cache are kept in {place}, where the tests are"


def load_test(file: Path, workspace: Workspace) -> Spec:
    """Read a test of a workspace.

    Args:
        file: the test's document, or its folder.
        workspace: the workspace whose settings hold.

    Raises:
        SpecError: the test is invalid; the error has all its problems.
        UnexpectedError: a bug in lve.
    """
    with Effort(), error_boundary("reading the test"):
        try:
            spec = load_spec(file, workspace.root, caps=workspace.settings.caps)
            return complete_spec(spec, workspace.settings)
        except SpecError as error:
            files = workspace.settings.caps.files
            raise with_all_problems(error, file, workspace.root, files) from None


def complete_spec(spec: Spec, settings: Settings) -> Spec:
    """Return a test with its saved prompt object read in, and the plugins of the settings."""
    dialect = foreign_dialect(spec)
    if dialect is not None:
        spec = dialect.with_files(spec)
    return replace(spec, plugins=settings.plugins) if settings.plugins else spec


def load_tests(
    paths: Sequence[str | Path],
    workspace: Workspace,
    *,
    warn: Callable[[str], None],
    options: RunOptions | None = None,
) -> LoadedTests:
    """Read all tests below `paths`. An invalid test doesn't stop the others.

    Args:
        paths: test documents, folders or globs.
        workspace: the workspace whose settings hold.
        warn: called for each folder that can't be read.
        options: select some of the tests; None: all.

    Raises:
        UsageError: a path doesn't exist, or the settings forbid the attacks of the options.
    """
    loaded = LoadedTests()
    if options is not None and options.attacks:
        allowed((), options, workspace.settings)
    for file in discover(paths, report=lambda problem: warn(problem.message_with_code)):
        try:
            loaded.specs += load_chosen(file, workspace, options)
        except LveError as error:
            path = test_path(file.parent.absolute(), workspace.root)
            loaded.invalid.append(InvalidTest.of(path, file, error))
    if options is not None and options.prompts:
        variants = {spec.variant for spec in loaded.specs}
        for name in [name for name in options.prompts if name not in variants]:
            warn(with_code(f"no test has the variant {excerpt(name)}", "unknown_name"))
    return loaded


def load_chosen(file: Path, workspace: Workspace, options: RunOptions | None) -> Sequence[Spec]:
    """Read a test of a workspace; return it, or its variants, as far as the options select them.

    Args:
        file: the test's document, or its folder.
        workspace: the workspace whose settings hold.
        options: select some of the tests; None: all.

    Raises:
        LveError: as `load_test`, unless the options can't select the test.
    """
    try:
        return chosen_variants(load_test(file, workspace), options, workspace.settings)
    except LveError:
        path = test_path(file.parent.absolute(), workspace.root)
        if options is None or may_be_chosen(path, options):
            raise
        return ()


def models_of(spec: Spec, options: RunOptions, settings: Settings) -> tuple[str, ...]:
    """Return the models to run a test against: those of the command line, else the test's, else
    that of the settings.

    Raises:
        UsageError: none of them names a model.
    """
    models = models_named(spec, options, settings)
    if not models:
        raise UsageError(
            f"{spec.path} names no model. Three ways (or `model:` in lve.yaml):\n"
            "  --model openai/NAME with the key in OPENAI_API_KEY,\n"
            "  --model NAME --base-url http://localhost:8000/v1 for a server of your own,\n"
            "  --model replay for the recorded answers, offline",
            code="no_model",
        )
    return models


def models_named(spec: Spec, options: RunOptions, settings: Settings) -> tuple[str, ...]:
    """Return the models as `models_of`; an empty tuple if there are none."""
    default = (settings.model,) if settings.model else ()
    return tuple(dict.fromkeys(options.tested or spec.models or default))


def named_model(spec: Spec, settings: Settings, chosen: str | None = None) -> str:
    """Return the model to show or check a test for: the chosen one, else the test's first one, else
    that of the settings; an empty text if there is none."""
    return chosen or next(iter(spec.models), None) or settings.model or ""


def all_models(specs: Iterable[Spec], options: RunOptions, settings: Settings) -> list[str]:
    """Return all models that the tests run against, each once.

    Raises:
        UsageError: a test has no model.
    """
    models_of_tests = (models_of(spec, options, settings) for spec in specs if spec.skip is None)
    return list(dict.fromkeys(model for models in models_of_tests for model in models))


def unused_settings(
    paths: Sequence[str | Path], workspace: Workspace, *, cwd: Path | None = None
) -> str | None:
    """Return a warning about settings files above a test or the current folder that are ignored,
    because only those of the workspace's root count; None if there are none.

    Args:
        paths: the paths of tests, as the user gave them.
        workspace: the workspace whose settings count.
        cwd: the user's folder, if it isn't the current one.
    """
    here = (cwd or Path.cwd()).absolute()
    root = workspace.root.absolute()
    places = (here, *(existing_part(here / path) for path in paths))
    files = [*dict.fromkeys(file for place in places for file in _settings_above(place, root))]
    if not files:
        return None
    names = ", ".join(str(display_path(file)) for file in files[:SHOWN])
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    is_one = len(files) == 1
    return f"{names}{more} {'is' if is_one else 'are'} not used: the workspace is {_named(root)}"


def _settings_above(place: Path, root: Path) -> Iterator[Path]:
    """Yield the settings files in `place` and in the folders between it and `root`."""
    for folder in (place, *place.parents) if place.is_relative_to(root) else ():
        if folder == root:
            return
        for file in [folder / name for name in SETTINGS_FILES]:
            if os.path.isfile(file):  # noqa: PTH113 (False for a locked folder)
                yield file
        if has_tool_table(folder / PYPROJECT):
            yield folder / PYPROJECT


def _named(root: Path) -> str:
    place = os.path.relpath(root)
    return "this folder" if place == os.curdir else place
