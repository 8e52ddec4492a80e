"""Makes names of folders from titles."""

from __future__ import annotations

import re

from lve.escape import head
from lve.extensions.importing.folders import NEVER_FOLDERS

MAX_TITLE = 50
"""How many characters of a title a name can have."""
_OTHERS = re.compile(r"[^a-z0-9]+")


class Names:
    """Makes unique names."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def new(self, title: str, otherwise: str) -> str:
        """Return a new name that is similar to a title.

        Args:
            title: any text.
            otherwise: used if the title has no letters or digits.
        """
        stem = head(_OTHERS.sub("_", head(title, 4 * MAX_TITLE).lower()), MAX_TITLE).strip("_")
        if not stem or stem in NEVER_FOLDERS:
            stem = otherwise
        name, number = stem, 2
        while name in self._names:
            name, number = f"{stem}_{number}", number + 1
        self._names.add(name)
        return name
