"""Reads, claims and writes the completions of a team in PostgreSQL, synchronously.

`shared.py` makes it concurrent. Claims work like this: of all machines that want an answer which
isn't stored yet, one gets the claim and asks the model; the others wait for its answer. A claim is
a row without a value. It ends when the answer is stored, when its owner gives it up, or when the
owner hasn't renewed it for `LEASE_S`. After the server was down, all owners have a whole lease to
reconnect. All times are the server's. Every statement may safely be sent again after a broken
connection.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from lve.data_classes import dataclass, field
from lve.execution.cache.value import Stored
from lve.extensions.store.driver import Row
from lve.extensions.store.server import StoreServer
from lve.extensions.store.values import rows_of

LEASE_S = 60.0
"""Seconds that a claim lasts without being renewed."""
MAX_LEASE_S = 600.0
"""A claim that lasts longer isn't lve's. Far above `LEASE_S`, for other versions of lve."""
MAX_VALUE_BYTES = 16_000_000
"""Size of the largest completion that is shared."""
MAX_READ_BYTES = 64_000_000
"""Most bytes of completions in one reply."""
_CLAIM = """
INSERT INTO lve_completions AS c (key, model, owner, until)
SELECT k, '', %(owner)s, clock_timestamp() + %(lease)s
FROM unnest(%(keys)s::bytea[]) AS k
WHERE NOT EXISTS (SELECT FROM lve_completions s WHERE s.key = k
  AND (s.value IS NOT NULL OR s.owner <> %(owner)s AND s.until > clock_timestamp()
    AND s.until < clock_timestamp() + %(longest)s))
ORDER BY k
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE c.value IS NULL AND (c.owner = excluded.owner OR (c.until < clock_timestamp()
  AND pg_postmaster_start_time() < clock_timestamp() - %(lease)s)
  OR c.owner IS NULL OR c.until IS NULL OR c.until > clock_timestamp() + %(longest)s)
RETURNING key"""
"""Claims keys. A claim without an owner or an end, or with an end later than any lve sets, doesn't
count."""
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
class StoreRequest:
    """Everything that one turn of the event loop wants from the server."""

    keys: list[bytes] = field(default_factory=list)
    """Keys to look up, and to claim if they have no answer."""
    rows: list[Stored] = field(default_factory=list)
    """Completions to store."""
    released: list[bytes] = field(default_factory=list)
    """Keys whose claims are given up."""


@dataclass(slots=True)
class StoreReply:
    """The server's reply. Its values may be forged; they are checked when they are used."""

    claimed: set[bytes]
    """Keys that are claimed now."""
    values: dict[bytes, bytes | None]
    """Key -> stored completion; None if it is too large to be one of lve's."""


class PostgresStore:
    """The completions of a team's server. Use it from one thread, as `StoreServer` says."""

    def __init__(self, server: StoreServer, *, lease_s: float = LEASE_S) -> None:
        """
        Args:
            server: the server.
            lease_s: seconds that a claim lasts without being renewed.
        """
        self.server = server
        self.owner = uuid.uuid4()
        self.lease_s = lease_s

    def send(self, request: StoreRequest) -> StoreReply:
        """Send a request, in one round trip, and return the reply.

        Raises:
            psycopg.Error: it failed; if `is_transient` says so, it may be tried again.
            SessionError: as `StoreServer.connected`.
        """
        connection = self.server.connected()
        claims = reads = None
        with connection.pipeline() as pipeline:
            # Each step is a transaction of its own, so that machines can't deadlock.
            if request.rows:
                columns = zip(*sorted({row[0]: row for row in request.rows}.values()), strict=True)
                connection.execute(_WRITE, [list(column) for column in columns])
                pipeline.sync()
            if request.released:
                connection.execute(_RELEASE, (request.released, self.owner))
                pipeline.sync()
            if request.keys:
                claims = connection.execute(_CLAIM, self._claim_of(request.keys), binary=True)
                pipeline.sync()
                limits = {"most": MAX_VALUE_BYTES, "room": MAX_READ_BYTES, "keys": request.keys}
                reads = connection.execute(_READ, limits, binary=True)
        return StoreReply(
            {key for (key,) in rows_of(claims or (), bytes)},
            dict(_sent(rows_of(reads or (), bytes, bytes | None, bool))),
        )

    def renew(self) -> None:
        """Renew all claims for another lease.

        Raises:
            psycopg.Error, SessionError: as `send`.
        """
        self.server.connected().execute(_RENEW, (self._lease, self.owner))

    @property
    def _lease(self) -> timedelta:
        return timedelta(seconds=self.lease_s)

    def _claim_of(self, keys: Sequence[bytes]) -> dict[str, object]:
        longest = timedelta(seconds=MAX_LEASE_S)
        return {"owner": self.owner, "lease": self._lease, "longest": longest, "keys": list(keys)}


def _sent(rows: Iterable[Row]) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield keys and values, without those that had no room in this reply."""
    for key, value, is_too_large in rows:
        if value is not None or is_too_large:
            yield key, value
