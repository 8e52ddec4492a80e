"""Every code that lve's modules give is in the catalogue, and each of the catalogue is given."""

from __future__ import annotations

import re
from pathlib import Path

from lve.message_codes.catalogue import entries

LVE = Path(__file__).parents[2] / "lve"
TEXTS = {path: path.read_text(encoding="utf-8") for path in LVE.rglob("*.py")}


def test_each_code_in_a_call_is_in_the_catalogue() -> None:
    unknown = {
        f"{path.relative_to(LVE)}: {code}"
        for path, text in TEXTS.items()
        for code in re.findall(r'\bcode="([^"]*)"', text)
        if code not in entries()
    }
    assert unknown == set()


def test_each_code_of_the_catalogue_is_given() -> None:
    given = {text for module in TEXTS.values() for text in re.findall(r'"([a-z_]+)"', module)}
    stages = {f"template_{word}" for word in given}  # of `lve.errors`, by the stage of a template
    assert entries().keys() - given - stages == set()
