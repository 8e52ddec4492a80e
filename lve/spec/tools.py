"""The tools of a test: what the model may call, and the results that it gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lve.documents.position_types import JsonPath
from lve.documents.read import Document
from lve.errors import Problem
from lve.escape import excerpt
from lve.messages import Tool
from lve.named_tuples import NamedTuple
from lve.settings.settings import Caps
from lve.suggest import did_you_mean

MAX_TOOL_TURNS = 10
"""Default of `max_tool_turns`: how often a model may call tools in one turn."""


class Mock(NamedTuple):
    """A scripted result of a tool, before placeholders are filled."""

    path: JsonPath
    """Its path in the test document."""
    args: Mapping[str, Any] = {}
    """It answers only calls with these arguments."""
    exact: bool = False
    """Whether it answers only calls without further arguments."""
    args_schema: Mapping[str, Any] | None = None
    """It answers only calls whose arguments satisfy this JSON Schema."""
    result: Any = None
    is_error: bool = False
    """Whether `result` is an error message."""
    times: int | None = None
    """How many calls it answers; None: any number."""
    delay_s: float = 0.0


class ToolUse(NamedTuple):
    """The tools of a test."""

    tools: tuple[Tool, ...]
    mocks: Mapping[str, tuple[Mock, ...]] | None = None
    """Tool -> its mocks. None: nothing answers, a turn ends with the model's calls."""
    max_turns: int = MAX_TOOL_TURNS
    servers: tuple[str, ...] = ()
    """Names of tool servers in the settings."""
    code: Mapping[str, str] = {}
    """Tool -> the file in the test folder with its code."""


def tool_use(data: Mapping[str, Any]) -> ToolUse | None:
    """Return the tools of a valid test document; None if it has none."""
    if "tools" not in data and "tool_servers" not in data:
        return None
    tools = [
        Tool(
            tool["name"],
            tool.get("description", ""),
            tool.get("parameters") or {"type": "object", "properties": {}},
        )
        for tool in data.get("tools", ())
    ]
    mocks = data.get("mocks")
    scripted = (
        None if mocks is None else {name: _mocks(name, script) for name, script in mocks.items()}
    )
    return ToolUse(
        tuple(tools),
        scripted,
        int(data.get("max_tool_turns", MAX_TOOL_TURNS)),
        tuple(data.get("tool_servers", ())),
        {tool["name"]: tool["code"] for tool in data.get("tools", ()) if "code" in tool},
    )


def _mocks(name: str, script: Any) -> tuple[Mock, ...]:
    if not isinstance(script, list):
        return tuple(_mock(("mocks", name), script))
    return tuple(
        mock
        for index, mock_data in enumerate(script)
        for mock in _mock(("mocks", name, index), mock_data)
    )


def _mock(path: JsonPath, config: Mapping[str, Any]) -> Iterator[Mock]:
    """Yield a single mock, or one mock per item of `results`, each for one call."""
    is_error = "error" in config
    results = config.get("results")
    times = config.get("times") if results is None else 1
    for result in [config.get("error" if is_error else "result")] if results is None else results:
        yield Mock(
            path,
            config.get("args", {}),
            config.get("exact", False),
            config.get("args_schema"),
            result,
            is_error,
            times,
            config.get("delay_s", 0.0),
        )


def tool_problems(document: Document, _: Caps) -> Iterator[Problem]:
    """Yield the problems of tools and mocks that the schema can't find (a rule of
    `lve.spec.rules`)."""
    data = document.data
    names = _names(data.get("tools"))
    for index, name in enumerate(names):
        if name is not None and name in names[:index]:
            message = f"there are two tools `{excerpt(name)}`"
            yield document.problem(message, ("tools", index, "name"), code="duplicate_name")
    for key in ("tools", "tool_servers"):
        if key in data and ("infer_cfg" in data or "prompt_object" in data):
            hint = "only tests with `prompt`, `prompt_file` or `multi_run_prompt` have tools"
            yield document.problem(
                f"`{key}` has no effect here", (key,), hint=hint, key=True, code="no_effect"
            )
    if "max_tool_turns" in data and not (
        {"mocks", "tool_servers"} & data.keys() or _has_code(data.get("tools"))
    ):
        hint = "without `mocks`, a turn ends with the model's calls"
        message = "`max_tool_turns` has no effect here"
        yield document.problem(message, ("max_tool_turns",), hint=hint, key=True, code="no_effect")
    tool_names = [name for name in names if name is not None]
    mocks = data.get("mocks")
    for name in mocks if isinstance(mocks, dict) else ():
        if name not in tool_names:
            message = f"there is no tool `{excerpt(name)}`"
            hint = did_you_mean(name, tool_names) or "name it in `tools`"
            yield document.problem(message, ("mocks", name), hint=hint, key=True, code="tool_mock")


def _has_code(tools: object) -> bool:
    several = tools if isinstance(tools, list) else []
    return any(isinstance(tool, dict) and "code" in tool for tool in several)


def _names(tools: object) -> list[str | None]:
    names = [
        tool.get("name") if isinstance(tool, dict) else None
        for tool in (tools if isinstance(tools, list) else ())
    ]
    return [name if isinstance(name, str) else None for name in names]
