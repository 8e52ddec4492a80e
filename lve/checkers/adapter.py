"""Makes a custom checker, of the old kind or the new, look like any other."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lve.checkers.base import BaseChecker, CheckContext, Verdict
from lve.checkers.custom import crash_message, crash_place, silenced
from lve.errors import CheckerError


@dataclass(frozen=True, slots=True)
class AdaptedChecker:
    """A custom checker, behind the same two methods as the built-in ones."""

    inner: Any
    file: Path

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict; what the checker prints is dropped.

        Raises:
            CheckerError: the checker crashed; names the line of its file.
        """
        try:
            with silenced():
                return self._check(context)
        except (Exception, SystemExit) as error:
            raise CheckerError(
                f"{crash_place(error, self.file)}: {crash_message(error)}"
            ) from error

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
            with silenced():
                result = method(response)
        except (Exception, SystemExit) as error:
            raise CheckerError(
                f"{crash_place(error, self.file)}: {crash_message(error)}"
            ) from error
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
        with silenced():
            return AdaptedChecker(kind(**args), file)
    except (Exception, SystemExit) as error:
        raise CheckerError(f"{crash_place(error, file)}: {crash_message(error)}") from error
