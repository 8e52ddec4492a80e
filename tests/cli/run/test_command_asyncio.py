"""asyncio without `ssl`, `logging` and others works as with them."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from support.folders import workspace, write_sums
from support.server import model_server

TLS = Path(__file__).parents[2] / "cases" / "tls"
START = "import sys; from lve.cli.run.command import import_asyncio; import_asyncio()\n"


def said(code: str) -> list[str]:
    """Return the words that a process prints after it imported asyncio."""
    command = [sys.executable, "-W", "error", "-c", START + code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("before", ["", "import ssl\n", "import asyncio.sslproto\n"])
def test_others_get_the_real_modules(before: str) -> None:
    code = (
        "import ssl, asyncio, asyncio.sslproto\n"
        "print(type(ssl).__name__, type(asyncio.sslproto).__name__)\n"
        "print(asyncio.base_events.ssl.SSLContext is ssl.SSLContext)\n"
        "print(asyncio.base_events.sslproto.SSLProtocol is asyncio.sslproto.SSLProtocol)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", before + START + code], capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["module", "module", "True", "True"]


def test_ssl_is_loaded_only_when_a_connection_uses_it() -> None:
    code = (
        "import asyncio\n"
        "async def main():\n"
        "    print('ssl' in sys.modules, 'asyncio.sslproto' in sys.modules)\n"
        "    server = await asyncio.start_server(lambda r, w: w.close(), '127.0.0.1', 0)\n"
        "    port = server.sockets[0].getsockname()[1]\n"
        "    try:\n"
        "        await asyncio.open_connection('127.0.0.1', port, ssl=True)\n"
        "    except OSError as error:\n"
        "        print('refused')\n"
        "    server.close()\n"
        "    print('ssl' in sys.modules, 'asyncio.sslproto' in sys.modules)\n"
        "asyncio.run(main())\n"
    )
    assert said(code) == ["False", "False", "refused", "True", "True"]


def test_what_few_runs_need_is_loaded_only_when_it_is_used() -> None:
    late = "{'logging', 'traceback', 'subprocess', 'ssl'} & set(sys.modules)"
    code = (
        "import asyncio\n"
        f"print(len({late}))\n"
        "async def main():\n"
        f"    print(len({late}))\n"
        "    await asyncio.sleep(0)\n"
        "    process = await asyncio.create_subprocess_exec('echo', 'said', stdout=-1)\n"
        "    print((await process.communicate())[0].decode())\n"
        f"    print(sorted({late})[-1])\n"
        "asyncio.run(main())\n"
    )
    assert said(code) == ["0", "0", "said", "subprocess"]


def test_an_error_that_asyncio_logs_reaches_the_loggers_handlers() -> None:
    code = (
        "import asyncio\n"
        "async def main():\n"
        "    asyncio.get_running_loop().call_soon(lambda: 1 / 0)\n"
        "    await asyncio.sleep(0.01)\n"
        "class Handler:\n"
        "    level = 0\n"
        "    def handle(self, record): print(record.name, record.levelname, record.exc_info)\n"
        "import logging\n"
        "logging.getLogger('asyncio').addHandler(Handler())\n"
        "logging.getLogger('asyncio').setLevel('DEBUG')\n"
        "asyncio.run(main())\n"
    )
    words = said(code)
    assert words[:2] == ["asyncio", "DEBUG"]  # which selector the loop uses
    assert "asyncio ERROR (<class 'ZeroDivisionError'>," in " ".join(words)


def test_a_run_over_plain_http_loads_no_library_that_it_does_not_use(tmp_path: Path) -> None:
    """ssl, with OpenSSL, takes a megabyte, jsonschema-rs nine."""
    test = write_sums(workspace(tmp_path) / "sums", 60)
    code = (
        "import sys; from lve.__main__ import main\n"
        "try: main()\n"
        "finally: print(*{'ssl', 'jsonschema_rs'} & set(sys.modules), sep=', ', file=sys.stderr)\n"
    )
    with model_server("5") as server:
        keys = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url}
        options = ["run", str(test), "-m", "openai/test", "-q"]
        ended = subprocess.run(
            [sys.executable, "-c", code, *options],
            cwd=tmp_path, env=os.environ | keys, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert len(server.requests) == 60
    assert ended.stderr.split("\n")[-2] == "", ended.stderr


def test_encrypted_connections_read_little_at_once(tmp_path: Path) -> None:
    code = "import asyncio.sslproto\nprint(asyncio.sslproto.SSLProtocol.max_size)\n"
    assert said(code) == ["16384"]
    test, long = write_sums(workspace(tmp_path) / "sums", 1), "x" * 300_000
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "localhost.pem", TLS / "localhost.key")
    with model_server(long, tls=context) as server:
        keys = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url}
        keys["SSL_CERT_FILE"] = str(TLS / "localhost.pem")
        command = [sys.executable, "-m", "lve", "run", str(test), "-m", "openai/test"]
        subprocess.run(
            command, cwd=tmp_path, env=os.environ | keys, capture_output=True, check=False
        )
    (journal,) = tmp_path.glob(".lve/runs/*/results.jsonl")
    assert long in journal.read_text("utf-8")
