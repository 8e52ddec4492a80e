"""Mistakes in checks of options and labels."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.judging import judge_of

from lve.errors import SpecError


@pytest.mark.parametrize("count", [-1, 0, 27])
def test_there_are_1_to_26_options(count: int, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="'options' is a number from 1 to 26"):
        judge_of({"option": "A", "options": count}, tmp_path)
