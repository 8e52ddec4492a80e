"""Files of a configuration: which are read, which patterns fit, and how much work there may be."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.importing.promptfoo.sources import source_in

from lve.errors import UsageError
from lve.extensions.importing.promptfoo import source as module
from lve.extensions.importing.promptfoo.source import UnsupportedError


def test_files_are_inside_the_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hidden")
    home = tmp_path / "home"
    home.mkdir()
    (home / "link.txt").symlink_to(tmp_path / "secret.txt")
    (home / "own.txt").write_text("mine")
    source, _ = source_in(home)
    assert source.text("file://own.txt") == source.text("own.txt") == "mine"
    for name in ("file://../secret.txt", "file://link.txt", "gone.txt"):
        with pytest.raises(UnsupportedError, match="left out") as caught:
            source.text(name)
        assert "hidden" not in str(caught.value)


def test_a_pattern_lists_one_folder_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.md", ".d.txt"):
        (tmp_path / name).write_text("")
    source, _ = source_in(tmp_path)
    assert list(source.matching("file://*.txt")) == ["file://a.txt", "file://b.txt"]
    for pattern in ("*.csv", "**/a.txt", "../*", "/etc/*"):
        with pytest.raises(UnsupportedError, match="left out"):
            list(source.matching(pattern))


def test_a_large_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LISTED", 2)
    for name in "abc":
        (tmp_path / name).write_text("")
    with pytest.raises(UnsupportedError, match="the folder has too many"):
        list(source_in(tmp_path)[0].matching("*"))


def test_references_lead_to_their_target(tmp_path: Path) -> None:
    source, _ = source_in(tmp_path, {"templates": {"short": {"type": "equals"}}})
    assert source.resolved({"$ref": "#/templates/short"}) == {"type": "equals"}
    assert source.resolved({"type": "equals"}) == {"type": "equals"}
    with pytest.raises(UnsupportedError, match="there is no #/templates/long"):
        source.resolved({"$ref": "#/templates/long"})


def test_work_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_STEPS", 3)
    source, _ = source_in(tmp_path)
    source.step(3)
    with pytest.raises(UsageError, match="too large: split it"):
        source.step()


def test_remarks_come_once(tmp_path: Path) -> None:
    source, at = source_in(tmp_path)
    for _ in range(2):
        source.tell("a note")
        source.leave_out(at, "left out: this")
    assert source.told == ["a note"]
    assert len(source.left_out) == 1
