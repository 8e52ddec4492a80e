"""The help of an option of a run, and its field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lve.options.option import Option, option
from lve.options.values import COUNT, FLAG, MAPPING, TEXT, TEXTS, Values


def test_help_has_default_and_range_and_says_what_may_be_repeated() -> None:
    def helped(values: Values, **more: Any) -> str:
        return Option(values, "Do it.", ("run",), "kept", **more).command_line_help

    assert helped(TEXT) == "Do it."
    assert helped(TEXTS) == helped(MAPPING) == "Do it. Repeat for several."
    assert helped(COUNT) == "Do it.  [x>=1]"
    assert helped(COUNT, default_text="5") == "Do it.  [default: 5; x>=1]"
    assert helped(TEXT, default_text="none") == "Do it.  [default: none]"


def test_its_own_placeholder_wins() -> None:
    assert Option(COUNT, "", ("run",), "kept").shown_metavar == "N"
    assert Option(COUNT, "", ("run",), "kept", metavar="DOLLARS").shown_metavar == "DOLLARS"
    assert Option(FLAG, "", ("run",), "kept").shown_metavar is None


def test_every_object_gets_a_mapping_of_its_own() -> None:
    about = Option(MAPPING, "", ("run",), "kept")

    @dataclass
    class Options:
        one: dict[str, Any] = option({}, about)  # noqa: RUF009 (it is a field)

    first, second = Options(), Options()
    first.one["a"] = 1
    assert second.one == {}
