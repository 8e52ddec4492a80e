"""Makes new files and folders: complete or not at all, and never replacing existing ones."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

from lve.files.abandoned import DRAFT, remove_abandoned
from lve.files.atomic_file import draft_of
from lve.files.inside import RefusedFileError
from lve.sandbox.removal import remove_tree

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
"""Errors of a file system without hard links."""


def write_new_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make a folder with all of its files at once.

    Args:
        folder: must not exist or be empty. Folders above it are made.
        contents: name of a file, relative to the folder, with `/` -> its content.

    Raises:
        FileExistsError: `folder` exists and isn't an empty folder.
        OSError: it can't be written.
    """
    if os.path.lexists(folder) and not is_empty_folder(folder):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder.parent)
    draft = Path(mkdtemp(prefix=DRAFT, dir=folder.parent))
    try:
        for name, content in contents.items():
            file = draft / "new" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)  # no fsync: 10 ms per file, and the files can be made again
        (draft / "new").replace(folder)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder)) from None
        raise
    finally:
        remove_tree(draft)


def is_empty_folder(folder: Path) -> bool:
    """Return whether a path is an empty folder and not a link."""
    return folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())


def write_new_file(folder: Path, name: str, content: bytes) -> None:
    """Make a file in a folder, and the folders on the way to it.

    Args:
        folder: an existing folder.
        name: the file, relative to the folder, with `/`.
        content: the content of the file.

    Raises:
        FileExistsError: the file exists.
        OSError: it can't be written; (RefusedFileError) a folder on the way is a link.
    """
    path = folder / name
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
    for step in reversed(path.relative_to(folder).parents[:-1]):
        if (folder / step).is_symlink():
            raise RefusedFileError("a link, and nothing is written through it", folder / step)
        (folder / step).mkdir(exist_ok=True)
    with draft_of(path, content) as draft:
        try:
            os.link(draft, path)  # unlike renaming, it never replaces a file
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            with open(path, "xb") as file:  # noqa: PTH123 (pathlib has no such mode)
                file.write(content)
