"""From paths to tests: what can be run, what can't and why, and against which models."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lve.conventions import SETTINGS_FILE
from lve.error_boundary import error_boundary
from lve.errors import LveError, Problem, SpecError, UsageError
from lve.pipeline.choosing.all_problems import problems_of, with_all_problems
from lve.pipeline.choosing.choice import is_chosen, may_be_chosen
from lve.settings.settings import Settings
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.location import test_path
from lve.spec.model import Spec
from lve.spec.settings import load_workspace, load_workspace_from
from lve.workspace import PYPROJECT, Workspace, display_path, find_root, has_tool_table, is_root

if TYPE_CHECKING:  # `lve check` loads tests, too, and starts faster without them
    from lve.run_options import RunOptions
    from lve.verdicts.summary import Summary

SHOWN = 3
"""Files that are named."""


class InvalidTest(NamedTuple):
    """A test that can't be run, or not wholly."""

    path: str
    """The test folder relative to the workspace root, with `/`."""
    problems: tuple[Problem, ...]

    @classmethod
    def of(cls, path: str, file: Path, error: LveError) -> InvalidTest:
        """Return what an error says of a test."""
        return cls(path, problems_of(file, error))


class InvalidTests:
    """Gathers what is wrong with tests, and says it in the session's summary."""

    def __init__(self, summary: Summary) -> None:
        """Args:
        summary: of the session.
        """
        self._summary = summary
        self._problems: dict[str, dict[Problem, str]] = {}
        """Test -> its problems -> their text. There may be a thousand, one by one."""

    def add(self, test: InvalidTest) -> None:
        """Record what is wrong with a test; the same problem only once."""
        known = self._problems.setdefault(test.path, {})
        known.update({problem: problem.message_with_code for problem in test.problems})
        self._summary.invalid[test.path] = tuple(known.values())

    def __contains__(self, path: str) -> bool:
        return path in self._problems

    def all(self) -> tuple[InvalidTest, ...]:
        """Return the tests, each with all its problems."""
        return tuple(InvalidTest(path, tuple(known)) for path, known in self._problems.items())


@dataclass(slots=True, repr=False, eq=False)
class LoadedTests:
    """The tests below some paths."""

    specs: list[Spec] = field(default_factory=list)
    invalid: list[InvalidTest] = field(default_factory=list)


def choose_workspace(paths: Sequence[str | Path], *, cwd: Path | None = None) -> Workspace:
    """Return the workspace whose settings hold for the tests below `paths`.

    That is the workspace one stands in, if all tests lie in it: a test folder that came with a
    pull request must not bring its own settings. Otherwise the one of the first path, whose
    settings then open no doors (`Settings.is_own`).

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
    """Return a note on where sessions and cache are kept if that isn't at or above the current
    folder."""
    if Path.cwd().is_relative_to(workspace.root):
        return None
    place = display_path(workspace.session_dir)
    return f"sessions and cache are kept in {place}, where the tests are"


def load_test(file: Path, workspace: Workspace) -> Spec:
    """Read a test of a workspace.

    Args:
        file: its document, or its folder.
        workspace: whose settings hold.

    Raises:
        SpecError: the test can't be used; with all problems.
        UnexpectedError: a bug was met.
    """
    with error_boundary("reading the test"):
        try:
            spec = load_spec(file, workspace.root, caps=workspace.settings.caps)
            return complete_spec(spec, workspace.settings)
        except SpecError as error:
            raise with_all_problems(error, file, workspace.root) from None


def complete_spec(spec: Spec, settings: Settings) -> Spec:
    """Return a test with its saved prompt object read in, that may use the settings' plugins."""
    if spec.prompt_object is not None:
        from lve.prompts.objects.plan import with_saved_prompt  # late: few tests have one

        spec = with_saved_prompt(spec)
    return replace(spec, plugins=settings.plugins) if settings.plugins else spec


def load_tests(
    paths: Sequence[str | Path],
    workspace: Workspace,
    *,
    warn: Callable[[str], None],
    options: RunOptions | None = None,
) -> LoadedTests:
    """Read all tests below `paths`. One that is invalid doesn't stop the others.

    Args:
        paths: where to look.
        workspace: whose settings hold.
        warn: called for each folder that can't be read.
        options: the user's, which may pick some of them.

    Raises:
        UsageError: a path doesn't exist.
    """
    loaded = LoadedTests()
    for file in discover(paths, report=lambda problem: warn(problem.message_with_code)):
        try:
            spec = load_chosen(file, workspace, options)
        except LveError as error:
            path = test_path(file.parent.absolute(), workspace.root)
            loaded.invalid.append(InvalidTest.of(path, file, error))
        else:
            loaded.specs += [spec] if spec else []
    return loaded


