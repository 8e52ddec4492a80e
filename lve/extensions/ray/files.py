"""Packs the files of a test for workers, which know them by the hash of their content: paths of the
run's machine mean nothing to them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from lve.checkers.custom.find import SHARED_FOLDER
from lve.files.inside import read_inside
from lve.files.new_files import write_new_folder
from lve.named_tuples import NamedTuple
from lve.sessions.provenance import files_below
from lve.settings.trusted_file import TrustedFile
from lve.spec.location import MARK, names_in_app
from lve.spec.spec import Expectation, Spec

MAX_BYTES = 256_000_000
"""A test with more bytes in its files runs on the run's machine."""


class Files(NamedTuple):
    """Files by name, relative to the workspace root with `/`, with their contents."""

    contents: tuple[tuple[str, bytes], ...]

    def packed(self) -> tuple[str, bytes]:
        """Return the files as one byte string, after its SHA-256 in hexadecimal."""
        content = pickle.dumps(self.contents)
        return sha256(content).hexdigest(), content


def unpack(content: bytes, root: Path) -> None:
    """Write the files of `Files.packed` to a folder that doesn't exist yet."""
    write_new_folder(root, dict(pickle.loads(content)))


def files_of(spec: Spec, trust: Sequence[TrustedFile]) -> Files | None:
    """Return the files that a test needs; None if it can only run on this machine, because its code
    may use environment variables, files or the network, or its files are too large.

    Args:
        spec: the test.
        trust: the settings' entries for trusted code.
    """
    if not _is_inside(spec):
        return None
    names = list(_names(spec))
    own = [entry for entry in trust if entry.path in names]
    if any(entry != TrustedFile(entry.path, entry.sha256) for entry in own):
        return None
    contents, left = [], MAX_BYTES
    for name in names:
        try:
            content = read_inside(spec.root, name, left)
        except OSError:  # too large, or it can't be read
            return None
        left -= len(content)
        contents.append((name, content))
    return Files(tuple(contents))


def sent(spec: Spec) -> Spec:
    """Return a test without the fields that a worker doesn't need."""
    return replace(spec, examples=(), warnings=(), suites={}, expect=Expectation())


def moved(spec: Spec, root: Path) -> Spec:
    """Return a test whose files lie below another root."""
    prompts = [
        prompt._replace(
            file=prompt.file and root / prompt.file.relative_to(spec.root),
            folder=prompt.folder and root / prompt.folder.relative_to(spec.root),
        )
        for prompt in spec.prompts
    ]
    file = root / spec.file.relative_to(spec.root)
    files = spec.app_files and spec.app_files._replace(root=root)
    return replace(spec, file=file, root=root, prompts=tuple(prompts), app_files=files)


def _names(spec: Spec) -> Iterator[str]:
    """Yield the names of a test's files, of those of the application that it uses, and of the
    shared checkers' files, relative to the root."""
    for name in names_in_app(spec):
        yield name.removeprefix(MARK)
    folder = spec.folder.relative_to(spec.root).as_posix()
    for place in (folder, SHARED_FOLDER):
        if os.path.lexists(spec.root / place):
            for name in sorted(files_below(spec.root / place)):
                yield f"{place}/{name}"


def _is_inside(spec: Spec) -> bool:
    files = [spec.file, *(prompt.file for prompt in spec.prompts if prompt.file)]
    return all(file.is_relative_to(spec.root) for file in files)
