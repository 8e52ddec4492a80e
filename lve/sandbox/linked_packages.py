"""Finds packages that links in `site-packages` lead to: uv with `link-mode: symlink`, pex and Bazel
unpack each package into a folder of their own and link its files, or all of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

PACKAGES = ("site-packages", "dist-packages")
METADATA_ENDINGS = (".dist-info", ".egg-info")
MAX_NAMES = 20_000
"""Maximum number of a folder's entries that are read."""
MAX_DEPTH = 30


def linked_packages(site: str) -> Iterator[str]:
    """Yield the files, packages and folders of metadata that links in a folder of packages lead to.
    Nothing wider: of a folder that isn't one of packages, only a linked file itself, or a linked
    package. A package whose first file is no link isn't searched.

    Args:
        site: the folder, without a link in its path.
    """
    covered = [site + os.sep]
    for link, text in _links(site, MAX_DEPTH) if _is_linked(site) else ():
        if os.pardir in text or not text.startswith(tuple(covered)):
            real = os.path.realpath(link)
            if not real.startswith(tuple(covered)) and (place := _place(link[len(site) :], real)):
                covered.append(place + os.sep)
                yield place


def _is_linked(site: str) -> bool:
    """Return whether a package, or the metadata of one, is linked. Few folders have any, so the
    others aren't searched."""
    with suppress(OSError), os.scandir(site) as entries:
        return any(
            entry.is_symlink()
            or (entry.name.endswith(".dist-info") and _may_have_links(entry.path))
            for _, entry in zip(range(MAX_NAMES), entries, strict=False)
        )
    return False


def _links(folder: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the links in a folder and the folders below it, each with its text."""
    with suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(MAX_NAMES), entries, strict=False):
            if entry.is_symlink():
                yield entry.path, os.readlink(entry.path)  # noqa: PTH115
            elif depth and entry.is_dir() and _may_have_links(entry.path):
                yield from _links(entry.path, depth - 1)


def _may_have_links(folder: str) -> bool:
    first = "METADATA" if folder.endswith(METADATA_ENDINGS) else "__init__.py"
    file = os.path.join(folder, first)  # noqa: PTH118
    return os.path.islink(file) or not os.path.exists(file)  # noqa: PTH110, PTH114


def _place(link: str, real: str) -> str | None:
    """Return what may be read because of a link.

    Args:
        link: its path below the folder of packages, such as `/pkg/part/file.py`.
        real: where it leads to.
    """
    top = link[1:].partition(os.sep)[0]
    home = real[: -len(link)]
    if real.endswith(link) and _is_of_packages(home):
        return os.path.join(home, top)  # noqa: PTH118
    is_package = link == os.sep + top and os.path.isfile(real + "/__init__.py")  # noqa: PTH113
    has_its_name = os.path.basename(link) == os.path.basename(real)  # noqa: PTH119
    return real if has_its_name and (is_package or os.path.isfile(real)) else None  # noqa: PTH113


def _is_of_packages(folder: str) -> bool:
    """Return whether a folder holds nothing but packages, as `site-packages` and an unpacked
    package do."""
    if os.path.basename(folder) in PACKAGES:  # noqa: PTH119
        return True
    with suppress(OSError), os.scandir(folder) as entries:
        names = (entry.name for _, entry in zip(range(MAX_NAMES), entries, strict=False))
        return any(name.endswith(METADATA_ENDINGS) for name in names)
    return False
