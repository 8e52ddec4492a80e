"""What `lve doctor` says of settings, and who says them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from extensions.doctor.doctor import findings
from support.command_line import call
from support.folders import workspace

import lve
from lve.extensions.doctor.verb import MOST_SHOWN

PACKAGE = Path(lve.__file__).parent
KEY = "sk-0123456789abcdefghijklmnop"


def test_each_setting_is_told_with_its_file(root: Path) -> None:
    workspace(root, "model: dummy/dummy\ncaps: {rows: 5}\n")
    code, found = findings("--offline")
    assert code == 0
    assert found["settings", "model"]["text"] == "dummy/dummy (lve.yaml)"
    assert found["settings", "caps.rows"]["text"] == "5 (lve.yaml)"


def test_each_variable_that_lve_reads_is_one_that_it_has(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [file.read_text("utf-8") for file in PACKAGE.rglob("*.py")]
    names = {name for source in sources for name in re.findall(r'"(LVE_[A-Z_]+)"', source)}
    assert len(names) > 5
    for name in names - {"LVE_CACHE_HOME"}:
        monkeypatch.setenv(name, "0")
    monkeypatch.setenv("LVE_CACHE_HOME", str(root / "cache"))
    found = findings("--offline")[1]
    assert {name: found["settings", name]["status"] for name in names} == dict.fromkeys(
        names, "good"
    )


def test_variables_are_told_and_misspelt_ones_noted(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace(root, "model: openai/other\n")
    monkeypatch.setenv("LVE_MODEL", "dummy/dummy")
    monkeypatch.setenv("LVE_MODLE", "x")
    monkeypatch.setenv("LVE_SESSION_DIR", str(root / "elsewhere"))
    monkeypatch.setenv("LVE_TRACEBACK", "0")
    code, found = findings("--offline")
    assert code == 0
    assert found["settings", "LVE_MODEL"]["text"] == "dummy/dummy (environment)"
    assert found["settings", "LVE_TRACEBACK"]["status"] == "good"
    assert found["settings", "LVE_MODLE"]["status"] == "note"
    assert found["settings", "LVE_MODLE"]["hint"] == "did you mean `LVE_MODEL`?"
    assert "elsewhere" in found["sessions and cache", "folder"]["text"]
    areas = {area for area, _ in found}
    assert "dummy/dummy" not in areas, "an offline model has nothing to say"
    assert "openai/other" not in areas, "the environment wins, as in `lve run`"


def test_keys_in_settings_and_variables_are_not_shown(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", KEY)
    workspace(root, json.dumps({"models": {"my/m": {"model": "m", "args": {"user": KEY}}}}))
    monkeypatch.setenv("LVE_MODEL_ARG", f"user={KEY}")
    out = "".join(map(str, call("doctor", "--offline", "-v")))
    assert "models.my/m.args.user" in out
    assert "LVE_MODEL_ARG" in out
    assert KEY not in out


def test_very_many_settings_are_counted(root: Path) -> None:
    prices = {f"m/{n}": {"base_url": "http://x/v1"} for n in range(MOST_SHOWN + 3)}
    workspace(root, json.dumps({"models": prices}))
    _, found = findings("--offline")
    assert found["settings", "..."]["text"].startswith("3 more: ")