def load_chosen(file: Path, workspace: Workspace, options: RunOptions | None) -> Spec | None:
    """Read a test of a workspace if it is one that the options pick; None if it isn't.

    Args:
        file: its document, or its folder.
        workspace: whose settings hold.
        options: the user's; None picks all.

    Raises:
        LveError: as `load_test`, of a test that may be meant.
    """
    try:
        spec = load_test(file, workspace)
        return spec if options is None or is_chosen(spec, options) else None
    except LveError:
        path = test_path(file.parent.absolute(), workspace.root)
        if options is None or may_be_chosen(path, options):
            raise
        return None


def models_of(spec: Spec, options: RunOptions, settings: Settings) -> tuple[str, ...]:
    """Return the models to run a test against: the command line's, its own, or the settings'.

    Raises:
        UsageError: nobody names one.
    """
    models = models_named(spec, options, settings)
    if not models:
        raise UsageError(
            f"{spec.path} names no model: give one with --model (openai/NAME, or replay for the "
            "recorded completions), or set `model:` in lve.yaml",
            code="no_model",
        )
    return models


def models_named(spec: Spec, options: RunOptions, settings: Settings) -> tuple[str, ...]:
    """Return `models_of`; nothing if nobody names one."""
    default = (settings.model,) if settings.model else ()
    return tuple(dict.fromkeys(options.tested or spec.models or default))


def named_model(spec: Spec, settings: Settings, chosen: str | None = None) -> str:
    """Return the model that a test is looked at for: the chosen one, its own first one, or that of
    the settings; an empty text if none is named."""
    return chosen or next(iter(spec.models), None) or settings.model or ""


def all_models(specs: Iterable[Spec], options: RunOptions, settings: Settings) -> list[str]:
    """Return every model that is needed, once.

    Raises:
        UsageError: a test has none.
    """
    wanted = (models_of(spec, options, settings) for spec in specs if spec.skip is None)
    return list(dict.fromkeys(model for models in wanted for model in models))


def is_below(path: str | Path, folder: str | Path) -> bool:
    """Whether a path, as far as it exists, is a folder or lies below it, also after following
    links."""
    return existing_part(Path(path)).resolve().is_relative_to(Path(folder).resolve())


def existing_part(path: Path) -> Path:
    """Return the path, or as much of it as exists (a glob has parts that don't). `..` is
    followed: `here/../there` doesn't lie in `here`."""
    while not os.path.exists(path) and path != path.parent:  # noqa: PTH110 (locked folders)
        path = path.parent
    return path.resolve() if ".." in path.parts else path.absolute()


def unused_settings(
    paths: Sequence[str | Path], workspace: Workspace, *, cwd: Path | None = None
) -> str | None:
    """Return a warning about settings files above a path or the current folder that don't count,
    because only those of the workspace's root do. None if there are none.

    Args:
        paths: of tests, as the user names them.
        workspace: whose settings count.
        cwd: the user's folder, if not the current one.
    """
    here = (cwd or Path.cwd()).absolute()
    root = workspace.root.absolute()
    places = (here, *(existing_part(here / path) for path in paths))
    files = [*dict.fromkeys(file for place in places for file in _settings_above(place, root))]
    if not files:
        return None
    named = ", ".join(str(display_path(file)) for file in files[:SHOWN])
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    is_one = len(files) == 1
    return f"{named}{more} {'is' if is_one else 'are'} not used: the workspace is {_named(root)}"


def _settings_above(place: Path, root: Path) -> Iterator[Path]:
    """Yield the settings in a folder and those above, below a root."""
    for folder in (place, *place.parents) if place.is_relative_to(root) else ():
        if folder == root:
            return
        if os.path.isfile(folder / SETTINGS_FILE):  # noqa: PTH113 (False for a locked folder)
            yield folder / SETTINGS_FILE
        if has_tool_table(folder / PYPROJECT):
            yield folder / PYPROJECT


def _named(root: Path) -> str:
    place = os.path.relpath(root)
    return "this folder" if place == os.curdir else place
