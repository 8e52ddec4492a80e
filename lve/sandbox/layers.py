"""Tells which layers of the sandbox this machine supports."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache

from lve.named_tuples import NamedTuple
from lve.sandbox import landlock, seccomp


class Layer(NamedTuple):
    """A layer of the sandbox."""

    name: str
    """One word, used in `session.json`."""
    blocks: str
    """What the layer blocks."""
    is_available: bool
    detail: str
    """Its version, or why it isn't available."""


@lru_cache(maxsize=1)
def layers() -> tuple[Layer, ...]:
    """Return all layers, available or not."""
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
    """Return the layers that aren't available on this machine."""
    return tuple(layer for layer in layers() if not layer.is_available)


def missing_text() -> str | None:
    """Return a sentence that names what isn't blocked on this machine, None if all layers are
    available."""
    parts = [f"{layer.blocks} ({layer.name}: {layer.detail})" for layer in missing()]
    return f"code of tests isn't kept from {'; nor from '.join(parts)}" if parts else None
