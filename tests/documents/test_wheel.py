"""The wheel contains the schemas, so that an installed lve finds them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from lve.documents.validation.schema import schema_folder

ROOT = Path(__file__).parents[2]


def test_an_installed_lve_prints_its_schemas(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    ZipFile(wheel).extractall(site)
    for schema in schema_folder().iterdir():
        assert (site / "lve/schemas" / schema.name).read_bytes() == schema.read_bytes()
    found = subprocess.run(
        [sys.executable, "-m", "lve", "schema", "print", "suite"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(site)},
    )
    assert json.loads(found.stdout)["title"] == "Defaults of tests"
