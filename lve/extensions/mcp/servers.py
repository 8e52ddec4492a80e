"""Tools of MCP servers, which are started once per session, when a test first needs them.

The settings define the servers; a test can only name them. A server that is a program runs with the
user's rights. So it starts only if the user trusts it for this run (`--trust`): the settings in the
current folder may come from somebody else.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shlex
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from importlib.util import find_spec

from lve.errors import MissingExtraError, TrustError, UnavailableError, UsageError
from lve.escape import escape_line, excerpt, head
from lve.execution.tools.live_tools import LiveTools
from lve.execution.tools.tool_code import LONGEST_RESULT
from lve.extensions.mcp.sdk_types import CallResult, Session, Streams
from lve.extensions.mcp.streams import NOT_COMPRESSED, ProgramStreams, check_response
from lve.json_types import JsonValue
from lve.limits.timeouts import in_time
from lve.messages import Tool
from lve.models.http.keys import may_be_sent_to
from lve.prompts.tools.mocks import error_of
from lve.settings.programs import ToolServer
from lve.suggest import did_you_mean

MAX_TOOLS = 128
"""Most tools of one server."""
CLOSE_S = 10.0
"""Seconds that a server has to end."""
SDK_LOGGERS = ("mcp", "client")
"""The loggers of the SDK's modules, or those above them."""
SHOWN_REASON = 800
"""Most characters of why a server can't be used."""
SHOWN_COMMAND = 2_000
"""Most characters of an untrusted command that are shown."""


class ToolServers:
    """The MCP servers of a session."""

    def __init__(self, settings: Mapping[str, ToolServer], *, trusted: bool) -> None:
        """Args:
        settings: name of a server -> its settings.
        trusted: whether servers that are programs may be started.
        """
        self._settings = settings
        self._trusted = trusted
        self._running: dict[str, _Server] = {}

    async def connect(self, names: Sequence[str]) -> LiveTools:
        """Start the named servers if they don't run yet, and return their tools.

        Raises:
            UnavailableError: the settings have no such server.
            TrustError: a server is a program that isn't trusted. No server was started.
            UsageError: a server can't be used, or two have a tool with the same name.
            MissingExtraError: the package `mcp` isn't installed.
        """
        for name in names:
            self._check(name)
        servers: dict[str, _Server] = {}
        tools: list[Tool] = []
        for name in names:
            server = self._server(name)
            for tool in await server.tools():
                if tool.name in servers:
                    other = servers[tool.name].name
                    message = f"the tool servers {other} and {name} both have `{tool.name}`"
                    raise UsageError(
                        f"{message}: choose with `tools` in the settings", code="tool_server_tools"
                    )
                servers[tool.name] = server
                tools.append(tool)
        return LiveTools(tuple(tools), servers)

    async def close(self) -> None:
        """End all servers."""
        for server in self._running.values():
            await server.close()

    def _check(self, name: str) -> None:
        if name not in self._settings:
            hint = did_you_mean(name, self._settings)
            hint = hint or f"add `tool_servers: {{{name}: {{command: [...]}}}}` to lve.yaml"
            raise UnavailableError(f"the settings have no tool server '{name}' ({hint})")
        if self._settings[name].command and not self._trusted:
            raise _untrusted(name, self._settings[name])

    def _server(self, name: str) -> _Server:
        if name not in self._running:
            self._running[name] = _Server(name, self._settings[name])
        return self._running[name]


