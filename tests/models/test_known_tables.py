"""Reading tables of models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lve.errors import SettingsError
from lve.models.known_tables import read_table


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
