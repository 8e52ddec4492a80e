"""One side of a comparison: a session, a baseline, recorded instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Protocol

import orjson

from lve.data_classes import dataclass, field
from lve.documents.json_lines import canonical_json
from lve.named_tuples import NamedTuple
from lve.sessions.instance_result import InstanceResult

FAILED, PASSED, NO_VERDICT = 0, 1, 2
CODES = {"failed": FAILED, "passed": PASSED, "error": NO_VERDICT, "inconclusive": NO_VERDICT}
"""Verdict of an instance -> its code in a comparison."""
REVISION_PREFIX = "git:"
"""Before the name of a git revision whose recorded instances are a side."""


Hash = Callable[[bytes], int]
"""A hash function."""


def stable_hash(text: bytes) -> int:
    """Return a hash of 63 bits that is the same in every process. (`hash` is faster, but isn't.)

    In a million texts, the chance of a collision is 1 in 20 million.
    """
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1


class Row(NamedTuple):
    """The fields of a result that pairing needs."""

    test: str
    model: str
    source: str
    line: int
    repeat: int
    args: int
    """Hash of the args, by the same function on both sides."""
    verdict: int
    """`FAILED`, `PASSED` or `NO_VERDICT`."""
    where: int
    """Position of the whole result, for `Side.result`."""
    is_advisory: bool = False


@dataclass(frozen=True, slots=True)
class SideFacts:
    """Facts about all results of a side: what ran."""

    name: str
    """Name in messages: `session 20261122-...`, or a file."""
    short: str
    """Short name, for tables."""
    started: str = ""
    """Start in ISO 8601; empty if unknown."""
    commit: str | None = None
    models: tuple[str, ...] = ()
    sums: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Test -> SHA-256 sums of its parts, as in `session.json`."""
    known_sums: frozenset[str] | None = None
    """Names of the sums that this side can have; None: all."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the run, as in `session.json`."""
    picked: tuple[str, ...] = ()
    """Options by which the user left out tests or instances (`limit`)."""
    ended: str = ""
    """How it ended if it hasn't run everything (`budget`); empty if it has."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role -> the model that had it."""
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Model -> the model ids that its server reported."""
    lve: str | None = None
    """Version of lve."""
    has_stable_hashes: bool = False
    """Whether the side has stable hashes of args (`stable_hash`) instead of args."""
    left_out: int = 0
    """Number of recorded verdicts on handwritten answers, which are left out."""
    earlier: Mapping[tuple[str, str], SideFacts] = field(default_factory=dict)
    """Test and model -> facts about results that a baseline kept from an earlier session."""

    def of(self, test: str, model: str) -> SideFacts:
        """Return the facts about the results of a test and model."""
        return self.earlier.get((test, model), self)


class Side(Protocol):
    """One side of a comparison. Results are read again in each call."""

    @property
    def facts(self) -> SideFacts:
        """Facts about all results."""
        ...

    def rows(self, hash_of: Hash = stable_hash) -> Iterator[Row]:
        """Yield the results. Of two with the same test, model, place, repeat and args the last one
        counts.

        Args:
            hash_of: the hash function for args; without effect if `facts.has_stable_hashes`.

        Raises:
            LveError: the results can't be read.
        """
        ...

    def result(self, where: int) -> InstanceResult | None:
        """Return a whole result; None if the side doesn't keep answers, or the result is gone.

        Args:
            where: `Row.where`.
        """
        ...


def hash_args(args: Mapping[str, object], hash_of: Hash = stable_hash) -> int:
    """Return a hash of args. A null arg counts as not given."""
    if None in args.values():
        args = {name: value for name, value in args.items() if value is not None}
    try:
        text = orjson.dumps(args, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer of more than 64 bits, half a surrogate pair
        text = canonical_json(args).encode("ascii")
    return hash_of(text)
