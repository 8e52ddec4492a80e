"""The items of a pytest session that are instances of tests of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

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

    @property
    def instances(self) -> tuple[Instance, ...]:
        """What is run: one instance, or some rows of a data set."""

    @property
    def collected(self) -> int:
        """How many instances its test has with this model, in all its items."""

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks that hold for it."""

    def iter_markers(self) -> Iterator[pytest.Mark]:
        """Yield its marks."""

    had_turn: bool
    """Whether pytest has come to it, and run or skipped it."""

    @property
    def verdict(self) -> object | None:
        """What came out; None before."""


def is_lve_item(item: pytest.Item) -> bool:
    """Return whether an item is an instance of a test of a model."""
    return type(item).__module__ == "lve.pytest_plugin.items"


def lve_items(items: Iterable[pytest.Item]) -> Iterator[LveItem]:
    """Yield the instances of tests of models among some items."""
    for item in items:
        if is_lve_item(item):
            yield item  # type: ignore[misc] # is_lve_item says so
