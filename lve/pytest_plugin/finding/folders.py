"""Decides in which folders the plugin collects tests of models."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import pytest

from lve.file_names import DOCUMENT_NAMES, ROOT_MARKERS
from lve.pytest_plugin.options import options_of


def is_selected(path: Path, config: pytest.Config) -> bool:
    """Whether `lve_paths` includes this path."""
    folders = options_of(config).paths
    return folders is None or any(path.is_relative_to(folder) for folder in folders)


def left_out(config: pytest.Config, *, is_empty: bool) -> list[str]:
    """Return a message for each path of the command line whose tests are not collected because of
    `lve_paths`.

    Args:
        config: pytest's configuration.
        is_empty: whether nothing was collected; if so, tests in folders below a path count, too.
    """
    folders = options_of(config).paths
    if folders is None or config.args_source is not pytest.Config.ArgsSource.ARGS:
        return []
    here = config.invocation_params.dir
    places = {argument.partition("::")[0]: _place(argument, config) for argument in config.args}
    paths = " ".join(os.path.relpath(folder, here) for folder in folders)
    return [
        f"lve: tests in {name} are not collected, because `lve_paths` of the ini is {paths}"
        for name, place in places.items()
        if not any(_are_nested(place, folder) for folder in folders)
        and _has_tests(place, below=is_empty)
    ]


def _place(argument: str, config: pytest.Config) -> Path:
    """Return the absolute path of an argument of the command line, without `..`, as pytest does."""
    path = config.invocation_params.dir / argument.partition("::")[0]
    return Path(os.path.abspath(path))  # noqa: PTH100


def _are_nested(folder: Path, other: Path) -> bool:
    return folder.is_relative_to(other) or other.is_relative_to(folder)


def _has_tests(path: Path, *, below: bool) -> bool:
    if path.name in DOCUMENT_NAMES:
        return path.is_file()
    if any((path / name).is_file() for name in DOCUMENT_NAMES):
        return True
    if not below:
        return False
    from lve.spec.discover import holds_tests  # late: most folders aren't in a workspace

    return holds_tests(path)


def may_hold_tests(path: Path, config: pytest.Config) -> bool:
    """Whether to collect a folder as a tree: it lies in a workspace, and the command line names no
    path inside it.

    Takes two `stat` calls per folder outside of a workspace.
    """
    if not in_workspace(path) or not is_selected(path, config):
        return False
    return not any(_is_below(argument, path, config) for argument in config.args)


def is_link_to_skip(path: Path) -> bool:
    """Whether a folder in a workspace is a symbolic link that must not be followed: it leads to one
    of its own parents, or is itself reached through a link. Two such links can make 2^40 paths."""
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
    """Whether a folder or one of its parents is the root of a workspace."""
    return any(_is_marked(os.fspath(folder)) for folder in (path, *path.parents))


@lru_cache(maxsize=4096)
def _is_marked(folder: str) -> bool:
    return any(os.path.exists(f"{folder}/{marker}") for marker in ROOT_MARKERS)  # noqa: PTH110
