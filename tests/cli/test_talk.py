"""`--json`: valid JSON whatever a data set holds."""

from __future__ import annotations

import json
from datetime import date

import pytest

from lve.cli.talk import print_json


def test_any_value_is_printed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    value = {"day": date(2026, 11, 21), "lost": "\ud800", "no number": float("nan"), 1: {2}}
    print_json(value)
    printed = capsysbinary.readouterr().out
    assert printed.isascii()
    assert json.loads(printed) == {
        "day": "2026-11-21",
        "lost": "\ud800",
        "no number": "nan",
        "1": [2],
    }
