"""The findings of `lve doctor`, and its checks of Python, installed packages and the sandbox."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Literal

from packaging.requirements import Requirement

import lve
from lve.named_tuples import NamedTuple
from lve.sandbox.layers import layers

Status = Literal["good", "note", "bad"]


class Finding(NamedTuple):
    """A result of one check."""

    area: str
    """The heading of its group: `Python`, `settings`, the name of a model."""
    what: str
    """The name of the thing that was checked, such as `key`."""
    status: Status
    """`note`: something is missing that may not be needed. `bad`: something will fail."""
    text: str
    hint: str | None = None
    """What the user can do about it."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return self._asdict()


PYTHON = "Python"
EXTRAS = "extras"
SANDBOX = "sandbox"
FOR_DEVELOPERS = "dev"
"""Prefix of the extras for people who develop lve, which aren't checked."""


def machine_findings() -> Iterator[Finding]:
    """Yield findings about Python, the required packages and the extras."""
    where = f"{platform.python_version()} on {platform.system()} ({sys.executable})"
    yield Finding(PYTHON, "Python", "good", where)
    yield Finding(PYTHON, "lve", "good", f"{lve.__version__} ({Path(lve.__file__).parent})")
    extras: dict[str, list[Requirement]] = {}
    for needed in map(Requirement, requires("lve") or ()):
        extra = extra_of(needed)
        if extra is not None:
            extras.setdefault(extra, []).append(needed)
        elif needed.marker is None or needed.marker.evaluate():
            yield package_finding(needed)
    for name, several in extras.items():
        if not name.startswith(FOR_DEVELOPERS):
            yield extra_finding(name, several)


def sandbox_findings() -> Iterator[Finding]:
    """Yield a finding for each layer of the sandbox."""
    for layer in layers():
        keeps = f"keeps the tests' code from {layer.blocks}"
        if layer.is_available:
            yield Finding(SANDBOX, layer.name, "good", f"{keeps} ({layer.detail})")
        else:
            hint = "trust no checker or tool that you haven't read (docs/checkers.md)"
            yield Finding(SANDBOX, layer.name, "note", f"not available: {layer.detail}", hint)


def extra_of(needed: Requirement) -> str | None:
    """Return the extra that a requirement belongs to; None if lve always requires it."""
    if needed.marker is None or needed.marker.evaluate({"extra": ""}):
        return None
    words = [part for part in str(needed.marker).split('"') if part and " " not in part]
    return next((name for name in words if needed.marker.evaluate({"extra": name})), None)


def package_finding(needed: Requirement) -> Finding:
    """Return whether a required package is installed, in a suitable version."""
    installed = _version(needed.name)
    if installed is not None and needed.specifier.contains(installed, prereleases=True):
        return Finding(PYTHON, needed.name, "good", installed)
    text = f"{installed or 'not installed'}, but lve needs {needed.specifier}"
    return Finding(
        PYTHON, needed.name, "bad", text, f"pip install '{needed.name}{needed.specifier}'"
    )


def extra_finding(name: str, needed: list[Requirement]) -> Finding:
    """Return whether the packages of an extra are installed, in suitable versions."""
    versions = {requirement.name: _version(requirement.name) for requirement in needed}
    install = f"pip install 'lve[{name}]'"
    if missing := [package for package, there in versions.items() if there is None]:
        return Finding(EXTRAS, name, "note", f"not installed: {', '.join(missing)}", install)
    old = [
        requirement
        for requirement in needed
        if not requirement.specifier.contains(versions[requirement.name] or "", True)
    ]
    if old:
        text = ", ".join(
            f"{requirement.name} {versions[requirement.name]} (lve needs {requirement.specifier})"
            for requirement in old
        )
        return Finding(EXTRAS, name, "bad", text, install)
    return Finding(EXTRAS, name, "good", ", ".join(f"{n} {there}" for n, there in versions.items()))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
