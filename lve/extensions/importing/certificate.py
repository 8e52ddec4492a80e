"""Says where an imported test comes from: the document's `source`; and its certificate,
`import.json`: of what it was made, and what was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from lve.documents.json_lines import file_json
from lve.documents.json_text import decode_json
from lve.errors import Problem
from lve.escape import excerpt
from lve.extensions.importing.folders import (
    DOCUMENT,
    MAX_BYTES,
    MAX_FILES,
    content_bytes,
    document_bytes,
)
from lve.files.git import checkout_of
from lve.files.inside import DOCUMENT_BYTES, read_inside, read_regular, reason_of
from lve.importers import ImportedTest
from lve.json_types import JsonObject, JsonValue
from lve.workspace import display_path

CERTIFICATE = "import.json"


def with_certificate(test: ImportedTest, *, rows: int) -> ImportedTest:
    """Return a test with its certificate among its files.

    Args:
        test: the test, whose document has a `source`.
        rows: how many rows it has.
    """
    written = {DOCUMENT: document_bytes(test.document, test.folder), **test.files}
    certificate: JsonObject = {
        "source": test.document.get("source"),
        "rows": rows,
        "files": {
            name: sha256(content_bytes(content, name)) for name, content in sorted(written.items())
        },
        "proof": None,
    }
    text = json.dumps(certificate, indent=2, ensure_ascii=False) + "\n"
    return ImportedTest(test.folder, test.document, {**test.files, CERTIFICATE: text})


def add_proof(folder: Path, proof: Mapping[str, JsonValue]) -> None:
    """Write what a comparison with the tool has found into the certificate of a folder."""
    file = folder / CERTIFICATE
    written = decode_json(file.read_text(encoding="utf-8"))
    certificate = {**(written if isinstance(written, dict) else {}), "proof": proof}
    text = file_json(certificate, partial(json.dumps, indent=2, ensure_ascii=False, default=str))
    text += "\n"
    file.write_text(text, encoding="utf-8", errors="replace")  # of halves of characters


def sha256(content: str | bytes) -> str:
    """Return the hash of a file's content."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def changed_files(folder: Path) -> Iterator[Problem]:
    """Yield a warning for each file of an imported test that isn't what its certificate says.

    Args:
        folder: the folder of the test, which has a certificate.
    """
    place = display_path(folder / CERTIFICATE)
    try:
        certificate = decode_json(read_inside(folder, CERTIFICATE, MAX_BYTES).decode())
    except (OSError, ValueError) as error:
        why = reason_of(error) if isinstance(error, OSError) else error
        yield _warning(f"the certificate can't be read: {why}", place)
        return
    files = certificate.get("files") if isinstance(certificate, dict) else None
    if not isinstance(files, dict) or len(files) > MAX_FILES:
        yield _warning("the certificate has no hashes of files", place)
        return
    for name, expected in files.items():
        try:
            content = read_inside(folder, str(name), MAX_BYTES)
        except OSError:
            yield _warning(f"{excerpt(name)} was imported, and can't be read any more", place)
            continue
        if sha256(content) != expected:
            yield _warning(f"{excerpt(name)} has changed since it was imported", place)


def _warning(message: str, place: Path) -> Problem:
    hint = "import it again, or delete the certificate if the test is yours now"
    return Problem(message, place, hint=hint, severity="warning", code="import_certificate")


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
