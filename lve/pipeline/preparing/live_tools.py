"""Connects the tools of a test that answer while it runs: those of the settings' tool servers, and
code of the test folder."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Sequence

from lve.checkers.custom.find import untrusted
from lve.errors import UsageError
from lve.execution.tools.live_tools import LiveTools
from lve.execution.tools.tool_code import ToolProcess, ToolProcesses
from lve.execution.workers import WaitFor
from lve.extension_table import extension_part
from lve.pipeline.engine import Engine
from lve.prompts.tools.code import code_files
from lve.settings.code_file import trusted_as
from lve.settings.trusted_file import rights_of
from lve.spec.spec import Spec


def live_tools(engine: Engine, spec: Spec) -> Generator[WaitFor, None, LiveTools | None]:
    """Return the tools of a test that servers and code answer; None if there are none.

    Yields:
        What to wait for while servers start.

    Raises:
        UnavailableError: the settings have no such server.
        TrustError: a server is a program, or a tool is code, that isn't trusted.
        UsageError: a server can't be used, or has a tool with the name of one of the test's.
        SpecError: a file can't be read.
    """
    use = spec.tools
    if use is None or not (use.servers or use.code):
        return None
    processes = _processes(engine, spec)
    code = {tool: processes[file] for tool, file in use.code.items()}
    if not use.servers:
        return LiveTools(code=code)
    connected = yield from _connected(engine, use.servers)
    for tool in use.tools:
        if tool.name in connected.servers:
            where = f"the tool server {connected.servers[tool.name].name}"
            raise UsageError(
                f"`{tool.name}` is a tool of the test and of {where}", code="duplicate_name"
            )
    return connected._replace(code=code)


def _connected(engine: Engine, names: Sequence[str]) -> Generator[WaitFor, None, LiveTools]:
    """Return the tools of the session's servers, which the first test that names one starts."""
    if engine.tool_servers is None:
        make = extension_part("tool servers")
        engine.tool_servers = make(engine.settings.tool_servers, trusted=engine.options.trust)
    assert engine.tool_servers is not None
    connecting: asyncio.Future[LiveTools] = asyncio.ensure_future(
        engine.tool_servers.connect(names)
    )
    yield WaitFor(connecting)
    return connecting.result()


def _processes(engine: Engine, spec: Spec) -> dict[str, ToolProcess]:
    """Return file name -> the process that runs it, for the test's files of tool code. No process
    is started yet."""
    processes: dict[str, ToolProcess] = {}
    if engine.tool_code is None:
        engine.tool_code = ToolProcesses()
    for name, source in code_files(spec).items():
        file = spec.folder / name
        entry = trusted_as(file, source, spec.root, engine.settings.trust)
        if entry is None and not engine.options.trust:
            assert spec.tools is not None
            tool = next(tool for tool, file in spec.tools.code.items() if file == name)
            raise untrusted(spec, f"tool '{tool}'", spec.folder / name)
        required = engine.settings.sandbox == "required"
        rights = rights_of(entry, spec.folder, spec.root, sandbox_required=required)
        processes[name] = engine.tool_code.of(file, source, rights, spec.timeout_s)
    return processes
