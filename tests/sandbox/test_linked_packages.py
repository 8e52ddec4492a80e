"""Packages that links in `site-packages` lead to are readable in the sandbox, and nothing else
is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from support.judging import judge_answers, spec_with

from lve.checkers.resolve import resolve
from lve.sandbox.grants import grants, linked_packages
from lve.sandbox.landlock import RUN, Grant
from lve.sandbox.layers import missing
from lve.sandbox.rights import Sandbox

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "venv" / "site-packages"
    site.mkdir(parents=True)
    return site


def unpacked(home: Path, *files: str, name: str = "pkg") -> Path:
    """Write files of a package into a folder, as uv unpacks one into its cache."""
    for file in (*files, f"{name}-1.0.dist-info/METADATA"):
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text("Name: pkg\nVersion: 1.0\n" if "METADATA" in file else "X = 42\n")
    return home


def link_files(home: Path, site: Path) -> None:
    """Install a package as uv does with `link-mode: symlink`: each file is a link."""
    for file in home.rglob("*"):
        place = site / file.relative_to(home)
        if file.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(file)


def test_each_file_is_a_link(site: Path, tmp_path: Path) -> None:
    files = (
        "pkg/__init__.py",
        "pkg/deep/er/data.json",
        "pkg.libs/lib.so",
        "module.py",
        "part/x.py",
    )
    first = unpacked(tmp_path / "cache/a1", *files)
    second = unpacked(tmp_path / "cache/b2", "part/deep/y.py", "pkg/extra/z.py", name="second")
    (first / "notes").mkdir()
    for home in (first, second):
        link_files(home, site)
    expected = {first / name for name in ("pkg", "pkg.libs", "module.py", "part")}
    expected |= {second / "part", second / "pkg"}
    expected |= {first / "pkg-1.0.dist-info", second / "second-1.0.dist-info"}
    listed = [*linked_packages(str(site))]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(map(str, expected))


def test_a_package_is_a_link(site: Path, tmp_path: Path) -> None:
    """As pex and Bazel install them, and as people link their own."""
    home = unpacked(tmp_path / "pkg.whl", "pkg/__init__.py", "space/part/x.py")
    own = tmp_path / "src" / "own"
    own.mkdir(parents=True)
    (own / "__init__.py").touch()
    for place in (home / "pkg", home / "pkg-1.0.dist-info", home / "space", own):
        (site / place.name).symlink_to(os.path.relpath(place, site))
    expected = {home / "pkg", home / "pkg-1.0.dist-info", home / "space", own}
    assert {*linked_packages(str(site))} == set(map(str, expected))


def test_a_linked_file_alone_grants_no_folder(site: Path, tmp_path: Path) -> None:
    """Its folder isn't one of packages, although its path is the same."""
    (tmp_path / "etc").mkdir()
    (site / "etc").mkdir()
    (site / "etc" / "settings.py").symlink_to(tmp_path / "etc" / "settings.py")
    (tmp_path / "etc" / "settings.py").touch()
    link_files(unpacked(tmp_path / "cache/a1", "pkg/__init__.py"), site)
    assert {*linked_packages(str(site))} == {
        str(tmp_path / "cache/a1/pkg"),
        str(tmp_path / "cache/a1/pkg-1.0.dist-info"),
        str(tmp_path / "etc" / "settings.py"),
    }


def test_what_is_no_package_is_not_granted(site: Path, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "id_rsa").write_text("secret")
    for name, place in {
        "module.py": secrets / "id_rsa",
        "secrets": secrets,
        "other": secrets,
        "gone": tmp_path / "gone",
        "loop": site / "loop",
        "here": site,
        "up": tmp_path,
    }.items():
        (site / name).symlink_to(place)
    (site / "real.py").touch()
    (site / "again.py").symlink_to("real.py")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "__init__.py").touch()
    (site / "space").mkdir()
    (site / "space" / "real.py").symlink_to("../real.py")
    (site / "space" / "inner").symlink_to(tmp_path / "inner")
    assert [*linked_packages(str(site))] == []


def test_folders_without_links_are_not_searched(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked(site, "pkg/__init__.py", "space/x.py")
    (tmp_path / "x.json").touch()
    (site / "space" / "x.json").symlink_to(tmp_path / "x.json")
    looked: list[str] = []
    original = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looked.append(path) or original(path))
    assert [*linked_packages(str(site))] == []
    assert looked == [str(site)]


def granted(**more: str) -> set[str]:
    return {grant.path for grant in grants(Sandbox(private=tuple(more.values())), None)}


def test_what_is_protected_stays_so(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that contains the home folder, the project or the workspace isn't granted."""
    home = unpacked(tmp_path / "cache", "pkg/__init__.py", "big/__init__.py", "big/work/x.py")
    link_files(home, site)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.syspath_prepend(str(site))
    packages = {str(home / "pkg"), str(home / "big"), str(home / "pkg-1.0.dist-info")}
    assert granted() & packages == packages
    assert granted(private=str(home / "big" / "work")) & packages == packages - {str(home / "big")}
    monkeypatch.chdir(home / "pkg")
    assert granted() & packages == packages - {str(home / "pkg")}
    assert not {str(home), str(tmp_path), str(tmp_path / "cache")} & granted()


@pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
def test_packages_of_an_environment_that_is_granted_whole(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link_files(unpacked(tmp_path / "cache/a1", "pkg/__init__.py"), site)
    monkeypatch.setattr(sys, "prefix", str(site.parent))
    monkeypatch.syspath_prepend(str(site))
    listed = [*grants(Sandbox(), None)]
    assert Grant(str(site.parent), RUN) in listed
    assert Grant(str(tmp_path / "cache/a1/pkg"), RUN) in listed


CODE = """
import importlib.metadata, pathlib
from lve import Verdict
import pkg, pkg.part.module, six_like

class C:
    def check(self, context):
        found = [pkg.X, pkg.part.module.X, six_like.X, importlib.metadata.version("pkg")]
        found.append((pathlib.Path(pkg.__file__).parent / "data.json").read_text())
        if context.response:
            found.append(pathlib.Path(context.response).read_text())
        return Verdict("passed", repr(found))
"""


@pytest.mark.skipif(bool(missing()), reason="no whole sandbox on this machine")
def test_code_of_a_test_imports_them(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = ("pkg/__init__.py", "pkg/part/__init__.py", "pkg/part/module.py", "pkg/data.json")
    home = unpacked(tmp_path / "cache/a1", *files, "six_like.py", "secret.txt")
    link_files(home, site)
    (site / "secret.txt").unlink()
    folder = tmp_path / "test"
    (folder / "checker").mkdir(parents=True)
    (folder / "checker" / "checker.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(site))
    judge = resolve(spec_with(folder, checker_args={"checker_name": "C"}), trusted=True)
    try:
        assert judge_answers(judge, "").reason == r"[42, 42, 42, '1.0', 'X = 42\n']"
        refused = judge_answers(judge, str(home / "secret.txt"))
    finally:
        judge.stop()
    assert refused.outcome == "error"
    assert "secret.txt" in refused.reason
