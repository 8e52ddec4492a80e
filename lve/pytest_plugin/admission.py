"""Decides which of the items that pytest has collected run: those of this shard, and none under
options that would make results wrong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lve.errors import with_code
from lve.pytest_plugin.item_protocol import LveItem
from lve.pytest_plugin.marks import refuse_reruns
from lve.pytest_plugin.options import looks_only, options_of, refused
from lve.pytest_plugin.session import gating, sharding, workers
from lve.pytest_plugin.session.session_end import end_at_sigterm


def admit(config: pytest.Config, items: list[pytest.Item], own: Sequence[LveItem]) -> None:
    """Remove the items of other shards from `items`, and prepare the comparison with a baseline.

    Args:
        config: of this run.
        items: all items, in their order.
        own: the items of lve, each once.

    Raises:
        pytest.UsageError: an option would make results wrong, or a file can't be written.
    """
    if not workers.is_worker(config):
        end_at_sigterm(config)
    with workers.refusing(config):
        refuse_reruns(config, own)
        if problems := refused(config):
            raise pytest.UsageError(with_code("; ".join(problems), "usage"))
        gating.prepare(config)
        if options_of(config).run.shard is not None:
            sharding.take_part(config, items)
        if not looks_only(config):
            gating.refuse_unwritable(config)
