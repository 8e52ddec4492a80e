"""A scorer's process: started once, asked for each row, and for all rows together."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from lve.child.child_process import Child, ChildEndedError
from lve.data_classes import dataclass
from lve.errors import CheckerError, UsageError
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.plugins import MAX_NAME
from lve.sandbox.rights import Sandbox

RELAY = "lve.extensions.scorers.relay"
HOST = Path(__file__).with_name("host.py")
LOADERS = HOST.with_name("loaders.py")
"""A program that loads rows, for `lve import`."""
MEMORY_BYTES = 4_000_000_000
START_S = 110.0
ROW_S = 60.0
WHOLE_S = 600.0
MOST = 1e300
"""The largest score: the sum of a few is finite, too."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a scorer says of rows."""

    scores: Mapping[str, float | None]
    """None for what is no number, or one from which no mean can be taken (`MOST`)."""
    passed: bool | None
    """Of a single row, whether it is right; None if the details don't say."""


class ScorerBox:
    """A process in the sandbox that has loaded a scorer."""

    def __init__(self, config: Mapping[str, object], reads: tuple[str, ...] = ()) -> None:
        """Start it.

        Args:
            config: `scorer` (of a file, its whole path), `options`, and the functions for what it
                compares.
            reads: further files that it may read.

        Raises:
            CheckerError: it can't be loaded.
        """
        path = str(config["scorer"])
        file, colon, _ = path.rpartition(":")
        folder = str(Path(file).parent) if colon else None
        python, installed = (sys.executable, ()) if colon else _environment(path)
        sandbox = Sandbox(folder=folder, read=(str(HOST.parent), *installed, *reads))
        try:
            self._child = Child(RELAY, shortest_s=0.5, sandbox=sandbox, memory_bytes=MEMORY_BYTES)
        except OSError as error:
            message = f"no process can be started: {error}"
            raise CheckerError(message, code="checker_process") from None
        start = {"command": [python, "-I", "-B", str(HOST)], "folder": folder or ""}
        try:
            self._ask({**start, **config}, START_S)
        except BaseException:
            self.end()
            raise

    def row(self, prediction: str, reference: object, columns: Mapping[str, object]) -> Said:
        """Return what the scorer says of one row.

        Raises:
            CheckerError: it fails, takes too long, or has ended.
        """
        return _said(self._ask({"row": [prediction, reference, columns]}, ROW_S))

    def whole(self, file: Path, repeat: int) -> Said:
        """Return what the scorer says of all rows in a file of JSON lines.

        Raises:
            CheckerError: it fails, takes too long, or has ended.
        """
        return _said(self._ask({"file": str(file), "repeat": repeat}, WHOLE_S))

    def _ask(self, request: Mapping[str, object], seconds: float) -> Mapping[str, object]:
        try:
            said = self._child.ask(request, timeout_s=seconds)
        except ChildEndedError as error:
            raise CheckerError(f"the scorer {error}", code="checker_process") from None
        for kind, code in (("error", "checker_code"), ("failed", "checker_process")):
            if (why := said.get(kind)) is not None:
                raise CheckerError(f"the scorer: {excerpt(str(why), 300)}", code=code)
        return said

    def end(self) -> None:
        """End the process."""
        self._child.end()


def _environment(path: str) -> tuple[str, tuple[str, ...]]:
    """Return the Python that has a class's package, and what it has to read.

    Raises:
        CheckerError: it isn't installed.
    """
    package = path.partition(".")[0]
    tool = extension_part("tool of a package")(package)
    if tool is None:
        message = f"no tool of lve has the package {excerpt(package)}"
        raise CheckerError(message, code="checker_code")
    try:
        tool.check()
    except UsageError as error:
        raise CheckerError(str(error), code="checker_code") from None
    return str(tool.python), (str(tool.folder),)


def _said(answer: Mapping[str, object]) -> Said:
    scores, passed = answer.get("scores"), answer.get("passed")
    if not isinstance(scores, dict) or not all(
        value is None or isinstance(value, int | float) for value in scores.values()
    ):
        raise CheckerError("the scorer gave no numbers", code="checker_code")
    said: Mapping[str, float | None] = scores
    if (longest := max(map(len, said), default=0)) > MAX_NAME:
        message = f"the scorer names a score in {longest:,} characters: {MAX_NAME} are allowed"
        raise CheckerError(message, code="checker_code")
    finite = {  # readers of sessions refuse a name with half a surrogate pair
        name.encode("utf-8", "backslashreplace").decode(): v if abs(v or 0) <= MOST else None
        for name, v in said.items()
    }
    return Said(finite, passed if isinstance(passed, bool) else None)
