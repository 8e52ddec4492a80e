"""What `lve doctor` says of Python and packages."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement

from lve.extensions.doctor.machine import extra_finding, extra_of, machine_findings, package_finding


@pytest.mark.parametrize(
    ("needed", "status", "text"),
    [
        ("click>=8.1", "good", "8"),
        ("click>=999", "bad", "but lve needs >=999"),
        ("no-such-package-anywhere>=1", "bad", "not installed, but lve needs >=1"),
    ],
)
def test_a_package_that_lve_needs(needed: str, status: str, text: str) -> None:
    found = package_finding(Requirement(needed))
    assert (found.status, text in found.text) == (status, True)
    assert (found.hint is None) == (status == "good")


@pytest.mark.parametrize(
    ("needed", "status", "text"),
    [
        (["click>=8.1", "pytest>=8"], "good", "click 8"),
        (["click>=8.1", "no-such-package-anywhere"], "note", "not installed: no-such-package"),
        (["click>=999"], "bad", "(lve needs >=999)"),
    ],
)
def test_an_extra(needed: list[str], status: str, text: str) -> None:
    found = extra_finding("own", [*map(Requirement, needed)])
    assert (found.what, found.status, text in found.text) == ("own", status, True)
    assert found.hint == (None if status == "good" else "pip install 'lve[own]'")


def test_what_belongs_to_an_extra_is_known() -> None:
    assert extra_of(Requirement("a; extra == 'hf'")) == "hf"
    assert extra_of(Requirement("a; python_version >= '3' and extra == 'hf'")) == "hf"
    assert extra_of(Requirement("a>=1")) is None
    assert extra_of(Requirement("a; python_version < '99'")) is None


def test_this_machine_is_well() -> None:
    found = list(machine_findings())
    assert {"Python", "lve", "click", "pytest"} <= {one.what for one in found}
    assert "bad" not in {one.status for one in found if one.area == "Python"}
    assert not [one.what for one in found if one.what.startswith("dev")]
