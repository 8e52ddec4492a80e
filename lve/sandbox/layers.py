"""What this machine has to keep code of strangers in a sandbox."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lve.sandbox import landlock, seccomp


class Layer(NamedTuple):
    """A part of the sandbox."""

    name: str
    """One word, as `session.json` has it."""
    keeps: str
    """What it keeps code from."""
    is_there: bool
    detail: str
    """Its version, or why it isn't there."""


@lru_cache(maxsize=1)
def layers() -> tuple[Layer, ...]:
    """Return all layers. Nothing is started or changed."""
    return tuple(_layers())


def _layers() -> Iterator[Layer]:
    files, calls = "other files, and writing", "the network, other processes and the kernel"
    if sys.platform != "linux":
        why = f"lve has a sandbox on Linux only, and this is {sys.platform}"
        yield Layer("landlock", files, False, why)
        yield Layer("seccomp", calls, False, why)
        return
    abi = landlock.version()
    why = f"version {abi}" if abi else "the kernel is older than 5.13, or has it switched off"
    yield Layer("landlock", files, abi > 0, why)
    has_filter = seccomp.is_available()
    why = "x86-64 or ARM64" if has_filter else "the system, its container or processor has none"
    yield Layer("seccomp", calls, has_filter, why)


def missing() -> tuple[Layer, ...]:
    """Return the layers that this machine doesn't have."""
    return tuple(layer for layer in layers() if not layer.is_there)


def missing_text() -> str | None:
    """Return what code of tests isn't kept from on this machine; None if the sandbox is whole."""
    gone = missing()
    if not gone:
        return None
    said = "; nor from ".join(f"{layer.keeps} ({layer.name}: {layer.detail})" for layer in gone)
    return f"code of tests isn't kept from {said}"
