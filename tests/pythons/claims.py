"""What pyproject.toml claims: versions of Python, and the lowest versions of packages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
FOR_DEVELOPERS = "dev"
"""Prefix of the extras that no user installs."""
_VERSION = re.compile(r"Programming Language :: Python :: (3\.\d+)")


def project() -> dict[str, Any]:
    """Return the table `project`."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def versions() -> list[str]:
    """Return the versions of Python, such as `3.11`, oldest first."""
    matches = map(_VERSION.fullmatch, project()["classifiers"])
    return [match[1] for match in matches if match]


def dependencies() -> list[Requirement]:
    """Return what every installation needs."""
    return [Requirement(one) for one in project()["dependencies"]]


def extras() -> dict[str, list[Requirement]]:
    """Return extra -> what it adds, for the extras that users install."""
    table = project()["optional-dependencies"]
    return {
        name: [Requirement(one) for one in needed]
        for name, needed in table.items()
        if not name.startswith(FOR_DEVELOPERS)
    }


def lowest(requirements: Iterable[Requirement]) -> list[str]:
    """Return the lines of a constraints file that allows the lowest versions alone.

    Raises:
        ValueError: a requirement has no lower bound.
    """
    return [f"{one.name}=={lower_bound(one)}" for one in requirements]


def lower_bound(requirement: Requirement) -> str:
    """Return the lowest version that a requirement allows.

    Raises:
        ValueError: there is none.
    """
    for part in requirement.specifier:
        if part.operator in (">=", "==", "~="):
            return part.version
    raise ValueError(f"{requirement} has no lower bound")
