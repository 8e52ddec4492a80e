"""The items of a pytest session that are instances of tests of models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol, TypeGuard

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    import pluggy

    from lve.spec.model import Instance, Spec


class LveItem(Protocol):
    """What a run needs of an item: `InstanceItem`, which is imported with the first test only."""

    @property
    def nodeid(self) -> str:
        """Its name in the session."""

    @property
    def path(self) -> Path:
        """Of the test's document."""

    @property
    def session(self) -> pytest.Session:
        """That it is an item of."""

    @property
    def spec(self) -> Spec:
        """The test."""

    @property
    def model(self) -> str | None:
        """The model; None if none is named."""

    instances: tuple[Instance, ...]
    """What is run: one instance, or some rows of a data set."""

    @property
    def selected(self) -> tuple[Instance, ...]:
        """What the item stands for: a shard runs a part of it."""

    @property
    def collected(self) -> int:
        """How many instances its test has with this model, in all its items."""

    @property
    def parent(self) -> pytest.Collector | None:
        """What collected it."""

    @property
    def own_markers(self) -> list[pytest.Mark]:
        """Its marks, without those of its collectors."""

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks that hold for it."""

    had_turn: bool
    """Whether pytest has come to it, and run or skipped it."""

    @property
    def verdict(self) -> object | None:
        """What came out; None before."""


OF_ALL_SHARDS: pytest.StashKey[list[LveItem]] = pytest.StashKey()
"""What pytest has selected, where the session runs a part of it."""


def is_lve_item(item: pytest.Item) -> TypeGuard[LveItem]:
    """Return whether an item is an instance of a test of a model."""
    return type(item).__module__ == "lve.pytest_plugin.items"


def lve_items(items: Iterable[pytest.Item]) -> Iterator[LveItem]:
    """Yield the instances of tests of models among some items."""
    for item in items:
        if is_lve_item(item):
            yield item


class Marked:
    """Whether items have a mark of some kind. The items of a test have its collectors in common, so
    these are asked only once."""

    def __init__(self, is_meant: Callable[[pytest.Mark], bool]) -> None:
        self._is_meant = is_meant
        self._collectors: dict[pytest.Collector | None, bool] = {}

    def __call__(self, item: LveItem) -> bool:
        """Whether an item or one of its collectors has such a mark."""
        parent = item.parent
        if parent not in self._collectors:
            marks = parent.iter_markers() if parent else ()
            self._collectors[parent] = any(map(self._is_meant, marks))
        return self._collectors[parent] or any(map(self._is_meant, item.own_markers))
