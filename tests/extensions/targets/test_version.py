"""Versions of applications."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from lve.errors import SettingsError, TrustError
from lve.extensions.targets.version import version_of
from lve.models.config import ModelConfig
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings


def version(root: Path, value: Any, *, trusted: bool = True) -> str | None:
    entry = ModelSettings(options={} if value is None else {"version": value})
    settings = Settings(file=root / "lve.yaml")
    return version_of(ModelConfig("app/x", entry, settings, None, 4, trusted=trusted))


def test_a_version_is_a_text_or_there_is_none(tmp_path: Path) -> None:
    assert version(tmp_path, None) is None
    assert version(tmp_path, 2.1) == "2.1"


def test_files_are_a_version(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1", encoding="utf-8")
    (tmp_path / "b").write_text("", encoding="utf-8")
    before = version(tmp_path, {"files": ["a", "b"]})
    (tmp_path / "a").write_text("", encoding="utf-8")
    (tmp_path / "b").write_text("1", encoding="utf-8")
    assert version(tmp_path, {"files": ["a", "b"]}) != before
    for outside in ("../x", "missing"):
        with pytest.raises(SettingsError, match=r"version\.files: "):
            version(tmp_path, {"files": [outside]})


def test_a_trusted_command_prints_a_version(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('1.2\\n')"]
    assert version(tmp_path, {"command": command}) == "1.2"
    with pytest.raises(TrustError, match="its `version`"):
        version(tmp_path, {"command": command}, trusted=False)
    for source in ("", "import sys; sys.exit('no git')"):
        with pytest.raises(SettingsError, match=r"version\.command: the command"):
            version(tmp_path, {"command": [sys.executable, "-c", source]})
