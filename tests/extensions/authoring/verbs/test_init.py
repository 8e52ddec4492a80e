"""`lve init`: what it makes works at once, and nothing that was there changes."""

from __future__ import annotations

import shutil
import subprocess
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import call, lve
from support.forked import python
from support.unprivileged import run_unprivileged

from lve.errors import UsageError
from lve.extensions.authoring.verbs.init import CI_FILE, FIRST_TEST

MADE = ("lve.yaml", "pytest.ini", CI_FILE, ".gitignore")


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("OPENAI_API_KEY", "LVE_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def in_shell(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*python(), "-m", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_what_it_makes_works_at_once(empty: Path) -> None:
    result = lve("init")
    for name in MADE:
        assert f"made  {name}\n" in result.stdout
    assert "1 test: all valid" in result.stdout
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    for words in (("lve", "check"), ("lve", "run", "--model", "replay")):
        done = in_shell(empty, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == ""
    tested = in_shell(empty, "pytest", "-q")
    assert tested.returncode == 0, tested.stdout
    assert "3 passed" in tested.stdout


def test_a_folder_that_looks_like_an_option(empty: Path) -> None:
    stdout = lve("init", "--", "-my project").stdout
    step = next(line.strip() for line in stdout.splitlines() if line.startswith("  cd "))
    done = subprocess.run(f"{step} && pwd", shell=True, cwd=empty, capture_output=True, text=True)
    assert done.stdout == f"{empty / '-my project'}\n", done.stderr


def test_the_commands_of_the_workflow_pass(empty: Path) -> None:
    lve("init")
    jobs = yaml.safe_load((empty / CI_FILE).read_text("utf-8"))["jobs"]
    steps = [step["run"] for step in jobs["offline"]["steps"] if "run" in step]
    commands = [run.split() for run in steps if not run.startswith("pip install")]
    assert len(commands) == 3
    for command in commands:
        lve(*command[1:])
    assert "OPENAI_API_KEY" not in str(jobs["offline"])


def test_git_ignores_sessions(empty: Path) -> None:
    lve("init")
    lve("run", "--model", "replay")
    subprocess.run(["git", "init", "-q"], check=True)
    told = subprocess.run(
        ["git", "status", "--short", "-uall"], capture_output=True, text=True, check=True
    ).stdout
    assert ".lve/" not in told
    assert FIRST_TEST in told


def test_a_second_time_makes_nothing(empty: Path) -> None:
    lve("init")
    before = files(empty)
    result = lve("init")
    assert files(empty) == before
    assert "nothing to make" in result.stdout
    assert result.stdout.count("kept  ") == 5


def test_what_is_there_stays_and_the_rest_is_made(empty: Path) -> None:
    mine = {"lve.yaml": b"model: dummy/dummy\n", ".gitignore": b"*.pyc\n"}
    for name, content in mine.items():
        (empty / name).write_bytes(content)
    (empty / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-q'\n")
    result = lve("init")
    assert mine.items() <= files(empty).items()
    assert "kept  .gitignore: add the line .lve/" in result.stdout
    assert "kept  pyproject.toml: add to pytest's settings: lve_paths" in result.stdout
    assert not (empty / "pytest.ini").exists(), "it would switch off the settings in pyproject.toml"
    assert (empty / FIRST_TEST / "test.yaml").exists()


def test_settings_in_pyproject_are_settings(empty: Path) -> None:
    (empty / "pyproject.toml").write_text('[tool.lve]\nmodel = "dummy/dummy"\n')
    result = lve("init")
    assert "kept  pyproject.toml\n" in result.stdout
    assert not (empty / "lve.yaml").exists()


def test_what_was_killed_is_completed(empty: Path) -> None:
    lve("init")
    (empty / ".gitignore").unlink()
    shutil.rmtree(empty / FIRST_TEST)
    result = lve("init")
    assert result.stdout.count("made  ") == 2
    lve("run", "--model", "replay")


def test_a_dry_run_makes_nothing(empty: Path) -> None:
    result = lve("init", "project", "--dry-run")
    assert result.stdout.count("made  ") == 5
    assert list(empty.iterdir()) == []


def test_another_folder_is_made(empty: Path) -> None:
    result = lve("init", "my project", "--model", "dummy/dummy")
    assert "cd 'my project'" in result.stdout
    assert yaml.safe_load((empty / "my project/lve.yaml").read_text())["model"] == "dummy/dummy"


def test_a_folder_of_a_workspace_is_refused(empty: Path) -> None:
    lve("init")
    with pytest.raises(UsageError, match="lies in the workspace"):
        call("init", "repository/inner")
    assert not (empty / "repository/inner").exists()


@pytest.mark.parametrize("model", ["", "a b", "a\nmodel: b", "a\x1b[0m"])
def test_a_model_that_is_no_name_is_refused(empty: Path, model: str) -> None:
    result = lve("init", "--model", model, code=2)
    assert "must be a name such as" in result.stderr
    assert list(empty.iterdir()) == []


def test_a_linked_folder_is_not_written_through(empty: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (empty / ".github").symlink_to(outside)
    with pytest.raises(UsageError, match="a link"):
        call("init")
    assert list(outside.iterdir()) == []


def test_a_read_only_folder_is_one_line(empty: Path) -> None:
    empty.chmod(0o555)
    done = run_unprivileged("lve", "init", cwd=empty)
    assert done.returncode == 2
    assert done.stderr.startswith("lve: ")
    assert "can't be written: Permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize("target", ["python", "exec"])
def test_an_example_of_an_application_works_at_once(empty: Path, target: str) -> None:
    result = lve("init", "--target", target)
    [command] = [line for line in result.stdout.splitlines() if "--trust" in line]
    done = in_shell(empty, *command.strip().split("  ")[0].split())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    assert in_shell(empty, "lve", "run", "--model", "replay").returncode == 0


def test_an_example_of_an_endpoint_works(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = lve("init", "--target", "http")
    assert "python3 app/server.py &" in result.stdout
    names: dict[str, Any] = {"__name__": "example"}
    exec((empty / "app/server.py").read_text("utf-8"), names)
    server = ThreadingHTTPServer(("127.0.0.1", 0), names["Handler"])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = (empty / "lve.yaml").read_text("utf-8")
    (empty / "lve.yaml").write_text(settings.replace(":8000", f":{server.server_port}"), "utf-8")
    try:
        run = lve("run")
    finally:
        server.shutdown()
        server.server_close()
    assert "3 passed" in run.stdout, run.output
