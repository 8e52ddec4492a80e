"""Lists of many tests. All but the first lie packed in memory, because only a few run at a time."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from lve.spec.spec import Spec

MANY = 5000
"""So many tests stay as they are. To pack one of the others, and to unpack it four times, takes
0.85 ms of CPU: a third of what a test that asks no model takes in all."""
_LEVEL = 1
_dictionary = b""
"""The first test that was packed: of those like it, only the differences are kept, 40 bytes instead
of 500."""
_latest: tuple[Spec | None, bytes] = (None, b"")
"""The test that was unpacked last, and what it was: it is often packed next."""


@lru_cache(maxsize=16)
def _path(text: str) -> Path:
    return Path(text)


_REDUCED = {type(Path()): lambda path: (_path, (str(path),))}
"""How paths are pickled: most of a test are equal, and to make one is slow."""


def packed(spec: Spec | bytes) -> bytes:
    """Return a test in a few dozen to a few hundred bytes, for this process alone."""
    if isinstance(spec, bytes):
        return spec
    unpacked, content = _latest
    if unpacked is spec:
        return content
    import pickle  # late, as below: few runs have so many tests
    import zlib

    stream = io.BytesIO()
    pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCED
    pickler.dump(spec)
    global _dictionary
    _dictionary = _dictionary or stream.getvalue()
    compressor = zlib.compressobj(_LEVEL, zdict=_dictionary)
    return compressor.compress(stream.getvalue()) + compressor.flush()


def whole(spec: Spec | bytes) -> Spec:
    """Return a test that may be packed."""
    if isinstance(spec, Spec):
        return spec
    import pickle
    import zlib

    global _latest
    unpacked: Spec = pickle.loads(zlib.decompressobj(zdict=_dictionary).decompress(spec))
    _latest = unpacked, spec
    return unpacked


class Specs(Sequence[Spec]):
    """A list of tests. Those beyond the first `MANY` are equal each time they are read, not the
    same object."""

    def __init__(self, specs: Iterable[Spec] = ()) -> None:
        """Args:
        specs: the first tests.
        """
        self._specs: list[Spec | bytes] = []
        self += specs

    def __getitem__(self, index: Any) -> Any:
        part = self._specs[index]
        return Specs(map(whole, part)) if isinstance(part, list) else whole(part)

    def __len__(self) -> int:
        return len(self._specs)

    def __iter__(self) -> Iterator[Spec]:
        return map(whole, self._specs)

    def __iadd__(self, specs: Iterable[Spec]) -> Self:
        for spec in specs:
            self._specs.append(spec if len(self._specs) < MANY else packed(spec))
        return self

    def drain(self) -> Iterator[Spec]:
        """Yield all tests, and forget each."""
        self._specs.reverse()
        while self._specs:
            yield whole(self._specs.pop())
