"""Expressions of configurations have the values that Python gives them, and others are refused."""

from __future__ import annotations

import copy
import itertools
import math
import os
from pathlib import Path

import pytest

from lve.extensions.importing.opencompass.configuration import Configuration
from lve.extensions.importing.opencompass.package import Package
from lve.extensions.importing.opencompass.reading_cost import NotDataError

CASES = Path(__file__).parents[3] / "cases" / "importers"
HEAD = "import copy, itertools, math, os\nx = "


def texts(name: str, between: str = "\n") -> list[str]:
    lines = (CASES / f"{name}.txt").read_text(encoding="utf-8").strip().split(between)
    return [line for line in lines if not line.startswith("#")]


def names_of(folder: Path, program: str) -> dict[str, object]:
    (folder / "own.py").write_text(f"{program}\n", encoding="utf-8")
    names = Configuration(Package(folder), folder / "own.py").names()
    return {name: value for name, value in names.items() if not name.startswith("__")}


def value_of(folder: Path, expression: str) -> object:
    try:
        return names_of(folder, f"{HEAD}{expression}")["x"]
    except NotDataError as error:
        return f"refused in line {error.line}"


def test_values_are_those_of_python(tmp_path: Path) -> None:
    modules = {"copy": copy, "itertools": itertools, "math": math, "os": os}
    lines = texts("python_expressions")
    assert len(lines) > 200
    for line in lines:
        value, expected = value_of(tmp_path, line), eval(line, modules)
        assert (line, repr(value)) == (line, repr(expected))


def test_what_would_run_code_or_grow_is_refused(tmp_path: Path) -> None:
    for line in texts("refused_expressions"):
        assert (line, value_of(tmp_path, line)) == (line, "refused in line 2")


def test_programs_give_names_the_values_that_python_gives_them(tmp_path: Path) -> None:
    for program in texts("python_programs", "---\n"):
        expected: dict[str, object] = {}
        exec(program, expected)
        del expected["__builtins__"]
        expected.pop("__annotations__", None)
        assert (program, names_of(tmp_path, program)) == (program, expected)


def test_programs_that_do_more_than_give_names_values_are_refused(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for program in texts("refused_programs", "---\n"):
        with pytest.raises(NotDataError):
            pytest.fail(f"{program} gives {names_of(tmp_path / 'inner', program)}")
