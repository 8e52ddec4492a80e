"""What custom checkers of the original LVE repository import."""

from __future__ import annotations

import pytest

from lve.checkers.custom.original_imports import ensure_installed, installed
from lve.errors import MissingExtraError
from lve.messages import Message, Role


def test_installed_package_is_found() -> None:
    assert installed("json") is not None
    assert installed("no_such_package_of_lve") is None
    ensure_installed("json")


def test_missing_package_is_refused_with_the_command() -> None:
    with pytest.raises(MissingExtraError, match="pip install 'thing>=2'"):
        ensure_installed("no_such_package_of_lve", "thing", version=">=2", component="X")


def test_role_compares_with_its_name() -> None:
    assert Message("hi", Role.assistant).role == "assistant"
