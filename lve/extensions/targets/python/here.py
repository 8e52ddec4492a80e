"""A function of the running program as a model: `lve.run("tests", model=answer)`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from inspect import isawaitable, iscoroutinefunction
from pathlib import Path
from typing import Any

from lve.errors import ModelError, UsageError
from lve.extensions.targets.python.worker_script import (
    PROMPT,
    TargetError,
    call,
    crash_text,
    parameters_of,
    reply_value,
)
from lve.extensions.targets.reply import Reply, failed, reply_from, too_slow
from lve.extensions.targets.request import AppRequest, Takes
from lve.extensions.targets.target_model import Attempt, TargetModel
from lve.limits.timeouts import in_time
from lve.models.config import ModelConfig
from lve.models.http.failures import printable
from lve.pipeline.threads import call_in_thread
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings


class FunctionModel(TargetModel):
    """A plain function, sync or async, called in this process."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Args:
        function: takes the prompt, the messages, or both (docs/testing-an-application.md).

        Raises:
            UsageError: it takes something else.
        """
        name = getattr(function, "__name__", type(function).__name__)
        try:
            self._parameters = parameters_of(function)
        except TargetError as error:
            raise UsageError(f"model: {name}: {error}", code="python_argument") from None
        names = frozenset(self._parameters.values())
        takes = Takes(names, how=f"`{PROMPT}`", is_function=True)
        super().__init__(ModelConfig(name, ModelSettings(), Settings(), None, 64), takes, {}, None)
        self._function = function

    async def answer(self, request: AppRequest, attempt: Attempt) -> Reply:
        """Return the function's answer; see `TargetModel.answer`."""
        try:
            result = await in_time(self._result(request), attempt.left_s)
            reply = reply_from(reply_value(result))
        except TimeoutError:
            raise too_slow(f"the function {self.name}", attempt.timeout_s) from None
        except TargetError as error:
            raise failed(str(error)) from None
        attempt.show(reply.text)
        return reply

    async def aclose(self) -> None:
        """Nothing to end: the function is the caller's."""

    async def _result(self, request: AppRequest) -> Any:
        """Return what the function returns. A sync one runs in a thread of its own, so that one
        that hangs keeps neither the run nor its end waiting."""
        try:
            if _is_async(self._function):
                result = call(self._function, self._parameters, request.values())
            else:
                result = await call_in_thread(lambda: self._called(request))
            return await result if isawaitable(result) else result
        except (asyncio.CancelledError, ModelError):
            raise
        except Exception as error:
            raise failed(printable(crash_text(error, str(Path.cwd())))) from error

    def _called(self, request: AppRequest) -> Any:
        try:
            return call(self._function, self._parameters, request.values())
        except Exception:
            raise
        except BaseException as error:  # such as SystemExit, which must not end the run
            raise RuntimeError(repr(error)) from None


def _is_async(function: object) -> bool:
    called = getattr(type(function), "__call__", None)  # noqa: B004 (its code is looked at)
    return iscoroutinefunction(function) or iscoroutinefunction(called)
