"""How many connections fit into the number of files that this process may open."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lve.errors import with_code
from lve.plurals import amount

RESERVED = 96
"""File descriptors for files, checkers and connections that are just being closed."""
ENOUGH_TO_SPARE = 160
"""With so many descriptors to spare, open files needn't be counted: no process begins with more."""


def connections_left(most: int, planned: int) -> int:
    """Return how many connections a model can have: from 1 to `most`.

    Args:
        most: connections wanted for the model.
        planned: connections planned for the other models.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return most
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    left = limit - RESERVED - planned
    if limit == resource.RLIM_INFINITY or most + ENOUGH_TO_SPARE <= left:
        return most
    return max(1, min(most, left - _open_files()))


def fitting_connections(model: str, most: int, planned: int, *, warn: Callable[[str], None]) -> int:
    """Return `connections_left` for a model; warn if they are fewer than wanted."""
    width = connections_left(most, planned)
    if width < most:
        warn(with_code(why_fewer(model, width, most), "few_connections"))
    return width


def why_fewer(model: str, width: int, most: int) -> str:
    """Return the warning about a model that has fewer connections than wanted."""
    return (
        f"{model}: {amount(width, 'request')} at once, not {most:,}: no more files can be open "
        "here (`ulimit -n` says how many)"
    )


def _open_files() -> int:
    with suppress(OSError):
        return sum(1 for _ in Path("/dev/fd").iterdir())
    return 0
