"""`lve completion`, in a real shell."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest
from support.command_line import lve
from support.forked import python

BASH = shutil.which("bash")
ZSH = shutil.which("zsh")
FISH = shutil.which("fish")
COMPLETE = """
eval "$SCRIPT"
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
    command.write_text(f'#!/bin/sh\nexec {shlex.join(python())} -m lve "$@"\n', encoding="utf-8")
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
        env={
            **os.environ,
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "SCRIPT": lve("completion", "bash").stdout,
        },
    )
    assert found.stderr == ""
    return found.stdout.split()


@pytest.mark.skipif(BASH is None, reason="there is no bash")
def test_bash_completes_names_of_checkers(bin_folder: Path) -> None:
    found = offered(bin_folder, "show", "checker", "conta")
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


TAGGED = """\
description: d
model: ollama/llama3.2:1b
prompt: Hi
tags: [{name: severity, value: high}, {name: "$(touch ran)", value: x}]
check: {contains: x}
"""


@pytest.fixture
def here(tmp_path: Path, bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a test, in which one stands, and a command `lve`."""
    folder = tmp_path / "here"
    (folder / "a").mkdir(parents=True)
    (folder / "lve.yaml").write_text("", encoding="utf-8")
    (folder / "a/test.yaml").write_text(TAGGED, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TERM", "dumb")
    return folder


class Typed:
    """A shell at a terminal."""

    def __init__(self, shell: str, *commands: str) -> None:
        options = {"bash": ["--norc", "--noprofile"], "zsh": ["-f", "-o", "nobeep"]}[shell]
        self.child = pexpect.spawn(shell, [*options, "-i"], encoding="utf-8", timeout=120)
        self.child.setwinsize(50, 200)
        for command in ("PS1='READY> '", *commands):
            self.child.sendline(command)
        self.child.sendline("echo BEGUN$((1 + 1))")
        self.child.expect("BEGUN2")
        self.child.expect("READY> ")

    def completed(self, line: str) -> str:
        """Type a line, complete it, and return the line that the shell would run."""
        self.child.send(f"echo {line}")
        self.child.send("\x01")  # to the beginning
        self.child.send("\x04" * len("echo "))  # without the echo: that is for the shell to see
        self.child.send("\x05\t")
        self.child.send("\x01echo '<' \x05'>'\r")
        self.child.expect(r"\r\n< (.*?) ?>\r\n")
        assert self.child.match is not None
        found = str(self.child.match[1])
        self.child.expect("READY> ")
        return found


TYPED = [
    ("lve che", "lve check"),
    ("lve run --tag severity=h", "lve run --tag severity=high"),
    ("lve run --model ollama/llama3.2:1", "lve run --model ollama/llama3.2:1b"),
    ("lve run --model ollama/l", "lve run --model ollama/llama3.2:1b"),
    ("lve new --from capit", "lve new --from capitals"),
    ("lve schema print sui", "lve schema print suite"),
    ("lve check a/te", "lve check a/test.yaml"),
]


@pytest.mark.skipif(BASH is None, reason="there is no bash")
def test_bash_completes_what_is_typed(here: Path) -> None:
    shell = Typed("bash", 'eval "$(lve completion bash)"')
    for line, whole in TYPED:
        assert shell.completed(line) == whole
    assert sorted(path.name for path in here.iterdir()) == ["a", "lve.yaml"]


@pytest.mark.skipif(ZSH is None, reason="there is no zsh")
def test_zsh_completes_what_is_typed(here: Path) -> None:
    begin = "autoload -U compinit; compinit -u -D"
    shell = Typed("zsh", "unsetopt zle_bracketed_paste", begin, 'eval "$(lve completion zsh)"')
    for line, whole in TYPED:
        assert shell.completed(line) == whole


@pytest.mark.skipif(FISH is None, reason="there is no fish")
@pytest.mark.parametrize(("line", "whole"), TYPED)
def test_fish_completes_what_is_typed(here: Path, line: str, whole: str) -> None:
    script = "lve completion fish | source; complete -C $argv[1]"
    assert FISH is not None
    command = [FISH, "--no-config", "-c", script, line]
    environment = {**os.environ, "HOME": str(here.parent)}
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    words = [one.partition("\t")[0] for one in found.stdout.splitlines()]
    assert words == [whole.rpartition(" ")[2]], found.stderr


@pytest.mark.parametrize(
    ("shell", "has"),
    [("bash", "complete -o nosort"), ("zsh", "#compdef lve"), ("fish", "complete --no-files")],
)
def test_each_shell_has_its_script(shell: str, has: str) -> None:
    result = lve("completion", shell)
    assert has in result.stdout
    assert "_LVE_COMPLETE" in result.stdout


def test_whoever_asks_for_completion_gets_nothing_else(bin_folder: Path) -> None:
    command = [bin_folder / "lve", "run", "--dry-run"]
    found = subprocess.run(
        command, env={**os.environ, "_LVE_COMPLETE": "nonsense"}, capture_output=True, check=False
    )
    assert (found.returncode, found.stdout, found.stderr) == (1, b"", b"")


def test_another_shell_is_told() -> None:
    result = lve("completion", "tcsh", code=2)
    assert "'bash', 'zsh', 'fish'" in result.stderr
