"""The Dockerfile and the development container: what they copy and run works, without rights."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from support.unprivileged import run_unprivileged

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
LINES = [line.split(maxsplit=1) for line in TEXT.splitlines() if line and line[0] != "#"]
STAGES = TEXT.split("\nFROM ")[1:]


def copied(stage: str) -> list[tuple[list[str], str]]:
    """Return what a stage copies from the repository, and where to."""
    parts = [shlex.split(line)[1:] for line in stage.splitlines() if line.startswith("COPY ")]
    words = [[word for word in line if not word.startswith("--chown")] for line in parts]
    return [(line[:-1], line[-1]) for line in words if not line[0].startswith("--from")]


def test_what_it_copies_is_there_and_not_ignored() -> None:
    allowed = (ROOT / ".dockerignore").read_text("utf-8").split()
    names = [name for stage in STAGES for sources, _ in copied(stage) for name in sources]
    assert names
    for name in names:
        assert (ROOT / name).exists()
        assert f"!{name}" in allowed
    assert allowed[0] == "*", "nothing else is sent to the builder"


def test_the_wheel_is_built_from_what_it_copies(tmp_path: Path) -> None:
    for sources, target in copied(STAGES[0]):
        for name in sources:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, tmp_path / target)
            else:
                shutil.copy(ROOT / name, tmp_path / name)
    assert "python -m hatchling build --target wheel --directory /wheels" in STAGES[0]
    done = run_unprivileged("hatchling", "build", "--target", "wheel", "-d", "w", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len([*(tmp_path / "w").glob("lve-*.whl")]) == 1


def test_the_collection_runs_offline_as_a_user_without_rights(tmp_path: Path) -> None:
    last = STAGES[-1]
    user = re.search(r"^USER (\d+)$", last, re.MULTILINE)  # a number says that it isn't root
    assert user is not None
    assert f"useradd --create-home --uid {user[1]} lve" in last.partition(user[0])[0]
    for sources, target in copied(last):
        assert len(sources) == 1
        shutil.copytree(ROOT / sources[0], tmp_path / target)
    program = json.loads(next(words for word, words in LINES if word == "ENTRYPOINT"))
    words = json.loads(next(words for word, words in LINES if word == "CMD"))
    done = run_unprivileged(*program, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "recorded answers, nothing was sent" in done.stdout


@pytest.mark.timeout(600)
def test_docker_builds_and_runs_it() -> None:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True).returncode:
        pytest.skip("no Docker daemon is running")
    built = subprocess.run(
        [docker, "build", "--quiet", "."], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if "Could not resolve" in built.stderr or "i/o timeout" in built.stderr:
        pytest.skip("no image can be had from here")
    assert built.returncode == 0, built.stderr
    command = [docker, "run", "--rm", "--network", "none", built.stdout.strip()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_development_container_runs_commands_that_there_are() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text("utf-8"))
    program, *targets = container["postCreateCommand"].split()
    assert program == "make"
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)
    version = container["image"].rpartition(":")[2]
    assert f"Programming Language :: Python :: {version}" in (ROOT / "pyproject.toml").read_text()
