"""Lists of many tests. All but the first lie packed in memory, because only a few run at a time and
a test takes four kilobytes."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from lve.spec.spec import Spec

MANY = 1000
"""So many tests stay as they are. Packing one and unpacking it each take some 80 microseconds."""
_LEVEL = 1
_latest: tuple[Spec | None, bytes] = (None, b"")
"""The test that was unpacked last, and what it was: it is often packed next."""


def packed(spec: Spec | bytes) -> bytes:
    """Return a test in a few hundred bytes, for this process alone."""
    if isinstance(spec, bytes):
        return spec
    unpacked, content = _latest
    if unpacked is spec:
        return content
    return zlib.compress(pickle.dumps(spec, pickle.HIGHEST_PROTOCOL), _LEVEL)


def whole(spec: Spec | bytes) -> Spec:
    """Return a test that may be packed."""
    if isinstance(spec, Spec):
        return spec
    global _latest
    unpacked: Spec = pickle.loads(zlib.decompress(spec))
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
