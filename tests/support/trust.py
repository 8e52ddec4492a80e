"""What the settings of a workspace trust, for tests with code."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from lve.settings.trusted_file import TrustedFile


def trusted(root: Path, file: Path, **rights: Any) -> TrustedFile:
    """Return an entry for a file as it is now.

    Args:
        root: of the workspace.
        file: the file.
        rights: further fields of the entry.
    """
    digest = sha256(file.read_bytes()).hexdigest()
    return TrustedFile(file.relative_to(root).as_posix(), digest, **rights)


def trust_settings(*entries: TrustedFile) -> str:
    """Return settings, the text of an `lve.yaml`, that trust these files."""
    return json.dumps({"trust": [entry._asdict() for entry in entries]})
