"""A bug in a function of lve that only one test meets: the one that has the word "wicked"."""

from __future__ import annotations

import os
import re
from importlib import import_module
from typing import Any

import pytest

PLANTED = "PLANTED_BUG"
"""Environment variable that names the function, where this module is a plugin of pytest."""
_CONCERNS_BAD = re.compile("wicked|bad/test")
"""In the arguments of a function that works for the bad test."""


def plant(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """Let a function of lve recurse without end when it works for the bad test.

    Args:
        monkeypatch: takes the bug out again.
        place: the function as other code finds it: `lve.cli.check.command.build_plan`.
    """
    owner, name = _owner(place)
    original = getattr(owner, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        spec = getattr(args[0], "spec", None) or getattr(
            getattr(args[0], "plan", None), "spec", None
        )
        if _CONCERNS_BAD.search(repr((args, kwargs, spec))):
            _endless()
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, function)


def pytest_configure(config: pytest.Config) -> None:
    """Plant the bug in this process, for good."""
    plant(pytest.MonkeyPatch(), os.environ[PLANTED])


def _owner(place: str) -> tuple[Any, str]:
    module, _, name = place.rpartition(".")
    try:
        return import_module(module), name
    except ModuleNotFoundError:
        module, _, kind = module.rpartition(".")
        return getattr(import_module(module), kind), name


def _endless() -> int:
    return _endless() + 1
