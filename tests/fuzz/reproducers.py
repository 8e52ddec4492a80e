"""Makes an input that does wrong smaller, and keeps it as a file that does it again."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

from .attempts import Parts

Fails = Callable[[Parts], bool]
LONGEST_S = 20.0
"""For making one input smaller."""


def smaller(parts: Parts, fails: Fails, *, longest_s: float = LONGEST_S) -> Parts:
    """Return a part of an input that still does the same.

    Args:
        parts: the input.
        fails: tells whether an input does the same.
        longest_s: seconds after which the smallest so far is returned.
    """
    until = time.monotonic() + longest_s
    best, is_smaller = dict(parts), True
    while is_smaller:
        is_smaller = False
        for candidate in _candidates(best):
            if time.monotonic() > until:
                return best
            if fails(candidate):
                best, is_smaller = candidate, True
                break
    return best


def _candidates(parts: dict[str, bytes]) -> Iterator[dict[str, bytes]]:
    """Yield inputs that are a bit smaller, the smallest first."""
    for name in parts:
        yield {other: data for other, data in parts.items() if other != name}
    for name, data in parts.items():
        size = len(data)
        step = size
        while step:
            for at in range(0, size, step):
                yield {**parts, name: data[:at] + data[at + step :]}
            step = step // 2 if size // max(step // 2, 1) <= 512 else 0


def save(folder: Path, door: str, parts: Parts) -> Path:
    """Write an input to a file of `folder` and return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(
        {"door": door, "parts": {k: v.decode("latin-1") for k, v in parts.items()}}, indent=1
    )
    name = re.sub(r"\W+", "-", door)
    file = folder / f"{name}-{crc32(text.encode()):08x}.json"
    file.write_text(text + "\n", encoding="ascii")
    return file


def load(file: Path) -> tuple[str, Parts]:
    """Return the door and the input of a file."""
    data = json.loads(file.read_text(encoding="ascii"))
    return data["door"], {name: text.encode("latin-1") for name, text in data["parts"].items()}
