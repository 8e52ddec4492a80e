"""Runs an untrusted Python file in a child process, and describes its exceptions."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from lve.sandbox.enter import current_sandbox
from lve.sandbox.refusal import refusal_of


def run_file(name: str, file: Path, source: bytes) -> ModuleType:
    """Run a Python file and return its module.

    Args:
        name: the name of the module.
        file: the path of the file, for messages.
        source: its trusted content, which is run even if the file has changed meanwhile.

    Raises:
        BaseException: whatever the file raises.
    """
    loader = _Source(name, str(file), source)
    spec = ModuleSpec(name, loader, origin=str(file))
    spec.has_location = True
    module = module_from_spec(spec)
    if current_sandbox() is not None:
        _copy_without_modes()
    sys.modules[name] = module  # dataclasses and pickle look it up there
    loader.exec_module(module)
    return module


def crash_place(error: BaseException, file: Path) -> str:
    """Return `file:line` of the innermost frame of an exception that is in `file`."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    if line is None and isinstance(error, SyntaxError):
        line = error.lineno
    return f"{file}:{line}" if line else str(file)


def crash_message(error: BaseException, *, for_user: bool = True) -> str:
    """Return type and text of an exception in one line, and whether the sandbox caused it.

    Args:
        error: the exception.
        for_user: whether to name the setting that allows what the sandbox refused.
    """
    text = " ".join(str(error).split())
    message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    refused = refusal_of(error)
    if refused is None:
        return message
    if not for_user:
        return f"{message} ({refused.message})"
    where = "in the file's entry under `trust` in the settings"
    return f"{message} ({refused.message}; {refused.setting} {where} allows it)"


def _copy_without_modes() -> None:
    """Make `shutil` copy files without their modes and times. The sandbox refuses to set these, so
    the whole copy would fail."""
    import shutil

    def leave_out(src: object, dst: object, *, follow_symlinks: bool = True) -> None:
        """Replace `copymode` and `copystat`."""

    shutil.copymode = leave_out
    shutil.copystat = leave_out


class _Source(SourceFileLoader):
    """Runs exactly the content whose hash was checked, and writes no `__pycache__` into the test
    folder."""

    def __init__(self, name: str, file: str, source: bytes) -> None:
        super().__init__(name, file)
        self._source = source

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self._source, self.path)
