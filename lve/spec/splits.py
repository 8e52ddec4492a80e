"""The splits of a data set, as `dataset` names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SOURCES = ("path", "rows", "hub")
"""Keys of an object that is one source of rows. Any other object has splits."""
SHARED = ("subset", "split", "format", "columns", "where", "limit", "sample", "shuffle", "seed")
"""Keys beside them that say what is taken from the source, or from each split."""


def splits_in(dataset: object) -> Mapping[str, Any]:
    """Return name -> source of each split; nothing if the data set isn't divided into splits."""
    if not isinstance(dataset, Mapping) or any(key in dataset for key in SOURCES):
        return {}
    return {name: source for name, source in dataset.items() if name not in SHARED}
