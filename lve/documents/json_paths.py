"""Paths into JSON values, such as `$.people[0].name`."""

from __future__ import annotations

import re
from typing import Any

_STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\[(\d{1,6}|-\d{1,6})\]|\[(?:'([^']*)'|\"([^\"]*)\")\]")


def path_steps(path: str) -> list[str | int] | None:
    """Return the keys and indexes of a path; None if it is malformed."""
    rest, steps = path.strip().removeprefix("$"), list[str | int]()
    rest = rest if rest.startswith((".", "[")) or not rest else f".{rest}"
    while rest:
        match = _STEP.match(rest)
        if match is None:
            return None
        key, index, single, double = match.groups()
        names = (name for name in (key, single, double) if name is not None)
        steps.append(int(index) if index else next(names))
        rest = rest[match.end() :]
    return steps


def at_step(value: object, step: str | int) -> object:
    """Return the member of a JSON object with the key `step`, or the item of a list with this
    index.

    Raises:
        LookupError: `value` has no such member or item.
    """
    fits = isinstance(value, dict if isinstance(step, str) else list)
    members: Any = value if fits else {}
    return members[step]
