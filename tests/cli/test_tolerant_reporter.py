"""Standard output whose reader has gone, or whose disk is full."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from support.folders import workspace, write_sums
from support.forked import python

LVE = shlex.join([*python(), "-m", "lve"])


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command], cwd=cwd, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for number in range(3):
        write_sums(workspace(tmp_path) / f"t{number}", 30, model="replay")
    return tmp_path


@pytest.mark.parametrize("options", ["", "-v", "--json", "--jsonl"])
def test_a_reader_that_leaves_changes_no_exit_code(root: Path, options: str) -> None:
    for folder in root.glob("t*"):  # with -v it says more than fits into a pipe (64 kB)
        write_sums(folder, 300, model="replay")
    done = shell(f"{LVE} run . {options} | head -c 20; echo ${{PIPESTATUS[0]}} >&2", root)
    assert done.stderr == "0\n"


def test_a_reader_that_leaves_costs_no_recorded_answer(root: Path) -> None:
    options = "--model dummy/dummy --model-arg response=3 --to mine -j 1 --max-tests 1"
    done = shell(f"{LVE} record . {options} | true; echo ${{PIPESTATUS[0]}} >&2", root)
    assert done.stderr == "0\n"
    recorded = [file.read_text().count("\n") for file in root.glob("*/instances/mine.jsonl")]
    assert recorded == [30, 30, 30]


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("init new", ["new/lve.yaml", "new/repository/examples/capitals/test.yaml"]),
        ("schema install --editor vscode", ["schemas/test.schema.json", ".vscode/settings.json"]),
        ("readme .", ["t0/README.md", "t2/README.md"]),
        ("contrib readme .", ["t0/README.md", "t2/README.md"]),
        ("import promptfoo other.yaml -o made", ["made"]),
    ],
)
def test_a_reader_that_leaves_keeps_no_file_from_being_made(
    command: str, made: list[str], tmp_path: Path
) -> None:
    """Each of these says a line for each file, and the first line finds nobody."""
    if not command.startswith("init"):
        for number in range(3):
            write_sums(workspace(tmp_path) / f"t{number}", 3, model="replay")
    (tmp_path / "other.yaml").write_text(
        "prompts: [x]\nscenarios: []\ntests: [{assert: [{type: contains, value: x}]}]\n"
    )
    done = shell(f"set -o pipefail; {LVE} {command} 2>&1 | true", tmp_path)
    assert done.returncode == 0
    assert [name for name in made if not (tmp_path / name).exists()] == []


@pytest.mark.parametrize("verb", ["list", "show", "check"])
def test_a_reader_that_leaves_other_verbs(root: Path, verb: str) -> None:
    done = shell(f"{LVE} {verb} . | true; echo ${{PIPESTATUS[0]}} >&2", root)
    assert done.stderr == "0\n"


@pytest.mark.parametrize(
    "verb",
    ["run t0", "run t0 -v", "run t0 --json", "list .", "check t0 --json", "show t0", "--help"],
)
def test_a_closed_output_changes_no_exit_code(root: Path, verb: str) -> None:
    done = shell(f"{LVE} {verb} >&-; echo $? >&2", root)
    assert done.stderr == "0\n"


@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_no_exit_code(root: Path, closed: str) -> None:
    done = shell(f"{LVE} run t0 {closed}", root)
    assert (done.returncode, done.stderr) == (0, "")
    done = shell(f"{LVE} run missing {closed}", root)
    assert (done.returncode, done.stderr) == (2, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("verb", ["run", "run --json", "run -v", "list", "check"])
def test_a_full_disk_is_told_in_one_line(root: Path, verb: str) -> None:
    done = shell(f"{LVE} {verb} . > /dev/full; echo $? >&2", root)
    assert done.stderr == "lve: the output can't be written: No space left on device\n3\n"
