"""Says where an imported test comes from: the document's `source`."""

from __future__ import annotations

from pathlib import Path

from lve.extensions.importing.certificate import sha256
from lve.files.git import checkout_of
from lve.files.inside import DOCUMENT_BYTES, read_regular
from lve.json_types import JsonValue


def source_of(tool: str, file: Path, line: int | None, folder: Path) -> dict[str, JsonValue]:
    """Return the `source` of a test.

    Args:
        tool: the name of the tool.
        file: the file that defines the test.
        line: the line in it, if it is known.
        folder: the folder of what is imported, to which the file is named.
    """
    source: dict[str, JsonValue] = {"tool": tool}
    if (commit := (checkout_of(folder) or {}).get("commit")) is not None:
        source["commit"] = commit
    is_below = file.is_relative_to(folder)
    source["file"] = (file.relative_to(folder) if is_below else Path(file.name)).as_posix()
    if line is not None:
        source["line"] = line
    try:
        source["sha256"] = sha256(read_regular(str(file), DOCUMENT_BYTES))
    except OSError:
        return source
    return source
