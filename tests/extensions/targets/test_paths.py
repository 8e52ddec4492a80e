"""Paths into answers."""

from __future__ import annotations

import pytest

from lve.errors import SettingsError
from lve.extensions.targets.paths import MAX_VALUES, ValuePath

DATA = {"a": [{"t": "x", "u": [1, 2]}, {"t": "y"}, 7], "b c": {"d": None}}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("$", [DATA]),
        ("$.a[0].t", ["x"]),
        ("$.a[-1]", [7]),
        ("$['b c'].d", [None]),
        ("$.a[*].t", ["x", "y"]),
        ("$.a[*].u[*]", [1, 2]),
        ("$.a.t", []),
        ("$.none[*]", []),
    ],
)
def test_a_path_leads_to_what_is_there(path: str, values: list[object]) -> None:
    assert ValuePath(path, "here").values_in(DATA) == values


def test_only_a_path_with_all_items_leads_to_a_list() -> None:
    assert ValuePath("$.a[*].t", "here").value_in(DATA) == ["x", "y"]
    assert ValuePath("$.a[0].t", "here").value_in(DATA) == "x"
    assert ValuePath("$.a[*].v", "here").value_in(DATA) is None


def test_a_long_list_is_cut() -> None:
    assert len(ValuePath("$[*]", "here").values_in([0] * (MAX_VALUES + 5))) == MAX_VALUES


@pytest.mark.parametrize("path", ["$..a", "$.a[x]", "$.a[*]b"])
def test_a_malformed_path_is_refused_where_it_is(path: str) -> None:
    if path == "$.a[*]b":
        assert ValuePath(path, "here").values_in({"a": [{"b": 1}]}) == [1]
        return
    with pytest.raises(SettingsError, match=r"here: a path is such as \$\.reply"):
        ValuePath(path, "here")
