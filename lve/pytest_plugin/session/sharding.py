"""`--lve-shard 3/8`: runs only a part of the items that pytest has selected.

pytest selects first (`-k`, `-m`, paths), the same items in all shards. Then each shard takes its
part by the rule of `lve run --shard`. The session records the whole selection, so that `lve session
merge` can check that all shards had the same one. Items that aren't lve's run in every shard.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lve.options.shard_number import parse_shard
from lve.pipeline.choosing.repeats import stays_whole
from lve.pipeline.choosing.sharding import belongs
from lve.pipeline.spec_for_model import for_model
from lve.pytest_plugin.item_protocol import ITEMS_OF_ALL_SHARDS, LveItem, is_lve_item, lve_items
from lve.pytest_plugin.options import WORKSPACE, looks_only, options_of
from lve.pytest_plugin.session.bridge import bridge_of
from lve.pytest_plugin.session.session_end import CLOSE
from lve.spec.spec import Instance

_DONE = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


def take_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove the items of other shards from `items`, and deselect them.

    Raises:
        pytest.UsageError: the selection depends on the machine (`--lf`).
    """
    if config.getoption("lf", default=False):
        raise pytest.UsageError(
            "--lve-shard can't be used with --lf: each machine has its own notes of what failed "
            "last, so the shards would be parts of different runs. Use --lve-failed-in SESSION"
        )
    config.stash[ITEMS_OF_ALL_SHARDS] = list(lve_items(items))
    share = _Share(config)
    own: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        if is_lve_item(item):
            item.instances = tuple(share.of(item))
        (own if not is_lve_item(item) or item.instances else others).append(item)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = own


class _Share:
    """Decides which instances belong to this shard."""

    def __init__(self, config: pytest.Config) -> None:
        self._options = options_of(config).run
        self._settings = config.stash[WORKSPACE].settings
        self._shard = parse_shard(self._options.shard or "")
        self._whole: dict[tuple[str, str], bool] = {}
        """Test and model -> whether all its instances belong to one shard."""

    def of(self, item: LveItem) -> Iterator[Instance]:
        """Yield the instances of an item that belong to this shard."""
        is_whole = self._stays_whole(item)
        for instance in item.selected:
            if belongs(item.spec, item.model or "", instance, self._shard, is_whole=is_whole):
                yield instance

    def _stays_whole(self, item: LveItem) -> bool:
        pair = (item.spec.path, item.model or "")
        if pair not in self._whole:
            spec = for_model(item.spec, pair[1], self._options, self._settings)
            self._whole[pair] = stays_whole(spec, self._options, self._settings)
        return self._whole[pair]


def begin_missing_session(session: pytest.Session) -> None:
    """Begin the session of a shard without items: `lve session merge` needs one of each shard."""
    if _needs_session(session):
        bridge_of(session)


def _needs_session(session: pytest.Session) -> bool:
    """Whether no session has started, for example because the shard has no items. `lve session
    merge` needs a session of each shard."""
    config = session.config
    has_begun = CLOSE in config.stash
    has_ended_well = session.exitstatus in _DONE and not looks_only(config)
    return has_ended_well and not has_begun and bool(config.stash.get(ITEMS_OF_ALL_SHARDS, None))
