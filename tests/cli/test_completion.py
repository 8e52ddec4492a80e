"""`lve completion`, in a real shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import lve

BASH = shutil.which("bash")
COMPLETE = """
eval "$(lve completion bash)"
compopt() { echo "compopt $*"; }
COMP_WORDS=(lve "$@"); COMP_CWORD=$#
COMPREPLY=()
_lve_completion lve
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """A folder with a command `lve`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "lve"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lve "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    return folder


def offered(bin_folder: Path, *words: str) -> list[str]:
    """Return what bash offers for the last of the words behind `lve`."""
    assert BASH is not None
    found = subprocess.run(
        [BASH, "--norc", "-c", COMPLETE, "bash", *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"},
    )
    assert found.stderr == ""
    return found.stdout.split()


@pytest.mark.skipif(BASH is None, reason="there is no bash")
def test_bash_completes_names_of_checkers(bin_folder: Path) -> None:
    found = offered(bin_folder, "show", "checker", "cont")
    assert found == ["contains", "contains_any", "contains_all"]
    assert offered(bin_folder, "show", "checker", "contains", "Regex") == ["RegexChecker"]
    assert "contains" not in offered(bin_folder, "show", "checker", "contains", "cont")


@pytest.mark.skipif(BASH is None, reason="there is no bash")
def test_bash_completes_verbs_options_words_and_paths(bin_folder: Path) -> None:
    assert offered(bin_folder, "che") == ["check"]
    assert offered(bin_folder, "check", "--mu") == ["--mutate"]
    assert offered(bin_folder, "list", "check") == ["checkers"]
    assert offered(bin_folder, "show", "la") == ["last"]
    for words in (["check", "rep"], ["show", "rep"], ["run", ""], ["show", ""]):
        assert offered(bin_folder, *words) == ["compopt", "-o", "default"]


@pytest.mark.parametrize(
    ("shell", "has"),
    [("bash", "complete -o nosort"), ("zsh", "#compdef lve"), ("fish", "complete --no-files")],
)
def test_each_shell_has_its_script(shell: str, has: str) -> None:
    result = lve("completion", shell)
    assert result.exit_code == 0
    assert has in result.stdout
    assert "_LVE_COMPLETE" in result.stdout


def test_whoever_asks_for_completion_gets_nothing_else(bin_folder: Path) -> None:
    command = [bin_folder / "lve", "run", "--dry-run"]
    found = subprocess.run(
        command, env={**os.environ, "_LVE_COMPLETE": "nonsense"}, capture_output=True, check=False
    )
    assert (found.returncode, found.stdout, found.stderr) == (1, b"", b"")


def test_another_shell_is_told() -> None:
    result = lve("completion", "tcsh")
    assert result.exit_code == 2
    assert "'bash', 'zsh', 'fish'" in result.stderr
