"""`--lve-shard 3/8`: which part of what pytest has selected runs here.

pytest's own selection (`-k`, `-m`, paths) comes first, the same in all shards; then each takes its
part of it, by the rule of `lve run --shard`. The session notes the whole selection, so that
`lve merge` sees whether the shards had the same one. Items that aren't lve's run in every shard.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lve.options.shard_number import parse_shard
from lve.pipeline.choosing.select import stays_whole
from lve.pipeline.choosing.sharding import belongs
from lve.pipeline.model_args import for_model
from lve.pytest_plugin import options
from lve.pytest_plugin.lve_items import OF_ALL_SHARDS, LveItem, is_lve_item, lve_items
from lve.pytest_plugin.session.session_end import CLOSE
from lve.spec.model import Instance

_DONE = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)


def take_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave this shard's part of the items in the list; deselect what is another's.

    Raises:
        pytest.UsageError: what is selected depends on the machine.
    """
    if config.getoption("lf", default=False):
        raise pytest.UsageError(
            "--lve-shard can't be used with --lf: each machine has its own notes of what failed "
            "last, so the shards would be parts of different runs. Use --lve-failed-in SESSION"
        )
    config.stash[OF_ALL_SHARDS] = list(lve_items(items))
    share = _Share(config)
    kept: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        if is_lve_item(item):
            item.instances = tuple(share.of(item))
        (kept if not is_lve_item(item) or item.instances else others).append(item)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = kept


class _Share:
    """What belongs to the shard."""

    def __init__(self, config: pytest.Config) -> None:
        self._options = options.read(config).run
        self._settings = config.stash[options.WORKSPACE].settings
        self._shard = parse_shard(self._options.shard or "")
        self._whole: dict[tuple[str, str], bool] = {}
        """Test and model -> whether one shard has all of it."""

    def of(self, item: LveItem) -> Iterator[Instance]:
        """Yield the instances of an item that belong to the shard."""
        is_whole = self._stays_whole(item)
        for one in item.selected:
            if belongs(item.spec, item.model or "", one, self._shard, is_whole=is_whole):
                yield one

    def _stays_whole(self, item: LveItem) -> bool:
        pair = (item.spec.path, item.model or "")
        if pair not in self._whole:
            spec = for_model(item.spec, pair[1], self._options, self._settings)
            self._whole[pair] = stays_whole(spec, self._options, self._settings)
        return self._whole[pair]


def lacks_session(session: pytest.Session) -> bool:
    """Whether no session has begun, because the shard has no items, say: `lve merge` needs one of
    each shard."""
    config = session.config
    has_begun = CLOSE in config.stash
    has_ended_well = session.exitstatus in _DONE and not options.looks_only(config)
    return has_ended_well and not has_begun and bool(config.stash.get(OF_ALL_SHARDS, None))
