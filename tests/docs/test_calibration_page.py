"""docs/calibration.md: its example gives what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

from support.command_line import lve

from lve.spec.settings_file import load_workspace
from lve.verdicts.rates.corrected import JudgeErrors, corrected_rate

PAGE = (Path(__file__).parents[2] / "docs" / "calibration.md").read_text(encoding="utf-8")


def block(head: str) -> str:
    found = re.search(rf"```{re.escape(head)}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None, head
    return found[1]


def test_the_example_is_what_comes_out(root: Path) -> None:
    (root / "lock").mkdir()
    (root / "lock" / "test.yaml").write_text(block("yaml lock/test.yaml"), encoding="utf-8")
    (root / "labels.jsonl").write_text(block("json labels.jsonl"), encoding="utf-8")
    command, _, shown = block("console").partition("\n")
    result = lve(*command.removeprefix("$ lve ").split())
    assert result.stdout == shown


def test_the_settings_can_be_used(root: Path) -> None:
    (root / "lve.yaml").write_text(block("yaml lve.yaml"), encoding="utf-8")
    found = load_workspace(root).settings.calibration
    assert found.floor == (0.6, 0.9, 0.9, 50)
    assert (found.required, found.folder) == (True, "lve.calibrations")


def test_the_corrected_rate_is_that_of_100_labels_of_each_kind() -> None:
    found = corrected_rate(0.58, 100, JudgeErrors(0.95, 100, 0.8, 100))
    assert f"(TPR 0.95, TNR 0.8): {found}" in PAGE
