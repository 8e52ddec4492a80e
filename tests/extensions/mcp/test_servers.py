"""Tools of real MCP servers, written with the SDK."""

from __future__ import annotations

import asyncio
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extensions.mcp.server import server_command
from support.packages import needs

from lve.errors import TrustError, UnavailableError, UsageError
from lve.execution.tools.tool_code import LONGEST_RESULT
from lve.extensions.mcp.servers import ToolServers, _text_of
from lve.messages import ToolCall
from lve.settings.programs import ToolServer

pytestmark = needs("mcp")
WEATHER = ToolServer(command=("python", "weather.py"))


def called(server: ToolServer, *calls: tuple[str, str]) -> list[str]:
    """Return the results of calls."""

    async def call() -> list[str]:
        servers = ToolServers({"weather": server}, trusted=bool(server.command))
        try:
            live = await servers.connect(["weather"])
            assert await servers.connect(["weather"]) == live, "it runs once"
            return [await live.call(ToolCall("1", name, said)) for name, said in calls]
        finally:
            await servers.close()

    return asyncio.run(call())


def refused(names: list[str], **servers: ToolServer) -> str:
    async def connect() -> Any:
        found = ToolServers(servers, trusted=True)
        try:
            return await found.connect(names)
        finally:
            await found.close()

    with pytest.raises(UsageError) as caught:
        asyncio.run(connect())
    is_there = all(name in servers for name in names)
    assert isinstance(caught.value, UnavailableError) is not is_there
    return str(caught.value)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server over HTTP, which all tests share that don't need one of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        server_command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    ends = time.monotonic() + 30
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert time.monotonic() < ends
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/mcp"
    process.kill()
    process.wait()


def test_a_server_answers_calls_and_one_that_takes_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("MY_TOKEN", "mine")
    started = time.monotonic()
    results = called(
        ToolServer(server_command(), env=("MY_TOKEN", "NOT_SET"), timeout_s=10),
        ("get_weather", '{"city": "Rome"}'),
        ("variables", ""),
        ("fail", "{}"),
        ("get_weather", "{"),
        ("get_weather", "{}"),
        ("sleep", "{}"),
    )
    assert results[:2] == ["Rome: sunny, 21 degrees", "MY_TOKEN"]
    assert results[2].startswith("Error: Error executing tool fail")
    assert results[3] == "Error: the arguments are no JSON object"
    assert results[4].startswith("Error: ")
    assert "city" in results[4]
    assert results[5] == "Error: no result within 10 s"
    assert time.monotonic() - started < 50


def test_only_the_tools_that_the_settings_name_are_there(address: str) -> None:
    server = ToolServer(url=address)

    async def listed() -> list[str]:
        servers = ToolServers({"w": server._replace(tools=("count",))}, trusted=True)
        try:
            return [tool.name for tool in (await servers.connect(["w"])).tools]
        finally:
            await servers.close()

    assert asyncio.run(listed()) == ["count"]
    assert refused(["w"], w=server._replace(tools=("cuont",))) == (
        "the tool server w has no tool `cuont`"
    )


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (ToolServer(command=("no-such-program-xyz",)), "the tool server b can't be used: "),
        (ToolServer(command=(sys.executable, "-c", "pass")), "the tool server b can't be used: "),
        (
            ToolServer(
                command=(sys.executable, "-c", "import time; time.sleep(60)"), timeout_s=0.5
            ),
            "the tool server b didn't start within 0.5 s (`timeout_s` in the settings)",
        ),
        (ToolServer(url="http://127.0.0.1:9/mcp"), "the tool server b can't be used: "),
        (
            ToolServer(url="http://127.0.0.1:9/mcp", key_env="LVE_NOT_SET"),
            "the tool server b needs LVE_NOT_SET: set this environment variable",
        ),
        (
            ToolServer(url="http://127.0.0.1:9/mcp", key_env="OPENAI_API_KEY"),
            "OPENAI_API_KEY is the key of another provider, which the tool server b doesn't get",
        ),
    ],
)
def test_a_server_that_can_not_be_used_is_told(server: ToolServer, message: str) -> None:
    assert refused(["b"], b=server).startswith(message)


def test_a_server_that_is_not_there_is_told() -> None:
    assert refused(["wether"], weather=WEATHER) == (
        "the settings have no tool server 'wether' (did you mean `weather`?)"
    )
    assert "add `tool_servers: {x: {command: [...]}}` to lve.yaml" in refused(["x"])


