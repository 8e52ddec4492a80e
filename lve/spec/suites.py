"""Defaults of tests from the `suite.yaml` files above them: what a document leaves out.

The document wins over the nearest suite, that over the ones above. A suite came with the tests, so
it is held to what a test may say: the merged document is checked as any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from lve.check_names import CHECK_KEYS
from lve.conventions import SUITE_FILE
from lve.documents.read import Document, DocumentPosition, read_document
from lve.documents.schema import in_file_order, validate
from lve.errors import SpecError
from lve.spec.model_entries import KEY, without_own
from lve.spec.rules import check_rules
from lve.workspace import Caps

Origins = dict[str, Path]
"""Key of the document (`repeats`, `default_model_args.seed`) -> the suite that it is from."""
MODEL_KEYS = ("model", KEY)
ARGS = "default_model_args"
_NO_CAPS = Caps()


def suite_files(folder: Path, root: Path) -> Iterator[Path]:
    """Yield the suites that hold in a folder, the nearest first; none above the workspace.

    Args:
        folder: of a test, say.
        root: of the workspace.
    """
    place, top = _absolute(folder), _absolute(root)
    if not f"{place}{os.sep}".startswith(os.path.join(top, "")):  # noqa: PTH118
        return
    while len(place) >= len(top):
        file = os.path.join(place, SUITE_FILE)  # noqa: PTH118
        if os.path.lexists(file):  # a broken link is told
            yield Path(file)
        if place == top:
            return
        place = os.path.dirname(place)  # noqa: PTH120


def with_suites(document: Document, root: Path, caps: Caps = _NO_CAPS) -> Origins:
    """Fill into a test document what it leaves out; return where that is from.

    Args:
        document: of the test.
        root: the workspace root.
        caps: the maintainer's limits, which no suite may exceed.

    Raises:
        SpecError: a suite can't be used; with all its problems.
    """
    origins: Origins = {}
    if not isinstance(document.data, dict):
        return origins
    for file in suite_files(document.path.parent, root):
        said = _suite(file, caps, *_stamp(file))
        document.data = _merged(document, said, file, origins)
    return origins


def _absolute(path: Path) -> str:
    """Return a path as text: every test asks, and pathlib is slow."""
    text = os.fspath(path)
    is_plain = text.startswith(os.sep) and "/.." not in text
    return text if is_plain else os.path.abspath(text)  # noqa: PTH100 (links stay)


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 (half the time)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=64)
def _suite(file: Path, caps: Caps, changed_ns: int, size: int) -> Mapping[str, Any]:
    """Return what a suite says. Cached, because all tests below it ask."""
    document = read_document(file)
    problems = [*validate(document, "test/suite"), *check_rules(document, caps)]
    if problems:
        raise SpecError(in_file_order(problems))
    return {key: value for key, value in document.data.items() if value is not None}


def _merged(
    document: Document, said: Mapping[str, Any], file: Path, origins: Origins
) -> dict[str, Any]:
    """Return what a document says with what a suite adds; notes what is from it, and where."""
    data: Mapping[str, Any] = document.data
    merged, inherited = dict(data), document.inherited
    for keys in (MODEL_KEYS, CHECK_KEYS, ("repeats",)):
        if any(data.get(key) is not None for key in keys):
            continue
        for key in keys:
            if key in said:
                merged[key] = without_own(said[key], data) if key == KEY else said[key]
                origins[key] = file
                inherited[key,] = DocumentPosition(file, (key,))
    own = data.get(ARGS) or {}
    if isinstance(own, dict) and (args := said.get(ARGS)):
        added = [name for name in args if name not in own]
        origins.update({f"{ARGS}.{name}": file for name in added})
        inherited.update({(ARGS, name): DocumentPosition(file, (ARGS, name)) for name in added})
        merged[ARGS] = {**args, **own}
    tags = data.get("tags") or []
    if isinstance(tags, list) and (more := said.get("tags")):
        names = [tag.get("name") for tag in tags if isinstance(tag, dict)]
        new = {index: tag for index, tag in enumerate(more) if tag["name"] not in names}
        merged["tags"] = [*tags, *new.values()]
        origins.update({f"tags.{tag['name']}": file for tag in new.values()})
        for number, index in enumerate(new, len(tags)):
            inherited["tags", number] = DocumentPosition(file, ("tags", index))
    return merged
