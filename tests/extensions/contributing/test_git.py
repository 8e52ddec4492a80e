"""Which environment variables git and gh get, and which git is started."""

from __future__ import annotations

import os
import re
from pathlib import Path
from shutil import which

import pytest
from extensions.contributing.contribution import git, write_clone, write_contribution
from support.command_line import call

from lve.errors import UsageError
from lve.extensions.contributing.git import SECONDS, is_installed, run_program, variables

KEYS = {
    "OPENAI_API_KEY": "sk-model",
    "LVE_STORE": "postgresql://me:word@host/store",
    "PGPASSWORD": "word",
    "NPM_TOKEN": "npm",
    "httpSecret": "other",
}
"""What no command gets."""
ONLINE = {
    "GITHUB_TOKEN": "ghs_1",
    "GH_TOKEN": "ghs_2",
    "GIT_PASSWORD": "word",
    "SSH_PASSPHRASE": "word",
    "https_proxy": "http://me:word@127.0.0.1:1",
    "HTTPS_PROXY": "http://me:word@127.0.0.1:1",
    "NO_PROXY": "*",
}
"""What only commands get that use the network."""
ALWAYS = {
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "advice.detachedHead",
    "GIT_CONFIG_VALUE_0": "false",
}
SIGNING = {"SSH_AUTH_SOCK": "/none", "GPG_TTY": "/none", "DISPLAY": ":7"}
"""What commands get that write or use the network."""

BOUNDED = {"GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH"}
"""What keeps commands that only read from using the network."""


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**KEYS, **ONLINE, **ALWAYS, **SIGNING}.items():
        monkeypatch.setenv(name, value)


def told(dump: Path) -> dict[str, set[str]]:
    """Return the names of variables that each command got, by its verb."""
    commands: dict[str, set[str]] = {}
    for one in dump.read_text().split("== ")[1:]:
        words, *lines = one.split("\n")
        verb = next(word for word in words.split() if re.fullmatch(r"[a-z]+(-[a-z]+)*", word))
        commands.setdefault(verb, set()).update(line.partition("=")[0] for line in lines)
    return commands


def write_program(path: Path, dump: Path, then: str) -> None:
    path.write_text(f'#!/bin/sh\n{{ echo "== $*"; /usr/bin/env; }} >> "{dump}"\n{then}\n')
    path.chmod(0o755)


@pytest.mark.usefixtures("environment")
def test_each_command_gets_only_the_variables_that_it_needs(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_contribution(write_clone(root))
    tools, dump = root / ".git" / "tools", root / ".git" / "dump.txt"
    tools.mkdir()
    write_program(tools / "git", dump, f'exec "{which("git")}" "$@"')
    write_program(tools / "gh", dump, "echo https://example.com/pull/1")
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    for verb in ("status", "commit", "pr"):
        assert call(verb)[0] == 0
    commands = told(dump)
    online = {"push", "pr"}
    writing = {"update-index", "commit", "switch"}
    assert commands.keys() >= online | writing | {"status", "diff", "rev-parse", "ls-tree"}
    for verb, names in commands.items():
        assert not names & KEYS.keys(), verb
        assert names >= BOUNDED if verb not in online | writing else not names & BOUNDED, verb
        assert names >= ALWAYS.keys(), verb
        assert names & ONLINE.keys() == (ONLINE.keys() if verb in online else set()), verb
        assert names & SIGNING.keys() == (SIGNING.keys() if verb in online | writing else set())
    assert git("log", "-1", "--format=%an") == "Ana\n"


@pytest.mark.usefixtures("environment")
def test_variables_by_access() -> None:
    kept = {access: variables(access).keys() for access in ("read", "write", "online")}  # type: ignore[arg-type]
    assert "PATH" in kept["read"]
    assert kept["read"] < kept["write"] < kept["online"]


@pytest.mark.parametrize("entry", [".", "", "tools"])
def test_a_program_of_the_current_folder_is_not_started(
    root: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    place = root / entry
    place.mkdir(exist_ok=True)
    write_program(place / "git", root / "dump.txt", "exit 0")
    real = which("git")
    assert real is not None
    monkeypatch.setenv("PATH", entry)
    assert not is_installed("git")
    with pytest.raises(UsageError, match="isn't installed, or not on the PATH"):
        run_program(root, ["git", "status"], "read")
    assert not (root / "dump.txt").exists()
    monkeypatch.setenv("PATH", f"{entry}{os.pathsep}{Path(real).parent}")
    assert "git version" in run_program(root, ["git", "--version"], "read")
    assert not (root / "dump.txt").exists()


def test_a_program_that_takes_too_long_or_fails(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lve.extensions.contributing.git.SECONDS", {"read": 0.2})
    with pytest.raises(UsageError, match="sleep took more than 0 seconds"):
        run_program(root, ["sleep", "60"], "read")
    with pytest.raises(UsageError, match=r"^sh: no$"):
        run_program(root, ["sh", "-c", "echo no >&2; exit 3"], "read")
    with pytest.raises(UsageError, match="false: ended with 1"):
        run_program(root, ["false"], "read")


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("yes", "git wrote more than 64,000,000 bytes"),
        ("exec python3 -c 'bytearray(3_000_000_000)'", "MemoryError"),
        ("sleep 30", "git took more than 1 seconds"),
        ("echo no >&2; exit 3", "git: no"),
        ("exit 3", "git: ended with 3"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_a_command_has_limits(
    script: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setitem(SECONDS, "read", 1 if "sleep" in script else 60)
    with pytest.raises(UsageError, match=says):
        run_program(tmp_path, ["git"], "read")
