"""Checkers that a test brings along: found without running them, loaded only when trusted.

A test's own stand in `checker/checker*.py`, shared ones in `checkers/<name>/checker.py` at the
workspace root. A test names a class, so files are searched for a class of that name.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import io
import sys
import threading
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from lve.checkers.custom_files import checker_files
from lve.errors import CheckerError, TrustError
from lve.spec.model import Spec
from lve.workspace import TrustedFile

MAX_FILE_BYTES = 1_000_000
_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class CustomChecker:
    """A class in a file that has not been run."""

    file: Path
    name: str
    bases: tuple[str, ...]

    def is_trusted(self, root: Path, trust: Iterable[TrustedFile]) -> bool:
        """Whether the settings list the file with its present content."""
        path = self.file.relative_to(root).as_posix() if self.file.is_relative_to(root) else None
        digest = hashlib.sha256(self.file.read_bytes()).hexdigest()
        return any(t.path == path and t.sha256.lower() == digest for t in trust)


def find_custom(spec: Spec, name: str) -> CustomChecker | None:
    """Return where a class stands. Reads files, runs none of them.

    Raises:
        CheckerError: a file that comes before it can't be read.
    """
    for file in checker_files(spec):
        for node in _classes(file):
            if node.name == name:
                return CustomChecker(file, name, tuple(ast.unparse(base) for base in node.bases))
    return None


def custom_names(spec: Spec) -> list[str]:
    """Return the names of all classes in a test's checker files."""
    names: list[str] = []
    for file in checker_files(spec):
        with contextlib.suppress(CheckerError):
            names += [node.name for node in _classes(file)]
    return names


def _classes(file: Path) -> list[ast.ClassDef]:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise CheckerError(f"{file}: more than {MAX_FILE_BYTES:,} bytes")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.read_bytes(), filename=str(file))
    except OSError as error:
        raise CheckerError(f"{file}: can't be read: {error.strerror}") from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        place = f"{file}:{line}" if line else str(file)
        raise CheckerError(f"{place}: not Python: {getattr(error, 'msg', error)}") from error
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def load_custom(found: CustomChecker) -> type[Any]:
    """Run the file and return the class. Only for trusted files.

    Raises:
        CheckerError: the file fails; names its line.
    """
    try:
        module = _load_module(found.file)
        kind: type[Any] = getattr(module, found.name)
    except (Exception, SystemExit) as error:
        raise CheckerError(f"{crash_place(error, found.file)}: {crash_message(error)}") from error
    return kind


def _load_module(file: Path) -> ModuleType:
    # Two tests may both have a `checker.py`: the name holds the path and the content.
    content = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    path = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]
    name = f"_lve_checker_{path}_{content}"
    with _LOCK:
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{file} can't be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # dataclasses and pickle look it up there
        try:
            with silenced(), _no_bytecode():
                spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module


@contextlib.contextmanager
def _no_bytecode() -> Any:
    """A test folder is not the place for `__pycache__`."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


@contextlib.contextmanager
def silenced() -> Any:
    """What a custom checker prints would mix with the results on stdout."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def crash_place(error: BaseException, file: Path) -> str:
    """Return `file:line` of the innermost line of the checker's file that took part."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    if line is None and isinstance(error, SyntaxError):
        line = error.lineno
    return f"{file}:{line}" if line else str(file)


def crash_message(error: BaseException) -> str:
    """Return type and text of an exception in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def untrusted(spec: Spec, found: CustomChecker) -> TrustError:
    """The refusal to run a file, with what to do."""
    file = found.file.relative_to(spec.root) if found.file.is_relative_to(spec.root) else found.file
    return TrustError(
        f"{spec.path}: the checker '{found.name}' is Python code of the test ({file.as_posix()})"
        f" and is not trusted; read it, then run `lve run {spec.path} --trust`"
    )
