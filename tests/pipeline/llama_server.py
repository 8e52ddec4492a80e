"""llama.cpp's own OpenAI-compatible server (the package llama-cpp-python) on loopback."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FULL_PRECISION = "0"
"""GGML's number for float32: by default the server keeps attention's state in half precision."""
START_S = 180
LIBRARY = Path(sys.prefix) / "llama"
"""llama.cpp itself, which `make test` has downloaded."""


@contextmanager
def llama_server(model: Path, *, context: int = 512) -> Iterator[str]:
    """Serve a GGUF file until the block ends; gives the base URL, ending in `/v1`."""
    if importlib.util.find_spec("llama_cpp") is None or not any(LIBRARY.glob("libllama.*")):
        pytest.skip("NOT TESTED against a real server: llama.cpp is missing (make tests)")
    port = _free_port()
    log = model.with_suffix(".log")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                sys.executable, str(Path(__file__).with_name("llama_main.py")),
                "--model", str(model),
                "--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(context),
                "--logits_all", "true", "--type_k", FULL_PRECISION, "--type_v", FULL_PRECISION,
            ],
            stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env={**os.environ, "LLAMA_CPP_LIB_PATH": str(LIBRARY)},
        )  # fmt: skip
        try:
            _wait_for(port, process, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")
