"""What a release uploads: a wheel and a source distribution, which hold what they should."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDERS = {"lve"}


def build(folder: Path, into: Path, *options: str) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(into), *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source distribution."""
    into = tmp_path_factory.mktemp("dist")
    build(ROOT, into)
    [wheel], [source] = into.glob("*.whl"), into.glob("*.tar.gz")
    return wheel, source


def test_the_source_distribution_makes_the_same_wheel(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    wheel, source = built
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    [folder] = tmp_path.iterdir()
    build(folder, tmp_path / "again", "--target", "wheel")
    again = tmp_path / "again" / wheel.name
    with ZipFile(wheel) as first, ZipFile(again) as second:
        assert first.namelist() == second.namelist()
        assert all(first.read(name) == second.read(name) for name in first.namelist())


def test_they_hold_nothing_but_the_package(built: tuple[Path, Path]) -> None:
    wheel, source = built
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == FOLDERS
    assert [name for name in names if name.startswith(".") or "__pycache__" in name] == []
    assert {"lve/py.typed", "lve/schemas/test.schema.json"} <= {*names}
    with tarfile.open(source) as sources:
        inside = {member.name.split("/")[1] for member in sources.getmembers()}
    allowed = {"lve", "schemas", "docs", "README.md", "LICENSE", "pyproject.toml", "PKG-INFO"}
    assert inside <= allowed | {".gitignore"}


def test_twine_and_check_wheel_contents_find_nothing(built: tuple[Path, Path]) -> None:
    pytest.importorskip("twine", reason="twine is not installed")
    pytest.importorskip("check_wheel_contents", reason="check-wheel-contents is not installed")
    wheel, source = map(str, built)
    for command in (["twine", "check", "--strict", wheel, source], ["check_wheel_contents", wheel]):
        done = subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_release_builds_and_checks_what_make_dist_does() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
    steps = workflow["jobs"]["build"]["steps"]
    assert "make dist" in [step.get("run") for step in steps]
    kept = {step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", "")}
    command = ["make", "--dry-run", "--always-make", "dist"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert kept == {"build/dist", "build/lve.cdx.json"}
    for part in ("--directory build/dist", "twine check --strict build/dist/*",
                 "check-wheel-contents build/dist/*.whl", "--output-file build/lve.cdx.json",
                 "installed/bin/lve run repository"):  # fmt: skip
        assert part in made


@pytest.mark.parametrize(("tag", "is_version"), [("v{}", True), ("v{}.1", False), ("v9", False)])
def test_only_the_tag_of_the_version_is_released(tag: str, is_version: bool) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
    [step] = [
        s for s in workflow["jobs"]["build"]["steps"] if s.get("name", "").startswith("the t")
    ]
    from lve.version import __version__

    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=ROOT,
        env={**os.environ, "GITHUB_REF_NAME": tag.format(__version__)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode == 0) is is_version
