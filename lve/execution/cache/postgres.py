"""Reads, claims and writes the completions of a team in PostgreSQL, synchronously.

`shared.py` makes it concurrent. What the claims guarantee: of all machines that want an answer that
nobody has, one gets the claim and asks; the others wait for its answer. A claim is a row without a
value. It ends with the answer, when its owner gives it up, or when the owner hasn't renewed it for
`LEASE_S`. A server that was down gives all owners a whole lease to come back. All times are the
server's. Every statement may be sent again after a broken connection: nothing is doubled.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from lve.execution.cache.value import Stored
from lve.store.server import StoreServer

LEASE_S = 60.0
MAX_VALUE_BYTES = 16_000_000
"""Largest completion that is shared."""
MAX_READ_BYTES = 64_000_000
"""Of completions that travel together."""
_CLAIM = """
INSERT INTO lve_completions AS c (key, model, owner, until)
SELECT k, '', %(owner)s, clock_timestamp() + %(lease)s
FROM unnest(%(keys)s::bytea[]) AS k
WHERE NOT EXISTS (SELECT FROM lve_completions s WHERE s.key = k
  AND (s.value IS NOT NULL OR s.owner <> %(owner)s AND s.until > clock_timestamp()))
ORDER BY k
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE c.value IS NULL AND (c.owner = excluded.owner OR (c.until < clock_timestamp()
  AND pg_postmaster_start_time() < clock_timestamp() - %(lease)s))
RETURNING key"""
_READ = """
SELECT key, CASE WHEN size <= %(most)s AND before <= %(room)s THEN value END, size > %(most)s
FROM (SELECT key, value, octet_length(value) AS size,
  sum(least(octet_length(value), %(most)s)) OVER (ORDER BY key) AS before
  FROM lve_completions WHERE key = ANY(%(keys)s) AND value IS NOT NULL) AS r"""
_WRITE = """
INSERT INTO lve_completions (key, model, created, value)
SELECT * FROM unnest(%s::bytea[], %s::text[], %s::float8[], %s::bytea[]) AS r(k, m, c, v) ORDER BY k
ON CONFLICT (key) DO UPDATE SET model = excluded.model, created = excluded.created,
  value = excluded.value, owner = NULL, until = NULL"""
_RELEASE = """
DELETE FROM lve_completions WHERE key IN (SELECT key FROM lve_completions
  WHERE key = ANY(%s) AND owner = %s AND value IS NULL ORDER BY key FOR UPDATE)"""
_RENEW = """
UPDATE lve_completions SET until = clock_timestamp() + %s WHERE key IN
  (SELECT key FROM lve_completions WHERE owner = %s AND value IS NULL ORDER BY key FOR UPDATE)"""


@dataclass(slots=True)
class Turn:
    """What one turn of the loop wants of the server."""

    keys: list[bytes] = field(default_factory=list)
    """To look up, or to claim where there is no answer."""
    rows: list[Stored] = field(default_factory=list)
    released: list[bytes] = field(default_factory=list)
    """Claims to give up."""


@dataclass(slots=True)
class Found:
    """What the server said. Its rows may be forged: nothing of it is checked here."""

    claimed: set[Any]
    values: dict[Any, Any]
    """None: too large to be one of lve's."""


class PostgresStore:
    """The completions of a team's server. Use it from one thread, as `StoreServer` says."""

    def __init__(self, server: StoreServer, *, lease_s: float = LEASE_S) -> None:
        """
        Args:
            server: where they are.
            lease_s: how long a claim lasts without its owner.
        """
        self.server = server
        self.owner = uuid.uuid4()
        self.lease_s = lease_s

    def turn(self, wanted: Turn) -> Found:
        """Do all that a turn of the loop wants, in one round trip.

        Raises:
            psycopg.Error: it couldn't be done; where `is_transient` says so, it may be tried again.
            SessionError: as `StoreServer.connected`.
        """
        connection = self.server.connected()
        claims = reads = None
        with connection.pipeline() as pipeline:
            # Each step is a transaction of its own: together they could lock each other out.
            if wanted.rows:
                columns = zip(*sorted({row[0]: row for row in wanted.rows}.values()), strict=True)
                connection.execute(_WRITE, [list(column) for column in columns])
                pipeline.sync()
            if wanted.released:
                connection.execute(_RELEASE, (wanted.released, self.owner))
                pipeline.sync()
            if wanted.keys:
                claims = connection.execute(_CLAIM, self._claim_of(wanted.keys), binary=True)
                pipeline.sync()
                limits = {"most": MAX_VALUE_BYTES, "room": MAX_READ_BYTES, "keys": wanted.keys}
                reads = connection.execute(_READ, limits, binary=True)
        return Found({row[0] for row in claims or ()}, dict(_sent(reads or ())))

    def renew(self) -> None:
        """Keep all claims for another lease.

        Raises:
            psycopg.Error, SessionError: as `turn`.
        """
        self.server.connected().execute(_RENEW, (self._lease, self.owner))

    @property
    def _lease(self) -> timedelta:
        return timedelta(seconds=self.lease_s)

    def _claim_of(self, keys: Sequence[bytes]) -> dict[str, Any]:
        return {"owner": self.owner, "lease": self._lease, "keys": list(keys)}


def _sent(rows: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield keys and values, without those for which there was no room this time."""
    for key, value, is_too_large in rows:
        if value is not None or is_too_large:
            yield key, value
