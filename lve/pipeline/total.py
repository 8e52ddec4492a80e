"""How many instances a run will have, roughly and without reading them: for progress only.

Instances are read when they are needed, so nobody knows exactly. Lines are quick to count.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lve.errors import SpecError
from lve.pipeline.options import RunOptions
from lve.pipeline.select import repeats_of
from lve.spec.instance_files import instance_files
from lve.spec.model import Spec
from lve.workspace import Settings

if TYPE_CHECKING:
    from lve.pipeline.session import Session

BLOCK = 1 << 20


def session_total(session: Session) -> int:
    """Return about how many instances (times repeats) a session has."""
    if session.earlier is not None and session.earlier.only is not None:
        return len(session.earlier.only)
    tests = [(pairing.spec, pairing.model) for pairing in session.pairings.values()]
    return estimate_total(tests, session.engine.options, session.engine.settings)


def estimate_total(
    tests: Iterable[tuple[Spec, str]], options: RunOptions, settings: Settings
) -> int:
    """Return about how many instances (times repeats) these tests have, each with its model."""
    counted: dict[Path, int] = {}
    total = 0
    for spec, _ in tests:
        if spec.file not in counted:
            counted[spec.file] = _instances(spec, options)
        count = counted[spec.file]
        if settings.caps.rows is not None:
            count = min(count, settings.caps.rows)
        total += count * repeats_of(spec, options, settings)
    return total


def _instances(spec: Spec, options: RunOptions) -> int:
    given = set(options.parameters)
    if options.index is not None or (given and given == set(spec.parameters)):
        return 1
    try:
        files = instance_files(spec.folder, options.instances or None)
    except SpecError:
        return 0
    if isinstance(spec.dataset, str):
        files.append(spec.folder / spec.dataset)
    return sum(_rows(file) for file in files) or 1


def _rows(file: Path) -> int:
    """Return how many rows a file has; the first line of a table names its columns."""
    lines = _lines(file)
    return max(lines - 1, 0) if file.suffix in (".csv", ".tsv") else lines


def _lines(file: Path) -> int:
    """Return how many lines a file has; a last one without line end counts."""
    lines, last = 0, b"\n"
    try:
        with file.open("rb") as stream:
            while block := stream.read(BLOCK):
                lines += block.count(b"\n")
                last = block[-1:]
    except OSError:
        return 0
    return lines + (last != b"\n")
