"""conda's recipe says what pyproject.toml says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from pythons.claims import dependencies, project

from lve.version import __version__

ROOT = Path(__file__).parents[2]
RECIPE: dict[str, Any] = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text("utf-8"))


def test_it_has_the_version_and_the_dependencies_of_the_package() -> None:
    assert RECIPE["context"]["version"] == __version__
    python, *needed = map(Requirement, RECIPE["requirements"]["run"])
    assert str(python) == f"python{project()['requires-python']}"
    assert {str(one) for one in needed} == {str(one) for one in dependencies()}


def test_it_has_the_command_and_the_license() -> None:
    scripts = [f"{name} = {target}" for name, target in project()["scripts"].items()]
    assert RECIPE["build"]["python"]["entry_points"] == scripts
    assert RECIPE["about"]["license"] == project()["license"]
    assert RECIPE["about"]["summary"] == project()["description"]
    assert (ROOT / "packaging/conda" / RECIPE["source"]["path"]).resolve() == ROOT
