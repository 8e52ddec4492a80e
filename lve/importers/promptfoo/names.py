"""Names of folders, made of somebody's titles."""

from __future__ import annotations

import re

from lve.importers.folders import NEVER_FOLDERS

MAX_TITLE = 50
"""Longest part of a title, in characters."""
_OTHERS = re.compile(r"[^a-z0-9]+")


class Names:
    """Gives out names, each once."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def new(self, title: str, otherwise: str) -> str:
        """Return a name that is like a title.

        Args:
            title: may be anything.
            otherwise: used if nothing of it is left.
        """
        wanted = _OTHERS.sub("_", title[: 4 * MAX_TITLE].lower())[:MAX_TITLE].strip("_")
        if not wanted or wanted in NEVER_FOLDERS:
            wanted = otherwise
        name, number = wanted, 2
        while name in self._given:
            name, number = f"{wanted}_{number}", number + 1
        self._given.add(name)
        return name
