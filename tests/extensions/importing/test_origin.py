"""Where an imported test comes from."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path

from lve.extensions.importing.certificate import source_of


def test_file_line_and_hash_are_named(tmp_path: Path) -> None:
    file = tmp_path / "sub" / "a.yaml"
    file.parent.mkdir()
    file.write_bytes(b"tests: []")
    assert source_of("tool", file, 3, tmp_path) == {
        "tool": "tool",
        "file": "sub/a.yaml",
        "line": 3,
        "sha256": sha256(b"tests: []").hexdigest(),
    }


def test_of_another_folder_only_the_name_is_known(tmp_path: Path) -> None:
    file = tmp_path / "gone.yaml"
    assert source_of("tool", file, None, tmp_path / "other") == {
        "tool": "tool",
        "file": "gone.yaml",
    }


def test_a_checkout_has_a_commit(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("x")
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    for command in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "x")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert source_of("tool", tmp_path / "a.yaml", 1, tmp_path)["commit"] == head.stdout.strip()
