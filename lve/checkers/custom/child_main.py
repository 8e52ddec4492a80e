"""The program in the process of a custom checker: loads its file and judges with its class.

Checkers of the original LVE tools are adapted here to the current interface.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.custom.original_imports import BaseChecker, install_original_modules
from lve.checkers.processes.wire import context_from_json, verdict_to_json
from lve.child.child_code import crash_message, crash_place, run_file
from lve.child.child_side import serve
from lve.data_classes import dataclass
from lve.errors import CheckerError, MissingExtraError

MODULE_NAME = "lve_custom_checker"
START_REQUESTS = ("load", "make")
"""The requests before the first judgement, to which a missing package can be reported."""


def main(lifeline: int) -> None:
    """Answer requests until the parent closes its end.

    Args:
        lifeline: file descriptor of a pipe that closes when the parent ends; -1 if there is none.
    """
    install_original_modules()
    serve(lifeline, _Host().answer)


class _Host:
    """Keeps the checker's class, and the checker made from the latest arguments."""

    def __init__(self) -> None:
        self._file = Path()
        self._kind: type[object] = object
        self._args: Mapping[str, object] | None = None
        self._checker: _Adapted | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request: `{error: ...}` if it fails, `{missing: ...}` if the
        checker can't be made because a package is not installed."""
        try:
            if request["do"] == "load":
                return self._load(Path(request["file"]), request["name"], request["source"])
            checker = self._with_args(request["args"])
            if request["do"] == "check":
                return self._verdict(checker.check(context_from_json(request["context"])))
            if request["do"] == "postprocess":
                return {"text": checker.postprocess_response(request["text"])}
            return {}
        except MissingExtraError as error:
            return {"missing" if request["do"] in START_REQUESTS else "error": str(error)}
        except CheckerError as error:
            return {"error": str(error)}
        except Exception as error:
            return {"error": f"{self._file}: {error}"}

    def _verdict(self, verdict: Verdict) -> dict[str, object]:
        try:
            return {"verdict": verdict_to_json(verdict)}
        except ValueError as error:
            return {"error": f"{self._file}: gave {error}"}

    def _load(self, file: Path, name: str, source: str) -> dict[str, object]:
        self._file = file
        try:
            module = run_file(MODULE_NAME, file, source.encode("latin-1"))
            self._kind = getattr(module, name)
        except BaseException as error:
            raise _crash(error, file) from error
        return {"postprocesses": _postprocesses(self._kind)}

    def _with_args(self, args: Mapping[str, object]) -> _Adapted:
        if self._checker is None or args != self._args:
            self._checker = _made(self._kind, args, self._file)
            self._args = args
        return self._checker


@dataclass(frozen=True, slots=True)
class _Adapted:
    """A custom checker, old or new, with the interface of built-in checkers."""

    inner: Any
    file: Path

    def check(self, context: CheckContext) -> Verdict:
        """Return the verdict.

        Raises:
            CheckerError: the checker crashed. The message has the line of its file.
        """
        try:
            return self._check(context)
        except BaseException as error:
            raise _crash(error, self.file) from error

    def _check(self, context: CheckContext) -> Verdict:
        if hasattr(self.inner, "check"):
            return _as_verdict(self.inner.check(context), self.inner)
        prompts = [list(transcript.messages) for transcript in context.transcripts]
        if self.inner.is_multi_run():
            return self._original_verdict(prompts, context)
        for prompt in prompts:
            verdict = self._original_verdict(prompt, context)
            if not verdict.passed:
                return verdict
        return verdict

    def _original_verdict(self, prompt: object, context: CheckContext) -> Verdict:
        """Return the verdict of an original checker on one prompt, or on a list of prompts."""
        safe, _ = self.inner.invoke_check(prompt, dict(context.parameters))
        return _as_verdict(safe, self.inner)

    def postprocess_response(self, response: str) -> str:
        """Return the response as the checker lets it be written.

        Raises:
            CheckerError: the checker crashed or returned no text.
        """
        method = getattr(self.inner, "postprocess_response", None)
        if method is None:
            return response
        try:
            result = method(response)
        except BaseException as error:
            raise _crash(error, self.file) from error
        if not isinstance(result, str):
            raise CheckerError(
                f"{self.file}: postprocess_response() gave {type(result).__name__}, not a text",
                code="checker_code",
            )
        return result


def _as_verdict(result: object, checker: object) -> Verdict:
    if isinstance(result, Verdict):
        return result
    name = type(checker).__name__
    if result is None or not hasattr(type(result), "__bool__"):
        raise TypeError(f"{name} gave {type(result).__name__}, not True, False or a Verdict")
    safe = bool(result)
    return Verdict("passed" if safe else "failed", f"{name} says {'safe' if safe else 'not safe'}")


def _made(kind: type[object], args: Mapping[str, object], file: Path) -> _Adapted:
    """Return a checker of class `kind` with these arguments.

    Raises:
        CheckerError: the class is no checker, or its constructor refuses the arguments or crashes.
        MissingExtraError: the checker needs a package that is not installed.
    """
    if not (hasattr(kind, "check") or issubclass(kind, BaseChecker)):
        raise CheckerError(
            f"{file}: {kind.__name__} is no checker: it needs a method check(self, context)",
            code="checker_code",
        )
    try:
        signature = inspect.signature(kind)
    except (TypeError, ValueError) as error:
        raise CheckerError(
            f"{file}: {kind.__name__} can't be called: {error}", code="checker_code"
        ) from error
    try:
        signature.bind(**args)
    except TypeError as error:
        takes = ", ".join(signature.parameters) or "none"
        raise CheckerError(
            f"{kind.__name__}: {error} (its arguments: {takes})", code="checker_code"
        ) from error
    try:
        return _Adapted(kind(**args), file)
    except BaseException as error:
        raise _crash(error, file) from error


def _postprocesses(kind: type[object]) -> bool:
    """Return whether a class may change answers before they are written."""
    method = getattr(kind, "postprocess_response", None)
    return method is not None and method is not BaseChecker.postprocess_response


def _crash(error: BaseException, file: Path) -> CheckerError | MissingExtraError:
    """Return the error for an exception in a checker. The message has the line of the file, and the
    command to install a missing package."""
    place = crash_place(error, file)
    if isinstance(error, MissingExtraError):
        return MissingExtraError(f"{place}: {error}")
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        if find_spec(package) is None:
            return MissingExtraError(
                f"{place}: needs the Python package {package!r}, which is not installed:"
                f" pip install {shlex.quote(package)}"
            )
    return CheckerError(f"{place}: {crash_message(error)}", code="checker_code")
