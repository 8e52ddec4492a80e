"""What is claimed of Python and systems is the same everywhere: settings, workflows, docs."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from pythons.checks import TESTS_OF_EXTRAS
from pythons.claims import ROOT, dependencies, extras, lowest, project, versions

from lve.extensions.authoring.verbs.init import CI_FILE, files_of_workspace

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
OLDEST, NEWEST = versions()[0], versions()[-1]
WORKFLOWS = {
    file.stem: file.read_text("utf-8") for file in sorted((ROOT / ".github/workflows").iterdir())
}


def page(name: str) -> str:
    return " ".join((ROOT / name).read_text("utf-8").split())


def test_settings_agree_on_the_oldest_python() -> None:
    assert project()["requires-python"] == f">={OLDEST}"
    assert SETTINGS["tool"]["mypy"]["python_version"] == OLDEST
    assert SETTINGS["tool"]["ruff"]["target-version"] == "py" + OLDEST.replace(".", "")


def test_versions_have_no_gap() -> None:
    first, last = (int(version.partition(".")[2]) for version in (OLDEST, NEWEST))
    assert versions() == [f"3.{minor}" for minor in range(first, last + 1)]


@pytest.mark.parametrize("name", ["README.md", "docs/installation.md", "docs/contributing.md"])
def test_pages_name_the_oldest_python(name: str) -> None:
    named = re.findall(r"Python (3\.\d+) or later", page(name))
    assert named == [OLDEST]


def test_pages_name_the_newest_python() -> None:
    assert f"Python {OLDEST} to {NEWEST}" in page("docs/installation.md")
    *others, last = versions()
    assert f"Python {', '.join(others)} and {last}" in page("docs/contributing.md")


def test_every_python_runs_the_quick_tests_on_github() -> None:
    jobs = yaml.safe_load(WORKFLOWS["quick"])["jobs"]
    assert jobs["linux"]["strategy"]["matrix"]["python"] == versions()


@pytest.mark.parametrize("text", [*WORKFLOWS.values(), files_of_workspace("dummy/dummy")[CI_FILE]])
def test_workflows_use_a_python_that_is_supported(text: str) -> None:
    named = re.findall(r'(?:python-version|VERSION): *"?(\d[\d.]*)', text)
    assert set(named) <= set(versions())


def test_markers_speak_of_supported_pythons() -> None:
    """A marker for a Python that isn't supported is never true, or always."""
    allowed = SpecifierSet(project()["requires-python"])
    several = [project()["dependencies"], *project()["optional-dependencies"].values()]
    markers = [str(Requirement(one).marker or "") for needed in several for one in needed]
    named = {v for one in markers for v in re.findall(r'python_version \W+ "([\d.]+)"', one)}
    assert {version for version in named if version not in allowed or version == OLDEST} == set()


def test_systems_that_nobody_has_tried_are_no_classifiers() -> None:
    systems = [one for one in project()["classifiers"] if one.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX :: Linux"]
    assert "developed on Linux" in page("docs/installation.md")


def test_each_requirement_has_a_lower_bound() -> None:
    needed = [*dependencies(), *(one for several in extras().values() for one in several)]
    assert len(lowest(needed)) == len(needed)


def test_developers_have_the_bounds_of_the_extras() -> None:
    """Or what is tested is not what users get."""
    bounds = {one.name: one.specifier for several in extras().values() for one in several}
    ours = project()["optional-dependencies"]
    for name in ("dev-quick", "dev", "dev-models"):
        for one in map(Requirement, ours[name]):
            if one.name in bounds and not str(one.specifier).startswith("=="):
                assert one.specifier == bounds[one.name], f"{name}: {one.name}"


def test_each_extra_has_tests_that_show_its_bound() -> None:
    assert set(TESTS_OF_EXTRAS) == set(extras())
    files = [file for tests in TESTS_OF_EXTRAS.values() for file in tests]
    assert [file for file in files if not (ROOT / file).exists()] == []
