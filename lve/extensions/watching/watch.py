"""`lve run --watch`: runs tests again when their files change, until Ctrl-C."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import click

from lve.cli.printing import print_error, print_message
from lve.cli.run.command_options import RunRequest
from lve.cli.run.session import execute
from lve.errors import LveError, UsageError
from lve.escape import first_names
from lve.exit_code import ExitCode
from lve.file_names import SETTINGS_FILE, SETTINGS_FILES
from lve.named_tuples import NamedTuple
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.sessions.provenance import files_below
from lve.settings.settings import AppFiles, Caps, Settings
from lve.spec.discover import discover
from lve.spec.load import load_spec
from lve.spec.location import MARK, names_in_app
from lve.spec.suites import suite_files
from lve.workspace import PYPROJECT, Workspace, display_path

MIN_INTERVAL_S = 0.3
"""Seconds between two polls of the files, at least."""
POLL_PAUSE = 10
"""After a poll, wait so many times as long as it took: polling takes at most a tenth of the
time."""
MAX_FILES = 10_000
"""Files of one test that are polled."""
SHOWN = 3
"""Changed tests that are named in the message."""
SHARED_CHECKERS = "checkers"
Stamp = tuple[int, int]
"""A file's modification time in nanoseconds, and its size. Editors and `git checkout` always change
one of them."""


class Snapshot(NamedTuple):
    """The state of all files of some tests at one moment."""

    tests: Mapping[Path, Mapping[str, Stamp]]
    """Test document -> name of each file in its folder -> its stamp."""
    common: Mapping[str, Stamp]
    """The stamps of the files that all tests use: settings and shared checkers."""

    @classmethod
    def take(cls, paths: Sequence[str]) -> Snapshot:
        """Return the state of the tests below some paths. Reads no file's content."""
        workspace = _workspace(paths)
        root, files = workspace.root, workspace.settings.caps.files
        tests: dict[Path, dict[str, Stamp]] = {}
        for file in discover(paths, report=lambda problem: None):
            own = {**_stamps(file.parent, files_below(file.parent)), **_suites(file.parent, root)}
            tests[file] = own | (_in_app(file, files, own) if files is not None else {})
        shared = root / SHARED_CHECKERS
        common = _stamps(root, (*SETTINGS_FILES, PYPROJECT))
        return cls(tests, {**common, **_stamps(shared, files_below(shared))})

    def changed_since(self, before: Snapshot) -> list[Path]:
        """Return the documents of tests that are new or changed."""
        if self.common != before.common:
            return [*self.tests]
        return [file for file, now in self.tests.items() if before.tests.get(file) != now]


def watch(request: RunRequest) -> int:
    """Run the tests, and each test again when it changes, until Ctrl-C; return the last exit code.

    Raises:
        LveError: a mistake of the user in the first run. Mistakes in later runs are only printed:
            the next change may fix them.
        UsageError: the settings have changed, and there is nobody to ask.
    """
    paths = request.paths or (".",)
    snapshot, agreed = Snapshot.take(paths), choose_workspace(paths).settings
    code = execute(request)
    with suppress(KeyboardInterrupt):
        while code != ExitCode.interrupted:
            print_message(f"watching {amount(len(snapshot.tests), 'test')}; press Ctrl-C to stop")
            snapshot, changed = _next_change(paths, snapshot)
            print_message(f"changed: {_folder_names(changed)}")
            agreed = settings_for_next_run(paths, agreed)
            code = _run_again(request._replace(paths=tuple(str(file) for file in changed)))
    return code


