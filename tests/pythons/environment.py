"""Environments with the wheel, kept from one call to the next."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pythons.claims import ROOT, project

FOLDER = ROOT / "build" / "pythons"
_KEY = "key"
"""The file of an environment that says what it was made of."""
_NOT_INHERITED = (
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "PYTEST_ADDOPTS",
    "COVERAGE_PROCESS_START",
)


class FailedError(Exception):
    """A command failed; the text is what it printed."""


@dataclass(frozen=True)
class Environment:
    """A folder with an interpreter and packages."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def run(self, command: str, *args: str | Path, cwd: Path) -> str:
        """Run a command of this environment and return what it prints.

        Raises:
            FailedError: its exit status isn't 0.
        """
        kept = {key: value for key, value in os.environ.items() if key not in _NOT_INHERITED}
        path = f"{self.folder / 'bin'}{os.pathsep}{kept.get('PATH', '')}"
        return run([self.folder / "bin" / command, *args], cwd, {**kept, "PATH": path})


def run(command: Sequence[str | Path], cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a command and return what it prints.

    Raises:
        FailedError: its exit status isn't 0.
    """
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise FailedError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def build_wheel() -> Path:
    """Build the wheel of this checkout and return its path."""
    folder = FOLDER / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], ROOT)
    [wheel] = folder.glob("*.whl")
    return wheel


def environment(
    name: str, python: Path, wheel: Path, extras: Sequence[str], constraints: Sequence[str]
) -> Environment:
    """Return an environment with the wheel. An existing one is used again if it was made of the
    same; then only lve itself is installed.

    Args:
        name: of its folder.
        python: the interpreter.
        wheel: of lve.
        extras: of lve to install.
        constraints: lines of a constraints file.

    Raises:
        FailedError: the packages can't be installed.
    """
    made = Environment(FOLDER / name)
    key = _key_of(python, extras, constraints)
    file = made.folder / _KEY
    if file.is_file() and file.read_text("utf-8") == key:
        _install(made, "--force-reinstall", "--no-deps", str(wheel))
        return made
    shutil.rmtree(made.folder, ignore_errors=True)
    run([python, "-m", "venv", "--without-pip", made.folder], ROOT)
    limits = made.folder / "constraints.txt"
    limits.write_text("".join(f"{line}\n" for line in constraints), "utf-8")
    what = f"lve[{','.join(extras)}] @ {wheel.as_uri()}"
    _install(made, "--constraint", str(limits), what)
    file.write_text(key, "utf-8")
    return made


def _install(made: Environment, *args: str) -> None:
    pip = [sys.executable, "-m", "pip", "--python", made.python, "install", "--quiet"]
    run([*pip, "--disable-pip-version-check", "--no-compile", *args], ROOT)


def _key_of(python: Path, extras: Sequence[str], constraints: Sequence[str]) -> str:
    table = project()
    release = run([python, "-VV"], ROOT)
    needed = [table["dependencies"], *(table["optional-dependencies"][one] for one in extras)]
    parts = [str(python), release, *map(str, needed), *extras, *constraints]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
