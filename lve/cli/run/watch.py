"""`lve run --watch`: runs again what changed, until Ctrl-C."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import click

from lve.cli.run.command_options import RunRequest
from lve.cli.run.session import execute
from lve.cli.talk import tell, tell_error
from lve.conventions import SETTINGS_FILE
from lve.errors import LveError
from lve.exit_code import ExitCode
from lve.pipeline.choosing.loading import choose_workspace
from lve.results.provenance import files_below
from lve.spec.discover import discover
from lve.spec.suites import suite_files
from lve.verdicts.wording import amount
from lve.workspace import PYPROJECT, display_path

PAUSE_S = 0.3
"""Between two looks at the files, at least."""
SHARE = 10
"""A look takes at most one part in so many of the time."""
MAX_FILES = 10_000
"""Files of one test that are looked at."""
SHOWN = 3
"""Tests that are named."""
SHARED_CHECKERS = "checkers"
Stamp = tuple[int, int]
"""When a file changed, and its size: what editors and `git checkout` always change."""


class Files(NamedTuple):
    """The files of tests, and when each changed."""

    tests: Mapping[Path, Mapping[str, Stamp]]
    """Test document -> name of each file in its folder -> its stamp."""
    common: Mapping[str, Stamp]
    """The same of what all tests use: settings and shared checkers."""

    @classmethod
    def read(cls, paths: Sequence[str]) -> Files:
        """Look at the tests below some paths, without reading their content."""
        root = _root(paths)
        tests = {
            file: {**_stamps(file.parent, files_below(file.parent)), **_suites(file.parent, root)}
            for file in discover(paths, report=lambda problem: None)
        }
        shared = root / SHARED_CHECKERS
        common = _stamps(root, (SETTINGS_FILE, PYPROJECT))
        return cls(tests, {**common, **_stamps(shared, files_below(shared))})

    def changed_since(self, before: Files) -> list[Path]:
        """Return the tests that aren't as they were, new ones included."""
        if self.common != before.common:
            return [*self.tests]
        return [file for file, now in self.tests.items() if before.tests.get(file) != now]


def watch(request: RunRequest) -> int:
    """Run what is asked for, and again what changes, until Ctrl-C; return the last exit code.

    Raises:
        LveError: a mistake of the user in the first run. Later ones are told: the next change may
            mend them.
    """
    paths = request.paths or (".",)
    seen = Files.read(paths)
    code = execute(request)
    with suppress(KeyboardInterrupt):
        while code != ExitCode.interrupted:
            tell(f"watching {amount(len(seen.tests), 'test')}; Ctrl-C ends")
            seen, changed = _next_change(paths, seen)
            tell(f"changed: {_named(changed)}")
            code = _run_again(request._replace(paths=tuple(str(file) for file in changed)))
    return code


def _run_again(request: RunRequest) -> int:
    try:
        return execute(request)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except LveError as error:
        tell_error(error)
        return ExitCode.invalid


def _next_change(paths: Sequence[str], seen: Files) -> tuple[Files, list[Path]]:
    """Wait until a test changes, and until its files are as they were a moment ago: an editor
    writes several, one after the other."""
    last = seen
    for now in _looks(paths):
        changed = now.changed_since(seen)
        if now == last and changed:
            return now, changed
        if not changed:
            seen = now  # what is gone needs no run
        last = now
    raise AssertionError("it looks for ever")


def _looks(paths: Sequence[str]) -> Iterator[Files]:
    took = 0.0
    while True:
        time.sleep(max(PAUSE_S, took * SHARE))
        started = time.monotonic()
        try:
            yield Files.read(paths)
        except LveError:  # a path is gone for the moment: git and editors replace files
            continue
        finally:
            took = time.monotonic() - started


def _root(paths: Sequence[str]) -> Path:
    """Return the folder whose settings hold; settings that can't be read are the next run's."""
    try:
        return choose_workspace(paths).root
    except LveError:
        return Path.cwd()


def _stamps(folder: Path, names: Iterator[str] | Sequence[str]) -> dict[str, Stamp]:
    stamps: dict[str, Stamp] = {}
    for name in names:
        try:
            found = os.stat(folder / name)  # noqa: PTH116 (half the time)
        except OSError:
            continue
        stamps[name] = (found.st_mtime_ns, found.st_size)
        if len(stamps) >= MAX_FILES:
            break
    return stamps


def _suites(folder: Path, root: Path) -> dict[str, Stamp]:
    files = [str(file) for file in suite_files(folder.absolute(), root)]
    return _stamps(folder, files)


def _named(files: Sequence[Path]) -> str:
    shown = ", ".join(str(display_path(file.parent)) for file in files[:SHOWN])
    return shown + (f" and {len(files) - SHOWN} more" if len(files) > SHOWN else "")
