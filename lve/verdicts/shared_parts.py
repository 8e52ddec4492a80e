"""Lets the tallies of many tests share what they have alike: of 2,500 bytes each, 300 remain."""

from __future__ import annotations

from array import array
from collections.abc import Hashable

from lve.verdicts.tally import Tally

MAX_PARTS = 10_000
"""Different parts that are kept to be shared."""
MAX_RESULTS = 64
"""Results of a test whose tally is compared with others."""
_PARTS = [
    "numbers",
    "coverage",
    "answers",
    "asked",
    "error_kinds",
    "agreement",
    "examples",
    "calibration",
    "instances",
]


class SharedParts:
    """The parts of the tallies of a session that are alike."""

    def __init__(self) -> None:
        self._parts: dict[Hashable, object] = {}

    def share(self, tally: Tally) -> None:
        """Replace parts of a tally with equal ones of other tallies. It must not be changed any
        more: `Summary.expect` returns a new one."""
        tally.is_shared = tally.total <= MAX_RESULTS
        for name in _PARTS if tally.is_shared else ():
            part = getattr(tally, name)
            key = name, _content(part)
            if len(self._parts) < MAX_PARTS:
                self._parts.setdefault(key, part)
            setattr(tally, name, self._parts.get(key, part))


def _content(value: object) -> Hashable:
    """Return all that an object holds."""
    if isinstance(value, dict):
        return tuple([(key, _content(item)) for key, item in value.items()])
    if isinstance(value, list | tuple | set):
        return tuple(map(_content, value))
    if isinstance(value, array | bytearray):
        return bytes(value)
    names = getattr(value, "__slots__", None)
    return value if names is None else tuple([_content(getattr(value, name)) for name in names])
