"""Finds settings files that have no effect although they look as if they had."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from lve.conventions import SETTINGS_FILE
from lve.pipeline.loading import existing_part
from lve.workspace import PYPROJECT, Workspace, display_path, has_tool_table

SHOWN = 3
"""Files that are named."""


def unused_settings(
    paths: Sequence[str | Path], workspace: Workspace, *, cwd: Path | None = None
) -> str | None:
    """Return a warning about settings files above a path or the current folder that don't count,
    because only those of the workspace's root do. None if there are none.

    Args:
        paths: of tests, as the user names them.
        workspace: whose settings count.
        cwd: the user's folder, if not the current one.
    """
    here = (cwd or Path.cwd()).absolute()
    root = workspace.root.absolute()
    places = (here, *(existing_part(here / path) for path in paths))
    files = [*dict.fromkeys(file for place in places for file in _settings_above(place, root))]
    if not files:
        return None
    named = ", ".join(str(display_path(file)) for file in files[:SHOWN])
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    is_one = len(files) == 1
    return f"{named}{more} {'is' if is_one else 'are'} not used: the workspace is {_named(root)}"


def _settings_above(place: Path, root: Path) -> Iterator[Path]:
    """Yield the settings in a folder and those above, below a root."""
    for folder in (place, *place.parents) if place.is_relative_to(root) else ():
        if folder == root:
            return
        if os.path.isfile(folder / SETTINGS_FILE):  # noqa: PTH113 (False for a locked folder)
            yield folder / SETTINGS_FILE
        if has_tool_table(folder / PYPROJECT):
            yield folder / PYPROJECT


def _named(root: Path) -> str:
    place = os.path.relpath(root)
    return "this folder" if place == os.curdir else place
