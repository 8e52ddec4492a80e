"""No change that breaks something stays green at all doors, or green without a line that says what
wasn't looked at. tests/cases/green has the changes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from green import (
    Doors,
    Said,
    build,
    change,
    read_bases,
    read_cases,
    read_reasons,
    standing_in,
)

BASES = read_bases()
CASES = list(read_cases())
REASONS = read_reasons()
DOORS = ["check", "recorded", "unit-test", "replay", "pytest", "baseline", "compare"]
Build = Callable[[str], Path]


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return the folder of a base, which is built once."""
    built = dict[str, Path]()

    def build_once(name: str) -> Path:
        if name not in built:
            folder = tmp_path_factory.mktemp(name)
            with standing_in(folder):
                build(folder, BASES[name])
            built[name] = folder
        return built[name]

    return build_once


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_a_change_is_seen(case: dict[str, Any], bases: Build, pytester: pytest.Pytester) -> None:
    shutil.copytree(bases(case["base"]), pytester.path, dirs_exist_ok=True)
    change(pytester.path, case["change"], case.get("trusts"))
    doors = Doors(pytester, BASES[case["base"]], case).all
    wrong = {name: said for name, door in doors.items() if not _is(said := door(), case, name)}
    assert not wrong, "\n\n".join(f"{name}: {one.code}\n{one.text}" for name, one in wrong.items())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_a_door_is_red(case: dict[str, Any]) -> None:
    """What nobody sees must be written down as such: `unseen` says why."""
    assert list(case["doors"]) == DOORS
    has_red = any(isinstance(one, int) for one in case["doors"].values())
    assert has_red != ("unseen" in case)


def test_there_are_enough() -> None:
    assert len(CASES) >= 40
    assert len({case["name"] for case in CASES}) == len(CASES)


def _is(said: Said, case: dict[str, Any], door: str) -> bool:
    """Whether a door said what a case wants: an exit code, or green with the line of a reason."""
    wanted: int | str = case["doors"][door]
    if isinstance(wanted, int):
        return said.code == wanted
    line: str | None = REASONS[wanted]["says"]
    has_line = line is None or re.search(line, said.text) is not None
    return said.code == 0 and has_line
