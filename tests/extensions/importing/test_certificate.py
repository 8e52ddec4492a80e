"""The certificate of an imported test."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from lve.extensions.importing.certificate import with_certificate
from lve.extensions.importing.folders import write_tests
from lve.importers import ImportedTest


def test_it_has_the_hashes_of_what_is_written(tmp_path: Path) -> None:
    document = {"description": "ä", "source": {"tool": "x"}}
    test = with_certificate(ImportedTest("a/b", document, {"rows.jsonl": "{}\n"}), rows=1)
    write_tests([test], tmp_path / "made")
    home = tmp_path / "made" / "a" / "b"
    certificate = json.loads((home / "import.json").read_text("utf-8"))
    assert certificate == {
        "source": {"tool": "x"},
        "rows": 1,
        "files": {
            name: sha256((home / name).read_bytes()).hexdigest()
            for name in ("rows.jsonl", "test.json")
        },
        "proof": None,
    }
