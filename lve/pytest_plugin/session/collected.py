"""What is checked and chosen when pytest has collected tests of models, before the first runs."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from lve.errors import with_code
from lve.pytest_plugin import marks, options
from lve.pytest_plugin.lve_items import LveItem
from lve.pytest_plugin.session import gating, sharding, workers


def prepare(config: pytest.Config, items: list[pytest.Item], ours: Iterable[LveItem]) -> None:
    """Refuse options that would make results wrong, and select the items of this shard.

    Args:
        config: pytest's configuration.
        items: all items; those of other shards are removed.
        ours: lve's items.

    Raises:
        pytest.UsageError: an option can't be used with these items, or a file can't be used.
    """
    with workers.refusing(config):
        marks.refuse_reruns(config, list(ours))
        if problems := options.refused(config):
            raise pytest.UsageError(with_code("; ".join(problems), "usage"))
        gating.prepare(config)
        if options.options_of(config).run.shard is not None:
            sharding.take_part(config, items)
        if not options.looks_only(config):
            gating.refuse_unwritable(config)
