"""Settings files that are links, pipes, devices or endless."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from support.folders import write_test
from support.forked import python

pytestmark = pytest.mark.skipif("sys.platform == 'win32'", reason="no pipes in folders there")

SECRET = "attack-at-dawn"
MAX_MEMORY_BYTES = 1_500_000_000


def to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def to_secret(path: Path) -> None:
    (path.parent.parent / "secret").write_text(f"[tool.lve]\nmodel: {SECRET}\n")
    path.symlink_to("../secret")


def to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 10**12)


def limit_to_little_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "unmarked"])
@pytest.mark.parametrize("make", [to_zeros, to_secret, to_itself, huge, os.mkfifo])
@pytest.mark.parametrize("name", ["pyproject.toml", "lve.yaml"])
def test_they_are_neither_waited_for_nor_shown(
    tmp_path: Path, name: str, make: Callable[[Path], None], is_marked: bool
) -> None:
    root = tmp_path / "root"
    write_test(root / "test")
    if is_marked:
        (root / ".lverepo").touch()
    make(root / name)
    done = subprocess.run(
        [*python(preexec=limit_to_little_memory), "-m", "lve", "check", "test"],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode in (0, 2), said
    assert "Traceback" not in said
    assert SECRET not in said
    if done.returncode == 2:
        assert name in said
