"""Programs of other tools in the box."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.boxed import boxed, tool_in

from lve.errors import UsageError
from lve.extensions.importing.boxes.box import BoxError, BoxOptions, Tool, _variables, run_in_box


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    return tool_in(tmp_path, monkeypatch)


def test_the_lines_are_read(tool: Tool, tmp_path: Path) -> None:
    program = 'print("said"); write(json.dumps(request["x"] and {"a": [1]})); write("{}")'
    assert list(boxed(tool, tmp_path / "source", program)) == [{"a": [1]}, {}]


def test_it_is_started_in_its_folder_which_it_reads(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "rows.txt").write_text("text")
    program = 'write(json.dumps({"rows": open("rows.txt").read()}))'
    assert list(boxed(tool, tmp_path / "source", program)) == [{"rows": "text"}]


@pytest.mark.parametrize(("network", "offline"), [(False, "1"), (True, "0")])
def test_tools_are_offline_unless_they_may_use_the_network(network: bool, offline: str) -> None:
    assert _variables(BoxOptions(network=network)) == {
        "HF_HOME": "$HOME/huggingface",
        "HF_DATASETS_OFFLINE": offline,
        "HF_HUB_OFFLINE": offline,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "PYTHONHASHSEED": "0",
    }


def test_its_home_is_a_temporary_folder(tool: Tool, tmp_path: Path) -> None:
    program = (
        'open(os.path.expanduser("~/x"), "w").close(); '
        'write(json.dumps({"home": os.environ["HOME"], "hub": os.environ["HF_HOME"]}))'
    )
    [line] = boxed(tool, tmp_path / "source", program)
    assert "lve-sandbox-" in str(line["home"])
    assert str(line["hub"]).startswith(str(line["home"]))


def test_it_gets_no_keys(tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    [line] = boxed(tool, tmp_path / "source", "write(json.dumps(dict(os.environ)))")
    assert "sk-secret" not in str(line)
    assert line["HF_HUB_OFFLINE"] == "1"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ('write("{}"); sys.exit(3)', "ended with exit code 3"),
        ('write("{}"); 1 / 0', "ended with exit code 1"),
        ('write("{}", "other")', "wrote a line that isn't its own"),
        ('pipe.write(b"{}"); pipe.flush()', "gave an answer without an end"),
    ],
)
def test_a_program_that_fails_is_told(tool: Tool, tmp_path: Path, program: str, why: str) -> None:
    with pytest.raises(BoxError, match=why):
        list(boxed(tool, tmp_path / "source", program))


def test_without_its_environment_a_tool_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tool_in(tmp_path, monkeypatch)
    (tool.folder / "installed").unlink()
    with pytest.raises(UsageError, match="`lve import --setup own` installs it"):
        list(run_in_box(tool, tmp_path / "x.py", {}, BoxOptions()))
