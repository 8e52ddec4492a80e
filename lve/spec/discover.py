"""Finds test documents in files, folders and globs."""

# ruff: noqa: PTH100, PTH110, PTH112, PTH118, PTH119, PTH207, PTH208
# A search may cover ten thousand folders, and pathlib is several times slower than os.path.
from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from lve.errors import Problem, SpecError, UsageError
from lve.extension_table import extension_part
from lve.file_names import CHECKER_FOLDER, DOCUMENT_NAMES, INSTANCE_FOLDER
from lve.suggest import closest
from lve.workspace import display_path

Report = Callable[[Problem], None]

SKIPPED_FOLDERS = frozenset(
    {"node_modules", "__pycache__", "site-packages", "venv", "build", "dist"}
)
"""Folders that are never searched, like those whose name starts with a dot."""

_PARTS_OF_A_TEST = frozenset({INSTANCE_FOLDER, CHECKER_FOLDER})
_SESSION = r"last(~\d{1,6})?|\d{8}-\d[\d-]*\w*"
"""The name of a session, or the beginning of one."""
_GLOB_CHARACTERS = frozenset("*?[")


def discover(paths: Sequence[str | Path], *, report: Report) -> Iterator[Path]:
    """Yield the paths of test documents, each once, while searching.

    A file must be a test document. A folder is searched with all folders below it: first its own
    document, then the folders in it by name. A glob such as `repository/**/test.yaml` may match
    both. The search skips folders whose name starts with a dot, `node_modules` and the like. It
    doesn't follow links to folders, so there can be no loops. A text that is no path may also be
    the end of a test's path: its name.

    Args:
        paths: files, folders and globs. Relative ones stay relative.
        report: called with a warning for each folder that can't be read, and for each of several
            paths that holds no test: beside others, nobody would miss it.

    Raises:
        UsageError: a path does not exist or can't be read, a glob matches nothing, or a file isn't
            a test document.
    """
    absolute_paths: set[str] = set()
    for path in dict.fromkeys(paths):  # a forged session may name one a million times
        is_empty = True
        for document in _find(path, report):
            is_empty = False
            key = os.path.abspath(document)
            if key not in absolute_paths:
                absolute_paths.add(key)
                yield document
        if is_empty and len(paths) > 1:
            report(_no_test_in(path))


def _no_test_in(path: str | Path) -> Problem:
    message = "holds no test.json or test.yaml: no test of it runs"
    return Problem(message, display_path(Path(path)), severity="warning", code="nothing_selected")


def holds_tests(path: Path) -> bool:
    """Whether there is a test document at a path or below it."""
    try:
        return any(True for _ in discover([path], report=lambda problem: None))
    except UsageError:
        return False


def _find(path: str | Path, report: Report) -> Iterator[Path]:
    text = str(path)
    if os.path.isdir(text):
        try:
            yield from _tree(text, report)
        except OSError as error:
            raise UsageError(
                f"{text} can't be read: {error.strerror}", code="unreadable"
            ) from error
    elif os.path.exists(text):
        yield _as_document(Path(text))
    elif _GLOB_CHARACTERS.intersection(text):
        yield from _matches(text, report)
    elif isinstance(path, str) and (named := extension_part("tests of a name")(path)):
        yield from named
    else:
        raise _missing(Path(text))


def _tree(folder: str, report: Report) -> Iterator[Path]:
    """Yield the documents in a folder and below. Unreadable folders below it are reported.

    Raises:
        OSError: the folder itself can't be read.
    """
    document, waiting = _contents(folder)
    if document is not None:
        yield document
    while waiting:  # not recursive: a tree may be deeper than Python's stack
        folder = waiting.pop()
        try:
            document, below = _contents(folder)
        except OSError as error:
            report(_left_out(folder, error))
            continue
        if document is not None:
            yield document
        waiting += below


def _contents(folder: str) -> tuple[Path | None, list[str]]:
    """Return a folder's document (or None) and the folders in it to search, in reverse order.

    Raises:
        OSError: the folder can't be read.
    """
    with os.scandir(folder) as entries:
        children = sorted(entries, key=lambda entry: entry.name, reverse=True)
    names = {entry.name for entry in children}
    name = next((name for name in DOCUMENT_NAMES if name in names), None)
    below = [entry.path for entry in children if _is_searched(entry, inside_test=name is not None)]
    return (Path(os.path.join(folder, name)) if name is not None else None), below


def _left_out(folder: str, error: OSError) -> Problem:
    message = f"can't be read: {error.strerror}; tests in it are left out"
    return Problem(message, display_path(Path(folder)), severity="warning", code="unreadable")


