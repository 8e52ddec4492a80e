"""Reading tables of models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lve.errors import SettingsError
from lve.models.known_tables import read_table, table_from


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("table", r"lve\.models\.json:1:\d+: \$.date: no calendar has the day 2026-02-30"),
        ("family", r"families\[0\]\.date: no calendar has the day 2026-02-30"),
        ("model", r"families\[0\]\.models\[0\]\.ends: no calendar has the day 2026-02-30"),
    ],
)
def test_a_day_that_no_calendar_has_is_refused(tmp_path: Path, place: str, message: str) -> None:
    model = {"names": ["a"], "ends": "2026-01-01"}
    family = {"name": "f", "date": "2026-01-01", "sources": ["https://x.y"], "models": [model]}
    table = {"version": 1, "date": "2026-01-01", "families": [family]}
    where, key = {"table": (table, "date"), "family": (family, "date"), "model": (model, "ends")}[
        place
    ]
    where[key] = "2026-02-30"
    file = tmp_path / "lve.models.json"
    file.write_text(json.dumps(table))
    with pytest.raises(SettingsError, match=message):
        read_table(file)


def test_a_name_or_a_pattern_stands_for_a_model() -> None:
    names = ("m?", "n*", "o[ab]", "exact", "g/p*", "last", "g/last")
    families = [
        {"name": name, "models": [{"names": [name]}], "sources": [], "date": "2026-01-01"}
        for name in names
    ]
    table = table_from({"date": "2026-01-01", "families": families})
    assert table.patterns == ("m?", "n*", "g/p*")
    asked = ("m1", "m", "m12", "n", "n-5", "x/m1", "x/n5", "exact", "x/exact", "x/exact1", "oa")
    asked += ("g/p1", "h/p1", "p1", "g/last", "h/last", "x/g/last")
    models = {name: table.find(name) for name in asked}
    assert {name: model.family for name, model in models.items() if model} == {
        "m1": "m?", "x/m1": "m?", "n": "n*", "n-5": "n*", "x/n5": "n*",
        "exact": "exact", "x/exact": "exact",
        "g/p1": "g/p*", "g/last": "g/last", "h/last": "last", "x/g/last": "last",
    }  # fmt: skip
