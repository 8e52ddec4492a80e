"""Tools that are code: problems that are found without running it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL = {"name": "get-weather", "parameters": PARAMETERS, "code": "tools/weather.py"}
CODE = "def get_weather(city): ..."


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return workspace(tmp_path)


def write(root: Path, code: str = CODE, **more: Any) -> Path:
    folder = write_test(root / "t", **{"tools": [TOOL], **more})
    (folder / "tools").mkdir(exist_ok=True)
    (folder / "tools" / "weather.py").write_text(code)
    return folder


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def get_wether(city): ...", "tools/weather.py has no function `get_weather`"),
        ("class get_weather: ...", "has no function `get_weather`"),
        ("def get_weather(:", "weather.py:1: not Python: invalid syntax"),
        ("def get_weather(): ...", "weather.py:1: it takes no `city`, which `parameters` has"),
        ("def get_weather(city, *, day): ...", "it needs `day`, which `parameters` doesn't have"),
        ("def get_weather(city, /): ...", "`city` can't be given by its name: leave `/` out"),
    ],
)
def test_check_reads_the_code_without_running_it(root: Path, code: str, message: str) -> None:
    write(root, code)
    found, out, err = call("check", "t")
    assert (found, message in out + err) == (2, True), out + err
    assert "$.tools[0].code: " in out + err


@pytest.mark.parametrize("code", ["def get_weather(city, day=1): ...", "def get_weather(**a): ..."])
def test_check_lets_functions_take_more(root: Path, code: str) -> None:
    write(root, code)
    assert call("check", "t")[0] == 0


@pytest.mark.parametrize("path", ["../out.py", "/etc/passwd", "no.py", "link.py"])
def test_code_stands_in_the_folder(root: Path, path: str) -> None:
    (root / "out.py").write_text("def get_weather(city): ...")
    (write(root, tools=[{**TOOL, "code": path}]) / "link.py").symlink_to(root / "out.py")
    assert call("check", "t")[0] == 2
    assert call("run", "t", "--trust", "--model", "dummy/dummy")[0] == 2
