"""`lve view`: the command, in a process of its own."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest
from extensions.reports.report_sessions import make_session
from support.command_line import call, lve
from support.forked import python

from lve.errors import NoSessionError, SessionError, UsageError
from lve.extensions.view.verb import checked_author


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lve.yaml").touch()
    make_session(tmp_path / ".lve", tests=2, models=2, repeats=1)
    return tmp_path / ".lve"


@contextmanager
def viewing(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start `lve view`; yield the process and the address that it prints."""
    process = subprocess.Popen(
        [*python(), "-m", "lve", "view", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_it_prints_its_address_and_ends_at_once_with_ctrl_c(state: Path) -> None:
    with viewing() as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32,}/", address)
        with urllib.request.urlopen(address, timeout=20) as page:
            assert b"<!doctype html>" in page.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 0
        assert out == ""
        assert re.fullmatch(r"lve: showing \S+; press Ctrl-C to stop\n", err)


def test_results_are_read_before_anybody_asks(state: Path) -> None:
    with next(state.glob("runs/*/results.jsonl")).open("ab") as journal:
        journal.write(b"damaged\n")
    with viewing() as (process, _):
        assert process.stderr is not None
        late = threading.Timer(20, process.kill)
        late.start()
        lines = [process.stderr.readline(), process.stderr.readline()]
        late.cancel()
    assert any("left out" in line for line in lines)


def test_two_look_at_the_same_session(state: Path) -> None:
    with viewing() as (_, one), viewing("--author", "ana") as (_, other):
        assert one != other
        for address in (one, other):
            with urllib.request.urlopen(f"{address}state", timeout=20) as answer:
                assert b'"complete"' in answer.read()


@contextmanager
def on_a_terminal(**environment: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start `lve view` on a terminal of its own; yield the process and the address."""
    import pty

    user, program = pty.openpty()
    process = subprocess.Popen(
        [*python(), "-m", "lve", "view"],
        stdout=program,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    os.close(program)
    try:
        with os.fdopen(user, "rb") as screen:
            yield process, screen.readline().decode().strip()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal")
def test_a_browser_that_stays_is_answered(state: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(30)
        browser = tmp_path / "browser.py"
        browser.write_text(
            "import socket, sys, urllib.request\n"
            "page = urllib.request.urlopen(sys.argv[1], timeout=20).read()\n"
            f"with socket.create_connection({door.getsockname()!r}) as test:\n"
            "    test.sendall(page[:15])\n"
            "    test.recv(1)\n"  # until the test is through
        )
        command = f"{shlex.quote(sys.executable)} {shlex.quote(str(browser))} %s"
        with on_a_terminal(BROWSER=command) as (process, _):
            started, _ = door.accept()
            with started:
                assert started.recv(15) == b"<!doctype html>"
                process.send_signal(signal.SIGINT)
                assert process.wait(timeout=20) == 0


@pytest.mark.skipif(os.name == "nt", reason="a pseudo-terminal")
def test_a_browser_of_the_terminal_is_not_started(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "www-browser").write_text(f"#!/bin/sh\n: > {shlex.quote(str(tmp_path))}/seen\n")
    (programs / "www-browser").chmod(0o755)
    with on_a_terminal(PATH=str(programs), TERM="xterm") as (_, address):
        with urllib.request.urlopen(address, timeout=20) as page:
            assert b"<!doctype html>" in page.read()
        assert not (tmp_path / "seen").exists()


def test_without_a_session_it_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoSessionError, match="`lve run` makes one"):
        call("view", "--session-dir", tmp_path / "none")


def test_mistakes_are_one_sentence(state: Path) -> None:
    with pytest.raises(NoSessionError, match="no session '2020'"):
        call("view", "2020")
    assert "1 to 200 characters" in lve("view", "--author", "", code=2).output
    lve("view", "--port", "99999", code=2)
    (next((state / "runs").iterdir()) / "session.json").write_text("{}")
    with pytest.raises(SessionError, match="has format None"):
        call("view")


@pytest.mark.parametrize(("length", "is_name"), [(0, False), (1, True), (200, True), (201, False)])
def test_who_labels_has_a_name_that_labels_can_have(length: int, is_name: bool) -> None:
    if is_name:
        assert checked_author("a" * length) == "a" * length
    else:
        with pytest.raises(click.BadParameter, match="1 to 200 characters"):
            checked_author("a" * length)
    assert checked_author(None) is None


def test_a_port_that_is_taken_is_said(state: Path) -> None:
    with viewing() as (_, address):
        port = address.split(":")[2].split("/")[0]
        with pytest.raises(UsageError, match=f"port {port} can't be used"):
            call("view", "--port", port)
