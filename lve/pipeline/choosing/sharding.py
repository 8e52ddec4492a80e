"""Which instances belong to a shard of a run (`--shard 3/8`).

What is in an instance decides, with its test's path and the model: neither its place nor the
machine. So every shard finds its own without asking the others, and a row that is added moves no
other row.

A test whose repeats end as soon as its pass rate is decided must see all its results to decide that
as a single run does. So it belongs to one shard as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from lve.documents.json_lines import canonical_json
from lve.errors import Problem
from lve.options.shard_number import Shard
from lve.spec.model import Instance, Spec


def in_shard(
    spec: Spec,
    model: str,
    found: Iterator[Instance | Problem],
    shard: Shard,
    *,
    is_whole: bool,
) -> Iterator[Instance | Problem]:
    """Yield those of a test's instances that belong to a shard, and the problems between them.

    Args:
        spec: the test.
        model: that is asked.
        found: its instances.
        shard: which part of the run is wanted.
        is_whole: whether the test belongs to one shard as a whole.
    """
    if is_whole:
        if _shard_of(spec.path, model, None, shard.total) == shard.number:
            yield from found
        return
    for one in found:
        if not isinstance(one, Instance) or belongs(spec, model, one, shard):
            yield one


def belongs(
    spec: Spec, model: str, instance: Instance, shard: Shard, *, is_whole: bool = False
) -> bool:
    """Whether an instance belongs to a shard. Arguments as for `in_shard`."""
    args = None if is_whole else instance.args
    return _shard_of(spec.path, model, args, shard.total) == shard.number


def _shard_of(test: str, model: str, args: Mapping[str, Any] | None, total: int) -> int:
    what = {"test": test, "model": model, "args": None if args is None else dict(args)}
    sum_ = blake2b(canonical_json(what).encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(sum_, "big") % total + 1
