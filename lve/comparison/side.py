"""One side of a comparison: a session, a baseline, recorded instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import orjson

from lve.documents.json_lines import canonical_json
from lve.results.records import InstanceResult

FAILED, PASSED, NO_VERDICT = 0, 1, 2
CODES = {"failed": FAILED, "passed": PASSED, "error": NO_VERDICT, "inconclusive": NO_VERDICT}
"""Verdict of an instance -> what a comparison makes of it."""


Hash = Callable[[bytes], int]
"""A sum over some bytes."""


def stable_hash(text: bytes) -> int:
    """Return a sum that is the same in every process; `hash` is faster. 63 bits: two of a million
    texts share one with a chance of 1 in 20 million."""
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1


class Row(NamedTuple):
    """A result, as pairing needs it."""

    test: str
    model: str
    source: str
    line: int
    repeat: int
    args: int
    """A sum over the args: those of one side and the other are equal where the args are."""
    verdict: int
    """`FAILED`, `PASSED` or `NO_VERDICT`."""
    where: int
    """By which its side finds the whole result."""
    is_advisory: bool = False


@dataclass(frozen=True, slots=True)
class SideFacts:
    """What is known of all results of a side."""

    name: str
    """How messages call it: `session 20261122-...`, a file."""
    short: str
    """How a table calls it, if it has to tell it from the other side."""
    started: str = ""
    """ISO 8601; empty where it isn't known."""
    commit: str | None = None
    models: tuple[str, ...] = ()
    sums: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Test -> SHA-256 sums of its parts, as in `session.json`."""
    known_sums: frozenset[str] | None = None
    """Which of a test's sums it has at all; None: all."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the run, as in `session.json`."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role -> the model that had it."""
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Model -> the ids that its server reported."""
    lve: str | None = None
    """Version of lve."""
    has_stable_hashes: bool = False
    """Whether it keeps sums over args (`stable_hash`) in place of the args."""
    left_out: int = 0
    """Recorded verdicts that no model has earned: a person wrote the answers."""
    earlier: Mapping[tuple[str, str], SideFacts] = field(default_factory=dict)
    """Test and model -> what is known of their results, where they ran in an earlier session."""

    def of(self, test: str, model: str) -> SideFacts:
        """Return what is known of the results of a test and model."""
        return self.earlier.get((test, model), self)


class Side(Protocol):
    """Gives the results of one side. They are read anew each time."""

    @property
    def facts(self) -> SideFacts:
        """What is known of all of them."""
        ...

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield its results. Of two with the same test, model, place, repeat and args the last one
        counts.

        Args:
            hash_of: for args; without effect on a side that has its own sums.

        Raises:
            LveError: they can't be read.
        """
        ...

    def result(self, where: int) -> InstanceResult | None:
        """Return a whole result; None if the side doesn't keep answers, or it is gone.

        Args:
            where: of its row.
        """
        ...


def hash_args(args: Mapping[str, Any], hash_of: Hash = stable_hash) -> int:
    """Return a sum over args, equal for args that mean the same: null means not given."""
    if None in args.values():
        args = {name: value for name, value in args.items() if value is not None}
    try:
        text = orjson.dumps(args, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer of more than 64 bits, half a surrogate pair
        text = canonical_json(args).encode("ascii")
    return hash_of(text)