def untrusted(tmp_path: Path, *command: str) -> str:
    """Return why a program doesn't start. It would, after the other server."""

    async def connect() -> None:
        settings = {"web": ToolServer(url="http://127.0.0.1:9/mcp"), "x": ToolServer(command)}
        servers = ToolServers(settings, trusted=False)
        try:
            await servers.connect(["web", "x"])
        finally:
            await servers.close()

    with pytest.raises(TrustError) as caught:
        asyncio.run(connect())
    assert list(tmp_path.iterdir()) == []
    return str(caught.value)


def test_a_program_starts_only_if_the_user_says_so(tmp_path: Path) -> None:
    write = f"open({str(tmp_path / 'ran')!r}, 'w')"
    message = untrusted(tmp_path, sys.executable, "-c", write)
    assert message.startswith("its tool server 'x' is a program of the settings and is not trusted")
    assert f"`{shlex.join([sys.executable, '-c', write])}`" in message
    assert message.endswith("read it, then run again with --trust (pytest: --lve-trust)")


def test_a_program_that_does_not_start_is_shown_without_harm(tmp_path: Path) -> None:
    shown = untrusted(tmp_path, "sh", "\x1b[2K\rls\u202e", "a\n::add-mask::b")
    assert "`sh '\\x1b[2K\\rls\\u202e' 'a\\n\\x3a:add-mask::b'`" in shown
    assert shown.isprintable()
    assert len(untrusted(tmp_path, "sh", "x" * 1_000_000)) < 3_000


def test_two_servers_can_not_have_the_same_tool(address: str) -> None:
    server = ToolServer(url=address)
    message = refused(["a", "b"], a=server, b=server)
    assert message == (
        "the tool servers a and b both have `get_weather`: choose with `tools` in the settings"
    )


class _Part:
    def __init__(self, kind: str, text: str = "") -> None:
        self.type, self.text = kind, text


class _Result:
    def __init__(self, *content: _Part, structured: Any = None, is_error: bool = False) -> None:
        self.content, self.structured_content, self.is_error = content, structured, is_error


def test_results_become_text() -> None:
    parts = (_Part("text", "a"), _Part("image"), _Part("text", "b"))
    assert _text_of(_Result(*parts)) == "a\nb\n(image)"
    assert _text_of(_Result(structured={"n": 1})) == '{"n": 1}'
    assert _text_of(_Result(_Part("text", "no"), is_error=True)) == "Error: no"
    assert len(_text_of(_Result(_Part("text", "x" * (2 * LONGEST_RESULT))))) == LONGEST_RESULT


def test_a_server_over_http_answers_calls(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "mine")
    server = ToolServer(url=address, key_env="MY_TOKEN")
    assert called(server, ("get_weather", '{"city": "Oslo"}')) == ["Oslo: sunny, 21 degrees"]


GRANDCHILD = "import subprocess, sys; subprocess.Popen(['sleep', '40'], start_new_session=False); "
TELLS = "import sys; print('reading', *range(9), sep='\\n', file=sys.stderr); "


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import no_such_module_xyz", "No module named 'no_such_module_xyz'"),
        (
            TELLS + "sys.exit('WEATHER_API_KEY isn\\'t set')",
            "6 / 7 / 8 / WEATHER_API_KEY isn't set",
        ),
        (GRANDCHILD + "sys.exit('its child keeps the pipes')", "its child keeps the pipes"),
        (TELLS + "print('x' * 99_999, file=sys.stderr); sys.exit('and more')", "stderr: and more"),
        ("import os; os.write(2, b'caf\\xe9 \\x1b[31m'); os._exit(7)", "exit code 7; the end of"),
        (
            "import os, sys; sys.exit('token ' + os.environ['WEATHER_API_KEY'])",
            "its stderr: token [redacted]",
        ),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "has ended by signal 9"),
    ],
)
def test_a_server_that_fails_at_its_start_is_told_by_its_last_lines(
    code: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", token := "sk-aB3dE-f8gH1jK2lM3nO4pQ5")
    command = (sys.executable, "-c", code)
    import mcp  # noqa: F401 (takes a second on its own)

    before = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    alone_s = time.monotonic() - before
    server = ToolServer(command=command, env=("WEATHER_API_KEY",), timeout_s=60)
    started = time.monotonic()
    told = refused(["b"], b=server)
    assert told.startswith("the tool server b can't be used: its program has ended ")
    assert says in told
    assert token not in told
    assert "\x1b" not in told
    assert len(told) < 1_000
    assert time.monotonic() - started < 2 + 5 * alone_s, "it is told when the program ends"


def test_a_launcher_that_leaves_its_server_behind_is_no_failure() -> None:
    command = shlex.join(server_command())
    server = ToolServer(command=("sh", "-c", f"exec 3<&0; {command} <&3 & exit 0"))
    assert called(server, ("get_weather", '{"city": "Rome"}')) == ["Rome: sunny, 21 degrees"]
