# ruff: noqa: PTH100, PTH118, PTH119, PTH120, PTH122 (pathlib would be loaded for nothing)
"""Calls a function of the workspace for lve. It runs in the workspace's Python, which needn't have
lve installed, so it imports only the standard library.

Its arguments are the workspace's root and `module:function` or `file.py:function`. It answers each
line of stdin, a request in JSON, with a line on stdout. What the function prints goes to stderr.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

PROMPT = "prompt"
NAMES = ("prompt", "messages", "system", "session", "args")
"""What a function can take; its first other parameter gets the prompt."""
REPLY = (
    *("text", "contexts", "tool_calls", "usage", "cost", "metadata", "session"),
    *("finish_reason", "reasoning"),
)
COUNTS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")


class TargetError(Exception):
    """A function can't be used, or gave no answer; the message says why."""


def parameters_of(function: Callable[..., object]) -> dict[str, str]:
    """Return parameter of a function -> the name in `NAMES` of what it gets.

    Raises:
        TargetError: it takes nothing, or something that lve doesn't have.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise TargetError(f"its parameters can't be read: {error}") from None
    takes: dict[str, str] = {}
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        needs_value = parameter.default is parameter.empty
        if parameter.name in NAMES:
            takes[parameter.name] = parameter.name
        elif needs_value and PROMPT not in takes.values() and "messages" not in takes:
            takes[parameter.name] = PROMPT
        elif needs_value:
            raise TargetError(
                f"its parameter `{parameter.name}` needs a value that lve doesn't have: a function "
                f"takes {', '.join(NAMES)}"
            )
    if not {PROMPT, "messages"} & {*takes.values()}:
        raise TargetError("it takes neither the prompt nor the `messages`")
    return takes


def call(function: Callable[..., Any], takes: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    """Call a function with what it takes; the result of an async one must still be awaited."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name not in takes:
            continue
        value = values[takes[parameter.name]]
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[parameter.name] = value
    return function(*positional, **named)


def reply_value(result: Any) -> Any:
    """Return a function's result as a JSON value: a text or an object.

    Raises:
        TargetError: it is something else.
    """
    if isinstance(result, str | dict):
        return result
    if type(result).__name__ == "Completion" and hasattr(result, "text"):
        fields = {name: getattr(result, name, None) for name in REPLY}
        if fields["usage"] is not None:
            fields["usage"] = {name: getattr(fields["usage"], name, 0) for name in COUNTS}
        calls = fields["tool_calls"] or ()
        fields["tool_calls"] = [
            {"id": c.id, "name": c.name, "arguments": c.arguments} for c in calls
        ]
        return {name: value for name, value in fields.items() if value not in (None, [], ())}
    raise TargetError(
        f"it returned {'None' if result is None else 'a ' + type(result).__name__}: return a text, "
        "a dict with `text`, or a lve.Completion"
    )


def crash_text(error: BaseException, root: str) -> str:
    """Return an exception on one line, with the last place in the workspace."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if frame.filename.startswith(root + os.sep)]
    place = ""
    if places:
        last = places[-1]
        place = f" ({os.path.relpath(last.filename, root)}:{last.lineno})"
    return f"{type(error).__name__}: {error}{place}"


def load(root: str, name: str) -> Any:
    """Return the function `module:function` or `file.py:function`.

    Raises:
        TargetError: there is none.
    """
    module_name, _, attribute = name.rpartition(":")
    sys.path[:0] = [root]
    if module_name.endswith(".py"):
        file = os.path.join(root, module_name)
        stem = os.path.splitext(os.path.basename(file))[0]
        spec = importlib.util.spec_from_file_location(stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module
        sys.path[:0] = [os.path.dirname(file)]
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(module_name)
    function: Any = module
    for part in attribute.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        raise TargetError(f"{module_name} has no function `{attribute}`")
    return function


class Worker:
    """Answers requests with a function."""

    def __init__(self, function: Callable[..., Any], root: str) -> None:
        self._function = function
        self._root = root
        self._takes = parameters_of(function)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = os.getpid()

    @property
    def takes(self) -> list[str]:
        """What the function takes."""
        return sorted({*self._takes.values()})

    def answer(self, line: str) -> Any:
        """Return the answer to a request as a JSON value."""
        try:
            result = call(self._function, self._takes, json.loads(line))
            if inspect.isawaitable(result):
                result = self._awaited(result)
            value = reply_value(result)
            json.dumps(value, default=_refuse)
            return value
        except TargetError as error:
            return {"error": str(error)}
        except BaseException as error:
            if os.getpid() != self._process or isinstance(error, KeyboardInterrupt):
                raise
            return {"error": crash_text(error, self._root)}
        finally:
            if os.getpid() != self._process:  # a fork of the function's: only lve's child answers
                os._exit(0)

    def _awaited(self, result: Any) -> Any:
        """Return an awaitable's result. All calls share a loop, so that clients may be kept."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(_wait(result))


async def _wait(result: Any) -> Any:
    return await result


def _refuse(value: object) -> object:
    raise TargetError(f"it returned a dict that holds a {type(value).__name__}, which is no JSON")


def main() -> None:
    """Answer requests until stdin ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    root, name = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or os.curdir) != here]

    def write(value: object) -> None:
        answers.write(json.dumps(value, ensure_ascii=True).encode() + b"\n")
        answers.flush()

    process = os.getpid()
    try:
        worker = Worker(load(root, name), root)
    except TargetError as error:
        write({"error": str(error)})
        return
    except BaseException as error:
        if os.getpid() == process:
            write({"error": crash_text(error, root)})
        return
    write({"ready": True, "takes": worker.takes})
    for line in requests:
        write(worker.answer(line.decode()))


if __name__ == "__main__":
    main()
