"""Finds files of the Hugging Face hub that are on this machine, without importing transformers."""

from __future__ import annotations

import os
from pathlib import Path

from lve.data.hub_access import hub_access


def downloaded_file(name: str, file: str, *, revision: str | None = None) -> Path | None:
    """Return the path of a model's file in the hub's cache; None if it isn't there.

    Args:
        name: the model's name on the hub.
        file: the file's name.
        revision: a commit, branch or tag; None for the latest.

    Raises:
        ValueError: the hub has no such names.
    """
    with hub_access(download=False):  # only reads the cache
        from huggingface_hub import try_to_load_from_cache

        # transformers before version 5 has its own variable for the cache.
        for folder in (None, os.environ.get("TRANSFORMERS_CACHE") or None):
            cached = try_to_load_from_cache(name, file, cache_dir=folder, revision=revision)
            if isinstance(cached, str):
                return Path(cached)
    return None
