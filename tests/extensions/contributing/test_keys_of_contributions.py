"""No part of a key gets into what `lve contrib status`, `commit` and `pr` print, or into commits
and pull requests that they make."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import which
from urllib.parse import quote

import pytest
from extensions.contributing.contribution import git, write_clone, write_contribution
from support.command_line import call
from support.key_server import KEY
from support.key_server import call as call_apart
from support.spelled_keys import SPELLINGS, parts, parts_in

SAID = ("as it is", "reversed", "hexadecimal", "swapped case")


def all_said(text: str = " ") -> str:
    return text.join(SPELLINGS[name](KEY) for name in SAID)


@pytest.fixture
def clone(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of a repository whose address has a key, with a test that says it everywhere."""
    monkeypatch.setenv("SOME_API_KEY", KEY)
    write_contribution(write_clone(root))
    folder = root / "repository" / "courtesy" / "greeting"
    document = (folder / "test.yaml").read_text()
    (folder / "test.yaml").write_text(document.replace("greets back", f"greets {all_said()}"))
    tools = root / ".git" / "tools"
    tools.mkdir()
    real = which("git")
    assert real is not None
    (tools / "git").symlink_to(real)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}/bin")
    return root


def put_gh(clone: Path, does: str) -> Path:
    """Put a `gh` on the PATH; return the file in which it notes what it is told."""
    note = clone / ".git" / "gh.txt"
    program = clone / ".git" / "tools" / "gh"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{note}"\n/bin/cat >> "{note}"\n{does}\n')
    program.chmod(0o755)
    return note


def check(*texts: str) -> None:
    windows = parts(KEY)
    for text in texts:
        assert not parts_in(text, windows), text


def test_commits_and_pull_requests(clone: Path) -> None:
    note = put_gh(clone, "echo https://example.com/pull/1")
    status = call("contrib", "status")[1:]
    committed = call("contrib", "commit")
    assert committed[0] == 0, committed
    opened = call("contrib", "pr")
    assert opened[0] == 0, opened
    message = git("log", "-1", "--format=%B")
    assert "[redacted]" in message
    assert r"\[redacted\]" in note.read_text()
    check(*status, *committed[1:], *opened[1:], message, note.read_text())


def test_what_git_and_gh_say_against_it(clone: Path) -> None:
    assert call("contrib", "commit")[0] == 0
    put_gh(clone, f"echo '{all_said()}' >&2; exit 4")
    refused = call_apart(clone, "lve", "pr")
    assert "[redacted]" in refused
    git("remote", "set-url", "origin", f"https://{quote(KEY, safe='')}@127.0.0.1:1/x.git")
    git("branch", "--unset-upstream")
    git("commit", "--allow-empty", "--message", "more")
    check(refused, call_apart(clone, "lve", "pr"))
