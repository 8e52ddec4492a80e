"""In which folders the plugin looks for tests of models."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import pytest

from lve.conventions import DOCUMENT_NAMES, ROOT_MARKERS
from lve.pytest_plugin import options


def is_selected(path: Path, config: pytest.Config) -> bool:
    """Whether `lve_paths` lets us look at this path, or below it."""
    folders = options.read(config).paths
    return folders is None or any(path.is_relative_to(folder) for folder in folders)


def left_out(config: pytest.Config, *, is_empty: bool) -> list[str]:
    """Return a line for each path of the command line that has tests and isn't looked at because of
    `lve_paths`.

    Args:
        config: pytest's.
        is_empty: whether nothing was collected: then tests in the folders below count, too.
    """
    folders = options.read(config).paths
    if folders is None or config.args_source is not pytest.Config.ArgsSource.ARGS:
        return []
    here = config.invocation_params.dir
    named = {argument.partition("::")[0]: _place(argument, config) for argument in config.args}
    shown = " ".join(os.path.relpath(folder, here) for folder in folders)
    return [
        f"lve: tests in {name} are not collected, because `lve_paths` of the ini is {shown}"
        for name, place in named.items()
        if not any(_are_nested(place, folder) for folder in folders)
        and _has_tests(place, below=is_empty)
    ]


def _place(argument: str, config: pytest.Config) -> Path:
    """Return the path that an argument of the command line names, without `..`, as pytest does."""
    path = config.invocation_params.dir / argument.partition("::")[0]
    return Path(os.path.abspath(path))  # noqa: PTH100


def _are_nested(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _has_tests(path: Path, *, below: bool) -> bool:
    if path.name in DOCUMENT_NAMES:
        return path.is_file()
    if any((path / name).is_file() for name in DOCUMENT_NAMES):
        return True
    if not below:
        return False
    from lve.errors import UsageError
    from lve.spec.discover import discover

    try:
        return any(True for _ in discover([path], report=lambda problem: None))
    except UsageError:
        return False


def may_hold_tests(path: Path, config: pytest.Config) -> bool:
    """Whether to look into a folder: it lies in a workspace, and nothing deeper was asked for.

    Costs two `stat` calls per folder where there is no workspace.
    """
    if not in_workspace(path) or not is_selected(path, config):
        return False
    return not any(_is_below(argument, path, config) for argument in config.args)


def is_astray(path: Path) -> bool:
    """Whether a folder is a link that leads to a folder above it, or is reached through another
    link: in a workspace pytest doesn't follow these. Two links would be 2^40 folders."""
    if not path.is_symlink() or not in_workspace(path.parent):
        return False
    if any(folder.is_symlink() for folder in path.parents if in_workspace(folder.parent)):
        return True
    return Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(path))


def _is_below(argument: str, path: Path, config: pytest.Config) -> bool:
    """Whether a command-line argument names something inside the folder."""
    place = _place(argument, config)
    return place != path and place.is_relative_to(path)


def in_workspace(path: Path) -> bool:
    """Whether the folder, or one above it, is a workspace root."""
    return any(_is_marked(os.fspath(folder)) for folder in (path, *path.parents))


@lru_cache(maxsize=4096)
def _is_marked(folder: str) -> bool:
    return any(os.path.exists(f"{folder}/{marker}") for marker in ROOT_MARKERS)  # noqa: PTH110
