"""The program in the process of a custom checker: loads its file and judges with its class."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any

from lve.checkers.custom.adapter import AdaptedChecker, crash, make_custom, redacts
from lve.checkers.custom.original import offer_original_modules
from lve.checkers.processes.child_side import serve
from lve.checkers.processes.wire import context_from_json, verdict_to_json
from lve.errors import CheckerError

MODULE_NAME = "lve_custom_checker"


def main(lifeline: int) -> None:
    """Answer requests.

    Args:
        lifeline: a pipe whose other end only the parent has; -1 if there is none.
    """
    offer_original_modules()
    serve(lifeline, _Host().answer)


class _Host:
    """Holds the checker's class, and the checker with the latest arguments."""

    def __init__(self) -> None:
        self._file = Path()
        self._kind: type[Any] = object
        self._args: Mapping[str, Any] | None = None
        self._checker: AdaptedChecker | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request, `{error: ...}` if it fails."""
        try:
            if request["do"] == "load":
                return self._load(Path(request["file"]), request["name"], request["source"])
            checker = self._with_args(request["args"])
            if request["do"] == "check":
                verdict = checker.check(context_from_json(request["context"]))
                return {"verdict": verdict_to_json(verdict)}
            if request["do"] == "redact":
                return {"text": checker.postprocess_response(request["text"])}
            return {}
        except CheckerError as error:
            return {"error": str(error)}
        except Exception as error:  # a verdict that is none, say
            return {"error": f"{self._file}: {error}"}

    def _load(self, file: Path, name: str, source: str) -> dict[str, Any]:
        self._file = file
        loader = _Source(MODULE_NAME, str(file), source.encode("latin-1"))
        spec = ModuleSpec(MODULE_NAME, loader, origin=str(file))
        spec.has_location = True
        module = module_from_spec(spec)
        sys.modules[MODULE_NAME] = module  # dataclasses and pickle look it up there
        try:
            loader.exec_module(module)
            self._kind = getattr(module, name)
        except ModuleNotFoundError as error:
            if not error.name:
                raise crash(error, file) from error
            return {"missing": error.name}
        except BaseException as error:
            raise crash(error, file) from error
        return {"redacts": redacts(self._kind)}

    def _with_args(self, args: Mapping[str, Any]) -> AdaptedChecker:
        if self._checker is None or args != self._args:
            self._checker = make_custom(self._kind, args, self._file)
            self._args = args
        return self._checker


class _Source(SourceFileLoader):
    """Runs exactly the text whose hash was checked, and leaves no `__pycache__` in a test
    folder."""

    def __init__(self, name: str, file: str, source: bytes) -> None:
        super().__init__(name, file)
        self._source = source

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self._source, self.path)
