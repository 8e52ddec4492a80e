"""`lve run` against an endpoint that means harm, as a process: time, memory, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.hostile_server import (
    PLAIN,
    STREAMED,
    Behaviour,
    endless,
    head,
    hostile_server,
    later,
    whole,
)

LATEST_S = 60.0
"""Generous, for a timeout of 1 s and a deadline of 2 s: these took minutes or never ended."""
MOST_MB = 400
"""Far more than is needed; each of these took gigabytes."""
TEST = {
    "description": "x",
    "model": "my/m",
    "prompt": [{"role": "user", "content": "Say {n}"}],
    "prompt_parameters": ["n"],
    "checker_args": {"checker_name": "RegexChecker", "pattern": "good", "match_safe": True},
}
CASES: dict[str, tuple[Behaviour, list[str]]] = {
    "a line for ever, byte by byte": (STREAMED["a line for ever, byte by byte"], ["--stream"]),
    "60 MB of lists": (later(lambda: whole(b"[" + b"[]," * 20_000_000 + b"0]")), []),
    "the largest body": (endless(head("Content-Length: 33000000"), b" "), []),
    "a gzip bomb": (PLAIN["a gzip bomb"], []),
}


def start(root: Path, url: str, client: str, *options: str) -> subprocess.Popen[str]:
    (root / "t" / "instances").mkdir(parents=True)
    (root / "t" / "test.json").write_text(json.dumps(TEST))
    rows = [json.dumps({"args": {"n": str(n)}}) for n in range(16)]
    (root / "t" / "instances" / "all.jsonl").write_text("\n".join(rows))
    model = {"provider": "openai", "base_url": url, "model": "m", "options": {"client": client}}
    (root / "lve.yaml").write_text(json.dumps({"models": {"my/m": model}}))
    return subprocess.Popen(
        [sys.executable, "-m", "lve", "run", "t", "--json", *options],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")},
    )


class Peak:
    """The most memory that a process took, in MB; 0 where the system doesn't say."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.mb = 0
        self._status = Path(f"/proc/{process.pid}/status")
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            try:
                lines = self._status.read_text().splitlines()
            except OSError:
                return
            found = [line.split()[1] for line in lines if line.startswith("VmHWM")]
            if not found:
                return
            self.mb = max(self.mb, int(found[0]) // 1024)
            time.sleep(0.02)


@pytest.mark.parametrize("client", ["own", "openai"])
@pytest.mark.parametrize("name", CASES)
def test_every_instance_is_an_error_in_time_and_memory(
    name: str, client: str, tmp_path: Path
) -> None:
    behaviour, options = CASES[name]
    with hostile_server(behaviour) as server:
        process = start(tmp_path, server.url, client, "--timeout", "1", "--deadline", "2", *options)
        peak = Peak(process)
        out, told = process.communicate(timeout=LATEST_S)
    assert process.returncode == 3, told
    found = [one for test in json.loads(out)["tests"] for one in test["instances"]]
    assert [one["verdict"] for one in found] == ["error"] * 16
    assert peak.mb < MOST_MB


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("client", ["own", "openai"])
def test_ctrl_c_ends_it(client: str, tmp_path: Path) -> None:
    with hostile_server(STREAMED["texts for ever"]) as server:
        process = start(tmp_path, server.url, client, "--timeout", "100", "--stream")
        started = time.monotonic()
        while server.requests < 2 and time.monotonic() - started < LATEST_S:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LATEST_S)
    assert process.returncode == 130
