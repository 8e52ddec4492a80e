"""Decides which instances belong to a shard of a run (`--shard 3/8`).

A hash of test path, model and the instance's args decides, so every machine finds its own instances
without asking the others, and adding a row moves no other row to another shard.

A test whose repeats end as soon as its pass rate is decided belongs to one shard as a whole: only
with all its results can it stop where a single run would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b

from lve.documents.json_lines import canonical_json
from lve.errors import Problem
from lve.options.shard_number import Shard
from lve.spec.spec import Instance, Spec


def in_shard(
    spec: Spec, model: str, instances: Iterator[Instance | Problem], shard: Shard, *, is_whole: bool
) -> Iterator[Instance | Problem]:
    """Yield the instances of a test that belong to a shard, and the problems between them.

    Args:
        spec: the test.
        model: the model that it runs against.
        instances: the test's instances.
        shard: the shard.
        is_whole: whether the test belongs to one shard as a whole.
    """
    if is_whole:
        if _shard_of(spec.path, model, None, shard.total) == shard.number:
            yield from instances
        return
    for instance in instances:
        if not isinstance(instance, Instance) or belongs(spec, model, instance, shard):
            yield instance


def belongs(
    spec: Spec, model: str, instance: Instance, shard: Shard, *, is_whole: bool = False
) -> bool:
    """Whether an instance belongs to a shard; arguments as `in_shard`."""
    args = None if is_whole else instance.args
    return _shard_of(spec.path, model, args, shard.total) == shard.number


def _shard_of(test: str, model: str, args: Mapping[str, object] | None, total: int) -> int:
    key = {"test": test, "model": model, "args": None if args is None else dict(args)}
    digest = blake2b(canonical_json(key).encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % total + 1
