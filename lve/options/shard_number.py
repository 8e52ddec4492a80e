"""Parses the value of `--shard`: `3/8`, the third of eight parts."""

from __future__ import annotations

import re

from lve.escape import head
from lve.named_tuples import NamedTuple

MAX_SHARDS = 10_000
WANTED = "a shard such as 3/8"
_SHARD = re.compile(r"([0-9]{1,5})/([0-9]{1,5})", re.ASCII)


class Shard(NamedTuple):
    """A part of a run that is split into `total` parts."""

    number: int
    """From 1."""
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


def parse_shard(text: str) -> Shard:
    """Parse a shard.

    Raises:
        ValueError: the text isn't valid; the message says why.
    """
    match = _SHARD.fullmatch(text)
    if match is None:
        raise ValueError(f"{WANTED}, not '{head(text, 40)}'")
    shard = Shard(int(match[1]), int(match[2]))
    if shard.total > MAX_SHARDS:
        raise ValueError(f"{WANTED}: up to {MAX_SHARDS:,} shards")
    if not 1 <= shard.number <= shard.total:
        raise ValueError(f"{WANTED}: '{text}' has no such part; they count from 1")
    return shard
