"""Tools that are Python functions in the test folder: here they are parsed, never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lve.documents.read import DocumentPosition
from lve.errors import SpecError
from lve.messages import Tool
from lve.settings.code_file import MAX_CODE_BYTES, CodeFileError, read_code, statements
from lve.spec.spec import Spec

if TYPE_CHECKING:
    import ast  # Imported late: it takes 15 ms, and few tests have code.
    from pathlib import Path

    from lve.errors import Problem


def function_of(tool: str) -> str:
    """Return the name of a tool's function: the tool's, with `_` for each `-`."""
    return tool.replace("-", "_")


def code_files(spec: Spec) -> dict[str, bytes]:
    """Return the files with the code of a test's tools: name -> content.

    Raises:
        SpecError: one can't be read.
    """
    contents: dict[str, bytes] = {}
    for name in sorted(set(spec.tools.code.values()) if spec.tools is not None else ()):
        try:
            contents[name] = read_code(spec.folder, spec.folder / name)
        except CodeFileError as error:
            raise SpecError(
                [DocumentPosition(spec.file, ("tools",)).problem(str(error), code="tool_code")]
            ) from error
    return contents


def code_problems(spec: Spec) -> Iterator[Problem]:
    """Yield the problems of the code of a test's tools that can be seen without running it."""
    assert spec.tools is not None
    bodies = _Bodies(spec.folder)
    for index, tool in enumerate(spec.tools.tools):
        name = spec.tools.code.get(tool.name)
        if name is None:
            continue
        path = ("tools", index, "code")
        try:
            function = _function(function_of(tool.name), bodies.of(name))
        except CodeFileError as error:
            yield DocumentPosition(spec.file, path).problem(str(error), code="tool_code")
            continue
        if function is None:
            message = f"{name} has no function `{function_of(tool.name)}`"
            hint = f"define `def {function_of(tool.name)}(...)` at its top level"
            yield DocumentPosition(spec.file, path).problem(message, hint, code="tool_code")
        else:
            yield from (
                DocumentPosition(spec.file, path).problem(
                    f"{name}:{function.lineno}: {message}", code="tool_code"
                )
                for message in _mismatches(tool, function.args)
            )


class _Bodies:
    """The code of a test's tools, each file parsed once, and not more than `MAX_CODE_BYTES`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = MAX_CODE_BYTES
        self._parsed: dict[str, list[ast.stmt] | CodeFileError] = {}

    def of(self, name: str) -> list[ast.stmt]:
        """Return the top-level statements of a file.

        Raises:
            CodeFileError: it can't be read, isn't Python, or there is too much code.
        """
        if name not in self._parsed:
            try:
                self._parsed[name] = self._statements(name)
            except CodeFileError as error:
                self._parsed[name] = error
        parsed = self._parsed[name]
        if isinstance(parsed, CodeFileError):
            raise parsed
        return parsed

    def _statements(self, name: str) -> list[ast.stmt]:
        file = self._folder / name
        source = read_code(self._folder, file)
        self._left -= len(source)
        if self._left < 0:
            limit = MAX_CODE_BYTES // 1_000_000
            raise CodeFileError(f"{file} and the tools' files before it have more than {limit} MB")
        return statements(file, source)


def _function(name: str, body: list[ast.stmt]) -> ast.FunctionDef | None:
    import ast

    definitions = [
        statement
        for statement in body
        if isinstance(statement, ast.FunctionDef) and statement.name == name
    ]
    return definitions[-1] if definitions else None


def _mismatches(tool: Tool, signature: ast.arguments) -> Iterator[str]:
    """Yield a message for each difference of a function's arguments from a tool's `parameters`."""
    properties = tool.parameters.get("properties")
    offered = list(properties) if isinstance(properties, Mapping) else []
    if signature.posonlyargs:
        yield f"`{signature.posonlyargs[0].arg}` can't be given by its name: leave `/` out"
        return
    without = len(signature.args) - len(signature.defaults)
    needed = [argument.arg for argument in signature.args[:without]]
    needed += [
        argument.arg
        for argument, default in zip(signature.kwonlyargs, signature.kw_defaults, strict=True)
        if default is None
    ]
    names = [argument.arg for argument in (*signature.args, *signature.kwonlyargs)]
    for name in needed:
        if name not in offered:
            yield f"it needs `{name}`, which `parameters` doesn't have"
    for name in offered if signature.kwarg is None else ():
        if name not in names:
            yield f"it takes no `{name}`, which `parameters` has"
