"""Checks a new test like `lve check`, before it is written, and writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lve.cli.check.checking import check_test
from lve.cli.check.command import MAX_ROWS
from lve.data_classes import dataclass
from lve.errors import LveError, Problem, UsageError
from lve.escape import keyless
from lve.extensions.authoring.places import schema_of_tests
from lve.file_names import DOCUMENT_NAMES
from lve.files.atomic_file import unwritable
from lve.files.new_files import write_new_folder
from lve.pipeline.choosing.all_problems import problems_of as problems_in
from lve.pipeline.choosing.loading import load_test
from lve.sandbox.removal import temporary_folder
from lve.workspace import Workspace, display_path


@dataclass(frozen=True, slots=True)
class Place:
    """Where to write a new test."""

    folder: Path
    """The absolute path of its folder."""
    root: Path
    """The root of the workspace."""

    @property
    def schema(self) -> str:
        """The address of the schema of test documents: a relative path or a URL."""
        return schema_of_tests(self.folder, self.root)


def problems_of(contents: Mapping[str, bytes], place: Place, workspace: Workspace) -> list[Problem]:
    """Return the errors that `lve check` would report for a test that isn't written yet.

    Args:
        contents: the names and contents of its files.
        place: where it will be written.
        workspace: the workspace, for its settings.
    """
    name = next(name for name in DOCUMENT_NAMES if name in contents)
    with temporary_folder("lve-new-") as draft:
        folder = draft / place.folder.name
        write_new_folder(folder, contents)
        problems = _problems(folder / name, workspace)
    errors = [problem for problem in problems if problem.severity == "error"]
    return [
        replace(problem, file=display_path(place.folder / Path(problem.file).name))
        for problem in errors
    ]


def _problems(file: Path, workspace: Workspace) -> Sequence[Problem]:
    try:
        spec = load_test(file, workspace)
    except LveError as error:
        return problems_in(file, error)
    return check_test(spec, workspace, MAX_ROWS).problems


def write(contents: Mapping[str, bytes], place: Place) -> None:
    """Write the folder of a test, as a whole or not at all.

    Raises:
        UsageError: it can't be written, or contains a secret.
    """
    for name, content in contents.items():
        text = content.decode("utf-8", "replace")
        if keyless(text) != text:
            raise UsageError(
                f"nothing was written: {name} would contain a secret of this machine; remove it",
                code="secret",
            )
    folder = display_path(place.folder)
    try:
        write_new_folder(place.folder, contents)
    except FileExistsError:
        raise UsageError(
            f"{folder} exists now, and nothing is overwritten", code="exists"
        ) from None
    except OSError as error:
        raise unwritable(folder, error) from None
