"""The certificate of an imported test, `import.json`: of what it was made, and what was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from lve.extensions.importing.folders import DOCUMENT, document_bytes
from lve.importers import ImportedTest
from lve.json_types import JsonObject, JsonValue

CERTIFICATE = "import.json"


def with_certificate(
    test: ImportedTest, *, rows: int, proof: Mapping[str, JsonValue] | None = None
) -> ImportedTest:
    """Return a test with its certificate among its files.

    Args:
        test: the test, whose document has a `source`.
        rows: how many rows it has.
        proof: what a comparison with the tool has found; None: there was none.
    """
    written = {DOCUMENT: document_bytes(test.document, test.folder), **test.files}
    certificate: JsonObject = {
        "source": test.document.get("source"),
        "rows": rows,
        "files": {name: sha256(content) for name, content in sorted(written.items())},
        "proof": None if proof is None else dict(proof),
    }
    text = json.dumps(certificate, indent=2, ensure_ascii=False) + "\n"
    return ImportedTest(test.folder, test.document, {**test.files, CERTIFICATE: text})


def sha256(content: str | bytes) -> str:
    """Return the hash of a file's content."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