class _Server:
    """One server. The SDK requires that the same task opens and closes the connection, so each
    server has a task."""

    def __init__(self, name: str, settings: ToolServer) -> None:
        self.name = name
        self._settings = settings
        self._closing = asyncio.Event()
        self._program: ProgramStreams | None = None
        self._ready: asyncio.Future[tuple[Session, tuple[Tool, ...]]]
        self._ready = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    async def tools(self) -> tuple[Tool, ...]:
        """Return the tools that models may call, when the server is ready."""
        seconds = self._settings.timeout_s
        done, _ = await asyncio.wait({self._ready}, timeout=seconds)
        if not done and not self._ready.done():
            self._task.cancel()
            message = f"the tool server {self.name} didn't start within {seconds:g} s"
            message += f" (`timeout_s` in the settings){self._stray()}{self._last_lines()}"
            self._ready.set_exception(UsageError(message, code="tool_server"))
        return (await asyncio.shield(self._ready))[1]

    async def call(self, tool: str, arguments: dict[str, JsonValue]) -> str:
        """Return the result of a call as text."""
        session, _ = await asyncio.shield(self._ready)
        try:
            pending = session.call_tool(tool, arguments)
            return _text_of(await in_time(pending, self._settings.timeout_s))
        except TimeoutError:
            why = f"no result within {self._settings.timeout_s:g} s{self._stray()}"
            return error_of(why).text
        except Exception as error:  # any error of the SDK or the server
            return error_of(excerpt(self._why(error), 500)).text

    async def close(self) -> None:
        """End the connection, and the process."""
        self._closing.set()
        await asyncio.wait({self._task}, timeout=CLOSE_S)
        self._task.cancel()
        with suppress(Exception, asyncio.CancelledError):  # errors at its end don't matter
            await self._task

    async def _run(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                session = await self._opened(stack)
                tools = await self._listed(session)
                self._ready.set_result((session, tools))
                await self._closing.wait()
        except Exception as error:
            if self._ready.done():
                return
            first = _first(error)
            if not isinstance(first, UsageError):
                reason = excerpt(self._why(first) + self._last_lines(), SHOWN_REASON)
                first = UsageError(
                    f"the tool server {self.name} can't be used: {reason}", code="tool_server"
                )
            self._ready.set_exception(first)

    def _why(self, error: BaseException) -> str:
        """Return the cause of an error: if lve or the program has ended the connection, why."""
        program = self._program
        if program is None:
            return str(error) or type(error).__name__
        why = str(error) or type(error).__name__
        if program.problem is not None:
            why = f"it {program.problem}"
        elif program.exit_code is not None:
            why = f"its program has ended {_way(program.exit_code)}"
        return why + self._stray()

    def _stray(self) -> str:
        """Return the end of a message: the first line of the server that was no message."""
        line = None if self._program is None else self._program.stray
        return "" if line is None else f"; it wrote a line that is no message of MCP: {line!r}"

    def _last_lines(self) -> str:
        """Return the end of a message: the last lines of the program's stderr."""
        lines = "" if self._program is None else self._program.errors.shown()
        return f"; the end of its stderr: {lines}" if lines else ""

    async def _opened(self, stack: AsyncExitStack) -> Session:
        if find_spec("mcp") is None:
            raise MissingExtraError("tool servers need mcp: pip install 'lve[mcp]'")
        _print_no_logs()
        streams = await (self._over_http(stack) if self._settings.url else self._started(stack))
        from mcp import ClientSession  # takes a second, in which the program starts

        session: Session = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
        await session.initialize()
        return session

    async def _started(self, stack: AsyncExitStack) -> Streams:
        environment = {name: os.environ[name] for name in self._settings.env if name in os.environ}
        self._program = ProgramStreams(self._settings.command, environment)
        return await stack.enter_async_context(self._program.opened())

    async def _over_http(self, stack: AsyncExitStack) -> Streams:
        from httpx2 import AsyncClient
        from mcp.client.streamable_http import streamable_http_client

        key, url = self._key(), str(self._settings.url)
        headers = {**NOT_COMPRESSED, **({"Authorization": f"Bearer {key}"} if key else {})}
        timeout_s = self._settings.timeout_s
        client = await stack.enter_async_context(
            AsyncClient(
                headers=headers, timeout=timeout_s, event_hooks={"response": [check_response]}
            )
        )
        opened = streamable_http_client(url, http_client=client)
        streams: Streams = await stack.enter_async_context(opened)
        return streams

    def _key(self) -> str:
        variable = self._settings.key_env
        if variable is None:
            return ""
        if not may_be_sent_to(variable, str(self._settings.url), os.environ):
            message = (
                f"{variable} is the key of another provider, which the tool server {self.name}"
            )
            raise UsageError(
                f"{message} doesn't get: use a variable of its own", code="tool_server_key"
            )
        if not os.environ.get(variable):
            message = f"the tool server {self.name} needs {variable}"
            raise UsageError(f"{message}: set this environment variable", code="tool_server_key")
        return os.environ[variable]

    async def _listed(self, session: Session) -> tuple[Tool, ...]:
        allowed = self._settings.tools
        listed = (await session.list_tools()).tools
        tools = [tool for tool in listed if allowed is None or tool.name in allowed][:MAX_TOOLS]
        missing = sorted({*(allowed or ())} - {tool.name for tool in tools})
        if missing:
            raise UsageError(
                f"the tool server {self.name} has no tool `{missing[0]}`", code="tool_server_tools"
            )
        return tuple([Tool(tool.name, tool.description or "", tool.input_schema) for tool in tools])


def _print_no_logs() -> None:
    """Keep what the SDK logs, such as a traceback for each line of a server that is no message, off
    stderr, where Python prints what no handler takes. Handlers of the user still get it."""
    for name in SDK_LOGGERS:
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def _untrusted(name: str, server: ToolServer) -> TrustError:
    """Return the error for a server that is a program and isn't trusted."""
    command = excerpt(escape_line(shlex.join(server.command)), SHOWN_COMMAND)
    return TrustError(
        f"its tool server '{name}' is a program of the settings and is not trusted: it would run"
        f" `{command}` with your rights; read it, then run again with --trust (pytest: --lve-trust)"
    )


def _way(exit_code: int) -> str:
    """Return how a program has ended, in words."""
    return f"with exit code {exit_code}" if exit_code >= 0 else f"by signal {-exit_code}"


def _first(error: BaseException) -> BaseException:
    """Return an error, or the first error of an exception group."""
    while inner := getattr(error, "exceptions", None):
        error = inner[0]
    return error


def _text_of(result: CallResult) -> str:
    """Return a result as text: its texts, or else its structured content."""
    texts = [part.text for part in result.content if getattr(part, "type", None) == "text"]
    others = [f"({part.type})" for part in result.content if part.type != "text"]
    text = "\n".join([*texts, *others])
    if not text and result.structured_content is not None:
        text = json.dumps(result.structured_content, ensure_ascii=False)
    text = head(text, LONGEST_RESULT)
    return error_of(text).text if result.is_error else text
