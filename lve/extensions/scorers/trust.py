"""Says whether the settings trust a test whose checks run programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lve.files.inside import WHOLE_BYTES, read_inside
from lve.sessions.provenance import CODE_SUFFIXES, DATA_SUFFIXES, files_below
from lve.settings.code_file import trusted_as
from lve.settings.trusted_file import TrustedFile
from lve.spec.spec import Spec


def untrusted_file(spec: Spec, trust: Sequence[TrustedFile]) -> Path | None:
    """Return the first file of a test that the settings don't trust, or its folder if they trust
    nothing; None if they trust all that can be code, or choose it: document, data and Python.

    Args:
        spec: the test.
        trust: the entries of the settings.
    """
    if not trust:
        return spec.folder
    names = [spec.file.name, *sorted(files_below(spec.folder))]
    if any(name.startswith("@") for name in _data_names(spec.dataset)):
        return spec.file  # data elsewhere isn't covered
    for name in dict.fromkeys(names):
        if not name.endswith((*CODE_SUFFIXES, *DATA_SUFFIXES)) and name != spec.file.name:
            continue
        file = spec.folder / name
        try:
            source = read_inside(spec.folder, file, WHOLE_BYTES)
        except OSError:
            return file
        if trusted_as(file, source, spec.root, trust) is None:
            return file
    return None


def _data_names(dataset: object) -> list[str]:
    values = list(dataset.values()) if isinstance(dataset, dict) else [dataset]
    return [value for value in values if isinstance(value, str)]
