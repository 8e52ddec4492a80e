"""The committed bundles are what web/ gives, with what its lock file says."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
WEB = ROOT / "web"
UNREACHABLE = ("ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN", "ENOTCACHED")
"""What npm says where there is no network."""


def npm() -> str:
    found = shutil.which("npm")
    if found is None:
        pytest.skip("npm is not installed (Debian: apt-get install npm)")
    return found


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    web, root = tmp_path / "web", tmp_path / "root"
    shutil.copytree(WEB, web, ignore=shutil.ignore_patterns("node_modules"))
    quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"]
    # No package's own scripts run, and nothing that only developers need is fetched.
    installed = run([npm(), "ci", "--ignore-scripts", "--omit=dev", *quiet], web)
    if installed.returncode and any(code in installed.stderr for code in UNREACHABLE):
        pytest.skip("npm's registry can't be reached")
    assert installed.returncode == 0, installed.stderr
    built = run(["node", "build.mjs", str(root)], web)
    assert built.returncode == 0, built.stderr
    files = [file.relative_to(root) for file in root.rglob("*") if file.is_file()]
    assert files
    for file in files:
        assert (root / file).read_bytes() == (ROOT / file).read_bytes(), f"{file}: run `make web`"


def test_every_package_is_pinned_by_its_sum() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert packages
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())


def test_no_source_makes_elements_from_text() -> None:
    for file in (WEB / "src").rglob("*.ts"):
        text = file.read_text(encoding="utf-8")
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert way not in text, f"{file.relative_to(ROOT)} uses {way}"
