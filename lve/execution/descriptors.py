"""How many connections the open files that a process may have leave room for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lve.errors import with_code

RESERVED = 96
"""Descriptors for files, checkers and connections that are just being closed."""
PLENTY = 160
"""No process has more open files before it begins: with this many beside, none need counting."""


def connections_left(wanted: int, planned: int) -> int:
    """Return how many connections there can be: at most those wanted, and one at least.

    Args:
        wanted: for one model.
        planned: for the other models.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    left = limit - RESERVED - planned
    if limit == resource.RLIM_INFINITY or wanted + PLENTY <= left:
        return wanted
    return max(1, min(wanted, left - _open_files()))


def fitted(model: str, wanted: int, planned: int, *, warn: Callable[[str], None]) -> int:
    """Return how many connections to a model there can be; warn if these are fewer than wanted.
    Arguments as of `connections_left`."""
    width = connections_left(wanted, planned)
    if width < wanted:
        warn(with_code(why_fewer(model, width, wanted), "few_connections"))
    return width


def why_fewer(model: str, width: int, wanted: int) -> str:
    """Return why a model has fewer connections than wanted."""
    requests = "1 request" if width == 1 else f"{width:,} requests"
    return (
        f"{model}: {requests} at once, not {wanted:,}: no more files can be open here "
        "(`ulimit -n` says how many)"
    )


def _open_files() -> int:
    with suppress(OSError):
        return sum(1 for _ in Path("/dev/fd").iterdir())
    return 0