def settings_for_next_run(paths: Sequence[str], agreed: Settings) -> Settings:
    """Return the settings for the next run: unchanged, or the user agrees to the change.

    Who checks out a stranger's branch while `--watch` runs in another terminal doesn't expect it to
    run code, or send keys, as the settings of that branch say.

    Raises:
        UsageError: they have changed, and there is no terminal to ask.
    """
    try:
        now = choose_workspace(paths).settings
    except LveError:  # the next run reports it
        return agreed
    if _grants(now) != _grants(agreed):
        place = display_path(now.file or agreed.file or Path(SETTINGS_FILE))
        message = f"{place} has changed. Settings decide which code runs and where keys are sent"
        if not sys.stdin.isatty():
            raise UsageError(f"{message}: look at it, and start again", code="changed_settings")
        print_message(message)
        click.confirm("run with the new settings?", abort=True, err=True)
    return now


def _grants(settings: Settings) -> Settings:
    """Return the settings without those that only decide how verdicts are compared."""
    plain = Settings()
    return settings._replace(calibration=plain.calibration, comparison=plain.comparison, file=None)


def _run_again(request: RunRequest) -> int:
    try:
        return execute(request)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except LveError as error:
        print_error(error)
        return ExitCode.invalid


def _next_change(paths: Sequence[str], snapshot: Snapshot) -> tuple[Snapshot, list[Path]]:
    """Wait for a change; return the new snapshot and the documents of the changed tests.

    Returns only when two snapshots in a row are the same: an editor may write several files one
    after the other.
    """
    last = snapshot
    for now in _polls(paths):
        changed = now.changed_since(snapshot)
        if now == last and changed:
            return now, changed
        if not changed:
            snapshot = now  # tests may have been deleted, which needs no run
        last = now
    raise AssertionError("polling never ends")


def _polls(paths: Sequence[str]) -> Iterator[Snapshot]:
    took = 0.0
    while True:
        time.sleep(max(MIN_INTERVAL_S, took * POLL_PAUSE))
        started = time.monotonic()
        try:
            yield Snapshot.take(paths)
        except LveError:  # a path is missing for a moment: git and editors replace files
            continue
        finally:
            took = time.monotonic() - started


def _workspace(paths: Sequence[str]) -> Workspace:
    """Return the tests' workspace. The next run reports settings that can't be read."""
    try:
        return choose_workspace(paths)
    except LveError:
        return Workspace(Path.cwd())


def _in_app(file: Path, files: AppFiles, own: Mapping[str, Stamp]) -> dict[str, Stamp]:
    """Return the stamps of the files of the application that a test uses.

    Args:
        file: the test document.
        files: the folders that the settings allow.
        own: the stamps of the test's own files: while they stay the same, it isn't read again.
    """
    names = _names_in_app(file, files, frozenset(own.items()))
    if names is None:  # Any of the files may be what is missing.
        folders = ((folder, files_below(files.root / folder)) for folder in files.folders)
        names = [f"{folder}/{name}" for folder, below in folders for name in below]
    return _stamps(files.root, names)


@lru_cache(maxsize=MAX_FILES)
def _names_in_app(
    file: Path, files: AppFiles, own: frozenset[tuple[str, Stamp]]
) -> list[str] | None:
    """Return the files of the application that a test uses; None if it is invalid."""
    try:
        spec = load_spec(file, files.root, caps=Caps(files=files))
    except LveError:
        return None
    return [name.removeprefix(MARK) for name in names_in_app(spec)]


def _stamps(folder: Path, names: Iterator[str] | Sequence[str]) -> dict[str, Stamp]:
    stamps: dict[str, Stamp] = {}
    for name in names:
        try:
            status = os.stat(folder / name)  # noqa: PTH116 (takes half the time)
        except OSError:
            continue
        stamps[name] = (status.st_mtime_ns, status.st_size)
        if len(stamps) >= MAX_FILES:
            break
    return stamps


def _suites(folder: Path, root: Path) -> dict[str, Stamp]:
    files = [str(file) for file in suite_files(folder.absolute(), root)]
    return _stamps(folder, files)


def _folder_names(files: Sequence[Path]) -> str:
    return first_names([str(display_path(file.parent)) for file in files], SHOWN)
