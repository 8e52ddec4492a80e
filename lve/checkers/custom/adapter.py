"""Gives custom checkers, old and new, the interface of built-in ones. Runs in the checker's
process."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.custom.legacy import BaseChecker
from lve.errors import CheckerError


@dataclass(frozen=True, slots=True)
class AdaptedChecker:
    """A custom checker, behind the same two methods as the built-in ones."""

    inner: Any
    file: Path

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict.

        Raises:
            CheckerError: the checker crashed; names the line of its file.
        """
        try:
            return self._check(context)
        except BaseException as error:
            raise crash(error, self.file) from error

    def _check(self, context: CheckContext) -> Verdict:
        if hasattr(self.inner, "check"):
            return _as_verdict(self.inner.check(context), self.inner)
        prompts = [list(transcript.messages) for transcript in context.transcripts]
        if self.inner.is_multi_run():
            return self._says(prompts, context)
        for prompt in prompts:
            verdict = self._says(prompt, context)
            if not verdict.passed:
                return verdict
        return verdict

    def _says(self, prompt: Any, context: CheckContext) -> Verdict:
        safe, _ = self.inner.invoke_check(prompt, dict(context.parameters))
        return _as_verdict(safe, self.inner)

    def postprocess_response(self, response: str) -> str:
        """Return the response as it may be written.

        Raises:
            CheckerError: the checker crashed or gave no text.
        """
        method = getattr(self.inner, "postprocess_response", None)
        if method is None:
            return response
        try:
            result = method(response)
        except BaseException as error:
            raise crash(error, self.file) from error
        if not isinstance(result, str):
            raise CheckerError(
                f"{self.file}: postprocess_response() gave {type(result).__name__}, not a text"
            )
        return result


def _as_verdict(result: Any, checker: Any) -> Verdict:
    if isinstance(result, Verdict):
        return result
    name = type(checker).__name__
    if result is None or not hasattr(type(result), "__bool__"):
        raise TypeError(f"{name} gave {type(result).__name__}, not True, False or a Verdict")
    safe = bool(result)
    return Verdict("passed" if safe else "failed", f"{name} says {'safe' if safe else 'not safe'}")


def make_custom(kind: type[Any], args: Mapping[str, Any], file: Path) -> AdaptedChecker:
    """Return a custom checker with its arguments.

    Raises:
        CheckerError: its constructor doesn't take them, or crashes.
    """
    if not (hasattr(kind, "check") or issubclass(kind, BaseChecker)):
        raise CheckerError(
            f"{file}: {kind.__name__} is no checker: it needs a method check(self, context)"
        )
    try:
        signature = inspect.signature(kind)
    except (TypeError, ValueError) as error:
        raise CheckerError(f"{file}: {kind.__name__} can't be called: {error}") from error
    try:
        signature.bind(**args)
    except TypeError as error:
        takes = ", ".join(signature.parameters) or "none"
        raise CheckerError(f"{kind.__name__}: {error} (its arguments: {takes})") from error
    try:
        return AdaptedChecker(kind(**args), file)
    except BaseException as error:
        raise crash(error, file) from error


def redacts(kind: type[Any]) -> bool:
    """Return whether a class may change answers before they are written."""
    method = getattr(kind, "postprocess_response", None)
    return method is not None and method is not BaseChecker.postprocess_response


def crash(error: BaseException, file: Path) -> CheckerError:
    """Return the error for an exception of a checker; it names the line of the file."""
    return CheckerError(f"{_crash_place(error, file)}: {_crash_message(error)}")


def _crash_place(error: BaseException, file: Path) -> str:
    """Return `file:line` of the innermost frame in the checker's file."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    if line is None and isinstance(error, SyntaxError):
        line = error.lineno
    return f"{file}:{line}" if line else str(file)


def _crash_message(error: BaseException) -> str:
    """Return type and text of an exception in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