def _is_searched(entry: os.DirEntry[str], *, inside_test: bool) -> bool:
    if entry.name.startswith(".") or entry.name in SKIPPED_FOLDERS:
        return False
    if inside_test and entry.name in _PARTS_OF_A_TEST:
        return False
    return entry.is_dir(follow_symlinks=False)


def _as_document(file: Path) -> Path:
    if file.name in DOCUMENT_NAMES:
        return file
    todo = extension_part("other tool")(file) or "name a test.json, a test.yaml or a folder"
    raise UsageError(f"{file} is not a test document; {todo}", code="not_a_test")


def _matches(pattern: str, report: Report) -> Iterator[Path]:
    matches = sorted(set(_expand(pattern)))
    has_match = False
    for match in matches:
        if SKIPPED_FOLDERS.intersection(Path(match).parts):
            continue
        if os.path.isdir(match):
            has_match = True
            try:
                yield from _tree(match, report)
            except OSError as error:
                report(_left_out(match, error))
        elif os.path.basename(match) in DOCUMENT_NAMES:
            has_match = True
            yield Path(match)
    if not has_match:
        raise UsageError(
            f"{pattern} matches no test.json, test.yaml or folder", code="no_such_path"
        )


def _expand(pattern: str) -> Iterator[str]:
    """Yield the paths that a pattern matches. Unlike in `glob`, `**` doesn't follow links: with two
    links to a folder above them, it would match 2^40 folders."""
    import glob

    head, stars, tail = _split_at_stars(pattern)
    if not stars:
        yield from glob.glob(pattern)
        return
    for base in glob.glob(head) if head else [os.curdir]:
        if not tail:
            yield base  # the caller searches it
            continue
        for folder in _folders(base):
            yield from _expand(os.path.join(glob.escape(folder), tail))


def _folders(base: str) -> Iterator[str]:
    """Yield a folder and all folders below it that `**` matches."""
    waiting = [base]
    while waiting:
        folder = waiting.pop()
        yield folder
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


def _split_at_stars(pattern: str) -> tuple[str, str, str]:
    """Split a pattern at its first `**`: return the part before it, `**`, and the part after it.
    Without `**`, the last two are empty. Further `**` right after the first are dropped."""
    steps = Path(pattern).parts
    if "**" not in steps:
        return pattern, "", ""
    at = steps.index("**")
    rest = [step for n, step in enumerate(steps[at:]) if step != "**" or steps[at + n - 1] != "**"]
    return os.path.join("", *steps[:at]), "**", os.path.join("", *rest[1:])


def is_session_name(path: str) -> bool:
    """Return whether a path is named like a session, and is one's folder or doesn't exist."""
    is_session = os.path.exists(os.path.join(path, "session.json"))
    name = os.path.basename(os.path.realpath(path)) if is_session else path
    return re.fullmatch(_SESSION, name) is not None and (is_session or not os.path.lexists(path))


def _missing(path: Path) -> UsageError:
    """Return the error for a path that doesn't exist or can't be read."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        pass
    except OSError as error:  # no permission for a folder above it, or a link to itself
        return UsageError(f"{path} can't be read: {error.strerror}", code="unreadable")
    if is_session_name(str(path)):
        return UsageError(
            f"{path} is a session, not a test: `lve show {path}` reports it, "
            f"`lve run --resume {path}` continues it",
            code="no_such_path",
        )
    return UsageError(f"{path} does not exist{_similar(path)}", code="no_such_path")


def _similar(missing: Path) -> str:
    try:
        names = os.listdir(missing.parent)
    except OSError:
        return ""
    similar = closest(missing.name, names)
    return f"; did you mean {missing.parent / similar}?" if similar else ""


def document_file(path: Path) -> Path:
    """Return the document of a test, given it or its folder.

    Raises:
        SpecError: there is none, or there are two.
    """
    folder, name = (path.parent, path.name) if path.name in DOCUMENT_NAMES else (path, None)
    present = [file for file in DOCUMENT_NAMES if os.path.isfile(f"{folder}/{file}")]  # noqa: PTH113
    if len(present) > 1:
        message = f"there is a {present[1]} beside it; a test has one document"
        place = display_path(folder / present[0])
        raise SpecError([Problem(message, place, hint="remove one", code="several_documents")])
    if name is not None:
        return path
    if not present:
        raise SpecError([_no_document(folder)])
    return folder / present[0]


def _no_document(folder: Path) -> Problem:
    if not folder.is_dir():
        return Problem(
            "is not a test document or its folder", display_path(folder), code="not_a_test"
        )
    return Problem("has no test.json or test.yaml", display_path(folder), code="not_a_test")
