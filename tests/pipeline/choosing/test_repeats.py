"""How often an instance runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums

from lve.options.run_options import RunOptions
from lve.pipeline.choosing.repeats import repeats_of
from lve.settings.settings import Caps, Settings
from lve.spec.load import load_spec


@pytest.mark.parametrize(
    ("document", "options", "cap", "expected"),
    [
        ({}, {}, 100, 1),
        ({"repeats": 5}, {}, 100, 5),
        ({"repeats": 5}, {}, 3, 3),
        ({"repeats": 5}, {"repeats": 7}, 3, 7),
    ],
)
def test_repeats(
    tmp_path: Path, document: dict[str, Any], options: dict[str, Any], cap: int, expected: int
) -> None:
    spec = load_spec(write_sums(workspace(tmp_path) / "sums", 1, **document))
    assert repeats_of(spec, RunOptions(**options), Settings(caps=Caps(repeats=cap))) == expected
