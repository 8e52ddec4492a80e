"""Tells lve's items of a pytest session from others, without importing `InstanceItem`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, TypeGuard

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    import pluggy

    from lve.spec.spec import Instance, Spec

RATE_PROPERTY = "decision"
"""Property of an item: what its pass rate shows, as a sentence."""


class HasCause(Protocol):
    """The interface of `ItemVerdict`."""

    @property
    def cause(self) -> str:
        """Identifies what went wrong."""


class LveItem(Protocol):
    """The interface of `InstanceItem`, which is imported only when the first test is collected."""

    @property
    def nodeid(self) -> str:
        """Its name in the session."""

    @property
    def path(self) -> Path:
        """The test's document."""

    @property
    def session(self) -> pytest.Session:
        """The pytest session."""

    @property
    def spec(self) -> Spec:
        """The test."""

    @property
    def model(self) -> str | None:
        """The model; None if none is named."""

    @property
    def has_target(self) -> bool:
        """Whether the fixture `lve_target` of a `conftest.py` says which model it is."""

    instances: tuple[Instance, ...]
    """The instances to run: one, or several rows of a data set."""

    @property
    def selected(self) -> tuple[Instance, ...]:
        """All instances of the item; a shard runs only a part of them."""

    @property
    def collected(self) -> int:
        """How many instances the test has with this model, in all items."""

    @property
    def parent(self) -> pytest.Collector | None:
        """The collector that yielded it."""

    @property
    def own_markers(self) -> list[pytest.Mark]:
        """Its marks, without those of its collectors."""

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks for it."""

    had_turn: bool
    """Whether pytest has run or skipped it."""

    @property
    def verdict(self) -> HasCause | None:
        """Its verdict; None until the item has been set up."""

    def forget_results(self) -> None:
        """Forget the results of its verdict."""


ITEMS_OF_ALL_SHARDS: pytest.StashKey[list[LveItem]] = pytest.StashKey()
"""All items that pytest has selected, if this session runs only a shard of them."""


DESELECTED: pytest.StashKey[int] = pytest.StashKey()
"""How many of lve's items pytest or a plugin has deselected, without those of other shards."""


def is_lve_item(item: pytest.Item) -> TypeGuard[LveItem]:
    """Whether an item is one of lve's."""
    return type(item).__module__ == "lve.pytest_plugin.items"


def lve_items(items: Iterable[pytest.Item]) -> Iterator[LveItem]:
    """Yield lve's items among some items."""
    for item in items:
        if is_lve_item(item):
            yield item


def note_deselected(items: Iterable[pytest.Item]) -> None:
    """Count lve's items among deselected ones (`-k`, `-m`, `--lf`, ...)."""
    for item in lve_items(items):
        stash = item.session.config.stash
        if ITEMS_OF_ALL_SHARDS not in stash:  # else they are another machine's
            stash[DESELECTED] = stash.get(DESELECTED, 0) + 1


class Marked:
    """Finds items that have a mark of some kind, themselves or through a collector.

    Items of a test share their collectors, so the result for each collector is cached.
    """

    def __init__(self, is_meant: Callable[[pytest.Mark], bool]) -> None:
        """Args:
        is_meant: whether a mark is of the kind.
        """
        self._is_meant = is_meant
        self._collectors: dict[pytest.Collector | None, bool] = {}

    def __call__(self, item: LveItem) -> bool:
        """Whether an item or one of its collectors has such a mark."""
        parent = item.parent
        if parent not in self._collectors:
            marks = parent.iter_markers() if parent else ()
            self._collectors[parent] = any(map(self._is_meant, marks))
        return self._collectors[parent] or any(map(self._is_meant, item.own_markers))
