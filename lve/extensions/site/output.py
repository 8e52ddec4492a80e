"""The folder of a site. It is replaced as a whole, and only if lve made every file in it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import mkdtemp

from lve.errors import UsageError
from lve.escape import excerpt
from lve.file_names import DOCUMENT_NAMES
from lve.files.atomic_file import unwritable
from lve.files.inside import WHOLE_BYTES, read_inside, reason_of
from lve.sandbox.removal import remove_tree
from lve.workspace import display_path

MANIFEST = ".lve-site"
"""File that lists the files of a site, one per line."""
HEAD = "lve site 1"
DRAFT, OLD = ".site-draft-", ".site-old-"


class SiteFolder:
    """A site that is being written, in a draft folder beside its place. `publish` moves it there.

    Use it as a context manager: at the end, an unpublished draft is removed.
    """

    def __init__(self, place: Path) -> None:
        """
        Args:
            place: the site's folder.

        Raises:
            UsageError: something else is there, or the folder can't be written.
        """
        self.place = place.absolute()
        self.files: list[str] = []
        self.bytes = 0
        refuse_foreign_files(self.place)
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True)
            self._draft = Path(mkdtemp(prefix=DRAFT, dir=self.place.parent))
        except OSError as error:
            raise unwritable(display_path(self.place), error) from error

    def __enter__(self) -> SiteFolder:
        return self

    def __exit__(self, *_: object) -> None:
        remove_tree(self._draft)

    def write(self, name: str, content: bytes) -> None:
        """Write a file.

        Args:
            name: its path in the site; must consist of safe names.
            content: the file's content.

        Raises:
            UsageError: the file can't be written.
        """
        file = self._draft / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)  # no fsync: it takes 10 ms, and a site can be rebuilt
        except OSError as error:
            raise unwritable(display_path(self.place), error) from error
        self.files.append(name)
        self.bytes += len(content)

    def publish(self) -> None:
        """Move the finished site to its place, and remove the old one.

        Raises:
            UsageError: files that lve didn't make are there now, or the folder can't be written.
        """
        self.write(MANIFEST, "\n".join((HEAD, *sorted(self.files), "")).encode())
        refuse_foreign_files(self.place)
        old = self.place.with_name(OLD + self._draft.name.removeprefix(DRAFT))
        try:
            self._draft.chmod(0o755 & ~_umask())
            has_old = self.place.is_dir()
            if has_old:
                self.place.rename(old)
            try:
                self._draft.rename(self.place)
            except OSError:
                if has_old:
                    old.rename(self.place)
                raise
        except OSError as error:
            raise unwritable(display_path(self.place), error) from error
        remove_tree(old)


def refuse_foreign_files(place: Path) -> None:
    """Refuse to replace a folder with files that lve didn't make.

    Raises:
        UsageError: `place` isn't a folder, isn't a site of lve, or has other files.
    """
    folder = display_path(place)
    if place.is_symlink() or (os.path.lexists(place) and not place.is_dir()):
        raise UsageError(
            f"{folder} is not a folder, and nothing is replaced: name another", code="site_folder"
        )
    try:
        paths = set(_files_in(place))
    except OSError as error:
        raise UsageError(
            f"{folder} can't be read: {reason_of(error)}", code="unreadable"
        ) from error
    if not paths:
        return
    try:
        head, *ours = read_inside(place, MANIFEST, WHOLE_BYTES).decode().split("\n")
    except (OSError, UnicodeDecodeError):
        head, ours = "", []
    if head != HEAD:
        raise UsageError(
            f"{folder} has files and isn't a site that lve made: name another folder",
            code="site_folder",
        )
    if foreign := sorted(paths.difference(ours, (MANIFEST,))):
        raise UsageError(
            f"{folder} has {excerpt(foreign[0])}, which lve didn't make and would be lost: move it "
            "away, or name another folder",
            code="site_folder",
        )


def refuse_among_tests(place: Path, tests: Collection[Path], root: Path) -> None:
    """Refuse a site's folder that has tests in it, or is in a folder of tests.

    Args:
        place: the site's folder.
        tests: the folders of all tests in the site.
        root: the workspace root. A site may be in it, beside the folders of tests.

    Raises:
        UsageError: `place` is such a folder.
    """
    real, home = place.resolve(), root.resolve()
    folders = {folder.resolve() for folder in tests}
    above = {parent for folder in folders for parent in folder.parents}
    path = display_path(place)
    if real in folders or real in above or real == home:
        raise UsageError(f"{path} has tests in it: name a folder of its own", code="site_folder")
    for parent in real.parents:
        is_test = any((parent / name).is_file() for name in DOCUMENT_NAMES)
        if is_test or (parent in above and parent != home and parent.is_relative_to(home)):
            raise UsageError(
                f"{path} is in {display_path(parent)}, where tests are: name a folder beside it",
                code="site_folder",
            )


def _files_in(place: Path) -> Iterator[str]:
    """Yield the paths of all files, links and empty folders."""
    if not place.is_dir():
        return
    for folder, below, names in os.walk(place, onerror=_raise):
        home = Path(folder)
        links = [name for name in below if (home / name).is_symlink()]
        leaves = [*names, *links]
        if not leaves and not below and home != place:
            yield home.relative_to(place).as_posix()
        yield from ((home / name).relative_to(place).as_posix() for name in leaves)


def _raise(error: OSError) -> None:
    raise error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
