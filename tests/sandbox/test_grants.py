"""What a process in a sandbox may read just because Python is there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lve.sandbox.grants import grants
from lve.sandbox.landlock import RUN, Grant
from lve.sandbox.rights import Sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, and a project in it as the current folder."""
    home = tmp_path / "users" / "me"
    (home / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(home / "project")
    return home


def granted(private: Path) -> set[str]:
    """Return the paths that are granted, as they are written."""
    return {grant.path for grant in grants(Sandbox(private=(str(private),)), None)}


def test_no_library_path_grants_what_is_protected(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private, libraries = tmp_path / "private", tmp_path / "libraries"
    for folder in (private, libraries):
        folder.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(private)
    refused = [private, tmp_path, home, home.parent, home / "project", link, Path("/"), Path()]
    allowed = [libraries, home / "project" / "lib"]
    paths = [str(path) for path in (*refused, *allowed)]
    monkeypatch.setenv("LD_LIBRARY_PATH", ":".join([*paths, ""]))
    found = granted(private)
    assert found.isdisjoint(map(str, refused))
    assert "" not in found
    assert found >= set(map(str, allowed))
    assert Grant(str(libraries), RUN) in [*grants(Sandbox(), None)]
