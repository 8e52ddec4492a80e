"""Fills test documents with defaults from the `suite.yaml` files above them.

A document overrides the nearest suite, which overrides the suites above it. A suite is contributed
like a test, so it may set only what a test may: the merged document is checked like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from lve.documents.read import Document, DocumentPosition, read_document
from lve.documents.validation.schema import in_file_order, validate
from lve.errors import SpecError
from lve.file_names import SUITE_FILES
from lve.json_types import JsonObject
from lve.settings.settings import Caps
from lve.spec.check_names import CHECK_KEYS
from lve.spec.model_entries import KEY, without_overridden
from lve.spec.rules import check_rules

Origins = dict[str, Path]
"""Key of the document (`repeats`, `default_model_args.seed`) -> the suite with its value."""
MODEL_KEYS = ("model", KEY)
ROWS = "dataset"
ARGS = "default_model_args"
_NO_CAPS = Caps()
# A broken link is there, too: it is reported when it is read. This runs four times for each test,
# and `lexists` raises and catches an exception where there is nothing.
_is_there = (
    partial(os.access, mode=os.F_OK, follow_symlinks=False)
    if os.access in os.supports_follow_symlinks
    else os.path.lexists
)


def suite_files(folder: Path, root: Path) -> Iterator[Path]:
    """Yield the suites that apply to a folder, the nearest first. None is above the workspace root.

    Args:
        folder: a test folder, or any other.
        root: the workspace root.
    """
    place, top = _absolute(folder), _absolute(root).rstrip(os.sep)
    if not f"{place}{os.sep}".startswith(f"{top}{os.sep}"):
        return
    while True:
        for name in SUITE_FILES:
            if _is_there(file := f"{place}{os.sep}{name}"):
                yield Path(file)
        if len(place) <= len(top):
            return
        place = place[: place.rfind(os.sep)]


def with_suites(document: Document, root: Path, caps: Caps = _NO_CAPS) -> Origins:
    """Add the defaults of the suites to a test document, and return where each comes from.

    Args:
        document: the test document; its `data` is replaced.
        root: the workspace root.
        caps: the maintainer's limits, which no suite may exceed.

    Raises:
        SpecError: a suite is invalid; the error has all its problems.
    """
    origins: Origins = {}
    if not isinstance(document.data, dict):
        return origins
    for file in suite_files(document.path.parent, root):
        defaults = _suite(file, caps, *_stamp(file))
        document.data = _merged(document, defaults, file, origins)
    if document.data.get(ROWS, "") is None:  # the test's way to do without the rows of a suite
        document.data = {key: value for key, value in document.data.items() if key != ROWS}
    return origins


def _absolute(path: Path) -> str:
    """Return an absolute path as text. (Every test calls it, and pathlib is slow.)"""
    text = os.fspath(path)
    is_plain = text.startswith(os.sep) and "/.." not in text
    return text if is_plain else os.path.abspath(text)  # noqa: PTH100 (links stay)


def _stamp(file: Path) -> tuple[int, int]:
    try:
        stat = os.stat(file)  # noqa: PTH116 (half the time)
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=64)
def _suite(file: Path, caps: Caps, changed_ns: int, size: int) -> JsonObject:
    """Return the content of a suite. Cached, because all tests below it need it; a changed time or
    size makes it read again."""
    document = read_document(file)
    problems = [*validate(document, "test/suite"), *check_rules(document, caps)]
    if problems:
        raise SpecError(in_file_order(problems))
    return {key: value for key, value in document.data.items() if value is not None}


def _merged(
    document: Document, defaults: Mapping[str, Any], file: Path, origins: Origins
) -> dict[str, Any]:
    """Return the data of a document with the defaults of a suite.

    Args:
        document: the document; its `inherited` gets the positions of the added values.
        defaults: the content of the suite.
        file: the suite's file.
        origins: gets the keys of the added values.
    """
    data: Mapping[str, Any] = document.data
    merged, inherited = dict(data), document.inherited
    for keys in (MODEL_KEYS, CHECK_KEYS, ("repeats",), ("braces",), ("by",), ("attacks",)):
        if any(data.get(key) is not None for key in keys):
            continue
        for key in keys:
            if key in defaults:
                value = defaults[key]
                merged[key] = without_overridden(value, data) if key == KEY else value
                origins[key] = file
                inherited[key,] = DocumentPosition(file, (key,))
    if ROWS in defaults and ROWS not in data and "matrix" not in data:
        merged[ROWS] = defaults[ROWS]
        origins[ROWS] = file
        inherited[ROWS,] = DocumentPosition(file, (ROWS,))
    own = data.get(ARGS) or {}
    if isinstance(own, dict) and (args := defaults.get(ARGS)):
        added = [name for name in args if name not in own]
        origins.update({f"{ARGS}.{name}": file for name in added})
        inherited.update({(ARGS, name): DocumentPosition(file, (ARGS, name)) for name in added})
        merged[ARGS] = {**args, **own}
    tags = data.get("tags") or []
    if isinstance(tags, list) and (more := defaults.get("tags")):
        names = [tag.get("name") for tag in tags if isinstance(tag, dict)]
        new = {index: tag for index, tag in enumerate(more) if tag["name"] not in names}
        merged["tags"] = [*tags, *new.values()]
        origins.update({f"tags.{tag['name']}": file for tag in new.values()})
        for number, index in enumerate(new, len(tags)):
            inherited["tags", number] = DocumentPosition(file, ("tags", index))
    return merged
