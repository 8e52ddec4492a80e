"""`make pythons`: which interpreters it takes, what its constraints say, and when it fails."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from pythons import __main__ as command
from pythons.checks import replay
from pythons.claims import lowest
from pythons.environment import Environment, FailedError
from pythons.interpreters import interpreters

HERE = f"3.{sys.version_info[1]}"


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return path


def test_an_interpreter_is_one_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    script(tmp_path / "shim" / f"python{HERE}", "echo 'not selected' >&2; exit 127")
    script(tmp_path / "other" / f"python{HERE}", "echo 3.5")
    works = script(tmp_path / "home/.pyenv/versions/1/bin" / f"python{HERE}", f"echo {HERE}")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folders = [
        str(tmp_path / name) for name in ("missing", "shim", "other", "home/.pyenv/versions/1/bin")
    ]
    assert interpreters([HERE, "3.99"], folders) == {HERE: works}
    script(tmp_path / "home/.pyenv/versions/1/bin/python3.98", "echo 3.98")
    assert list(interpreters(["3.98"])) == ["3.98"], "found below the home folder"


def test_the_lowest_versions_alone_are_allowed() -> None:
    needed = map(Requirement, ("a>=1.2", "b[x]>=2,<3", "c==4; python_version > '3'", "d~=5.1"))
    assert lowest(needed) == ["a==1.2", "b==2", "c==4", "d==5.1"]
    with pytest.raises(ValueError, match="no lower bound"):
        lowest([Requirement("a<2")])


def test_lve_from_elsewhere_is_a_failure(tmp_path: Path) -> None:
    script(tmp_path / "bin" / "python", "echo /somewhere/lve/__init__.py")
    with pytest.raises(FailedError, match="not from the wheel"):
        replay(Environment(tmp_path))


@pytest.mark.parametrize(
    ("lve", "pytest_", "said"),
    [
        ("exit 2", "echo 3 passed", "exit 2"),
        ("true", "echo 3 passed; exit 1", "exit 1"),
        ("true", "echo 3 skipped", "no test has passed"),
        ("true", "echo 3 passed, 1 skipped", None),
    ],
)
def test_whatever_fails_is_a_failure(
    tmp_path: Path, lve: str, pytest_: str, said: str | None
) -> None:
    script(tmp_path / "bin" / "python", f"echo {tmp_path}/lve/__init__.py")
    script(tmp_path / "bin" / "lve", lve)
    script(tmp_path / "bin" / "pytest", pytest_)
    expected = nullcontext() if said is None else pytest.raises(FailedError, match=said)
    with expected:
        replay(Environment(tmp_path))


def test_the_short_form_takes_the_oldest_and_the_newest() -> None:
    available = {version: Path(version) for version in ("3.11", "3.12", "3.13")}
    oldest, newest = command.short(available)
    assert (oldest.python, newest.python) == (Path("3.11"), Path("3.13"))
    assert "pytest==8.2" in oldest.constraints
    assert newest.constraints == []
    assert [trial.python for trial in command.short({"3.12": Path("a")})] == [Path("a")]
