"""Checks the tools of a test, and answers the calls of one conversation with their mocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lve.data_classes import dataclass, field
from lve.documents.position_types import JsonPath
from lve.documents.read import DocumentPosition
from lve.errors import PlaceholderError, Problem, SpecError
from lve.escape import excerpt
from lve.messages import Tool, ToolCall
from lve.prompts.answers.answer_schema import schema_problems
from lve.prompts.fill import Placeholder
from lve.prompts.size import MAX_CHARACTERS, CharacterBudget
from lve.prompts.tools.mocks import (
    MockSession,
    ToolAnswer,
    error_of,
    filled_mock,
    mock_placeholders,
    needs_filling,
)
from lve.spec.spec import Instance, Spec
from lve.spec.tools import Mock
from lve.suggest import did_you_mean

UnknownName = Callable[[Placeholder], tuple[str, str | None] | None]
"""Placeholder -> message and hint if its name is unknown, else None."""


class ToolSession:
    """The tools of a conversation while it is held."""

    def __init__(self, names: frozenset[str], mocks: Mapping[str, tuple[Mock, ...]]) -> None:
        self._names = names
        self._mocks = MockSession(mocks)

    def answer(self, call: ToolCall) -> ToolAnswer:
        """Return the result of a call. For a wrong call that is an error message for the model."""
        if call.name in self._names:
            return self._mocks.answer(call)
        hint = did_you_mean(call.name, self._names)
        return error_of(f"there is no tool {excerpt(call.name)}" + (f" ({hint})" if hint else ""))


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of one conversation."""

    tools: tuple[Tool, ...]
    mocks: Mapping[str, tuple[Mock, ...]] | None
    """Tool -> its mocks. None: a turn ends with the model's calls."""
    max_turns: int
    servers: tuple[str, ...] = ()
    """Names of tool servers in the settings."""
    to_fill: frozenset[str] = frozenset()
    """Names of the tools whose mocks have placeholders."""
    code: Mapping[str, str] = field(default_factory=dict)
    """Tool -> the file of the test folder with its function."""

    def filled(self, instance: Instance) -> Toolbox:
        """Return the toolbox with an instance's parameters in its mocks.

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        if not self.to_fill or self.mocks is None:
            return self
        budget = CharacterBudget(MAX_CHARACTERS)
        mocks = dict(self.mocks)
        for name in self.to_fill:
            mocks[name] = tuple(
                filled_mock(mock, instance.parameters, budget) for mock in mocks[name]
            )
        return Toolbox(self.tools, mocks, self.max_turns, self.servers, code=self.code)

    def shown_names(self) -> list[str]:
        """Return the names of the tools, with their files."""
        return [shown_name(tool.name, self.code) for tool in self.tools]

    def session(self) -> ToolSession | None:
        """Return a new `ToolSession`; None if a turn ends with the model's calls."""
        if self.mocks is None and not self.servers and not self.code:
            return None
        return ToolSession(frozenset(tool.name for tool in self.tools), self.mocks or {})


def shown_name(tool: str, code: Mapping[str, str]) -> str:
    """Return the name of a tool, with its file if it is code."""
    return f"{tool} (code: {code[tool]})" if tool in code else tool


def build_toolbox(spec: Spec, unknown: UnknownName) -> Toolbox | None:
    """Check the tools of a test and return them; None if it has none.

    Args:
        spec: the test.
        unknown: finds placeholders with unknown names.

    Raises:
        SpecError: the tools are invalid; has all their problems.
    """
    use = spec.tools
    if use is None:
        return None
    mocks = [mock for several in (use.mocks or {}).values() for mock in several]
    problems = list(_schema_problems(spec, mocks))
    if use.code:
        from lve.prompts.tools.code import code_problems  # late: few tests bring code

        problems += code_problems(spec)
    if not problems:
        problems = [problem for mock in mocks for problem in _placeholders(spec, mock, unknown)]
    if problems:
        raise SpecError(problems)
    to_fill = frozenset(
        name for name, several in (use.mocks or {}).items() if any(map(needs_filling, several))
    )
    return Toolbox(use.tools, use.mocks, use.max_turns, use.servers, to_fill, use.code)


def _schema_problems(spec: Spec, mocks: list[Mock]) -> Iterator[Problem]:
    schemas: list[tuple[JsonPath, object]] = [
        (("tools", index, "parameters"), tool.parameters)
        for index, tool in enumerate(spec.tools.tools if spec.tools is not None else ())
    ]
    schemas += [
        ((*mock.path, "args_schema"), mock.args_schema)
        for mock in mocks
        if mock.args_schema is not None
    ]
    for path, schema in schemas:
        for problem in schema_problems(schema):
            yield DocumentPosition(spec.file, path).problem(problem, code="tool_mock")


def _placeholders(spec: Spec, mock: Mock, unknown: UnknownName) -> Iterator[Problem]:
    try:
        placeholders = list(mock_placeholders(mock))
    except PlaceholderError as error:
        yield DocumentPosition(spec.file, mock.path).problem(str(error), code=error.code)
        return
    for placeholder in placeholders:
        if (wrong := unknown(placeholder)) is not None:
            yield DocumentPosition(spec.file, mock.path).problem(
                wrong[0], wrong[1], code="tool_mock"
            )
