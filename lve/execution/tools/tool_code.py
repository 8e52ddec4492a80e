"""Runs tools that are Python code of a test folder, each file in a process of its own, which starts
with the first call and ends with the session."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from lve.child.answers import LONG
from lve.child.child_process import ChildEndedError
from lve.child.helper import CrashedTooOftenError, Helper, HelperGroup, HelperStoppedError
from lve.escape import excerpt, head
from lve.prompts.tools.code import function_of
from lve.prompts.tools.mocks import error_of
from lve.settings.trusted_file import CodeRights

LIMIT_S = 30.0
"""Most seconds for one call, and for running the file."""
LONGEST_RESULT = 1_000_000
"""Most characters of a result; the rest is cut off."""
LONGEST_ERROR = 2_000
"""Most characters of an error message."""


class ToolLoadError(Exception):
    """The file can't be run; the message is for the model."""


class ToolProcess(Helper):
    """The process of one file. It answers one call at a time."""

    def __init__(
        self, file: Path, source: bytes, rights: CodeRights, limit_s: float, group: HelperGroup
    ) -> None:
        """Args:
        file: the file, which must be trusted.
        source: its content. Exactly this runs, even if the file changes meanwhile.
        rights: what the code may do.
        limit_s: most seconds of one call, and of running the file.
        group: the other processes of the session.
        """
        super().__init__(
            "lve.execution.tools.tool_code_child",
            load={"do": "load", "file": str(file), "source": source.decode("latin-1")},
            limit_s=limit_s,
            start_limit_s=limit_s,
            rights=rights,
            group=group,
        )
        from concurrent.futures import ThreadPoolExecutor  # late: few tests have code

        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lve-tool")

    def loaded(self, answer: Mapping[str, object]) -> None:
        """Raise ToolLoadError if the file can't be run."""
        if "error" in answer:
            raise ToolLoadError(excerpt(answer["error"], LONGEST_ERROR))

    async def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """Return the result of a call as text; if the call fails, an error message for the
        model."""
        request = {
            "do": "call",
            "function": function_of(tool),
            "arguments": arguments,
            "most": LONGEST_RESULT,
        }
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._result, request)

    def _result(self, request: Mapping[str, object]) -> str:
        try:
            answer = self.request(request, limits=LONG)
        except CrashedTooOftenError:
            return error_of("the tool isn't run any more, its process ended too often").text
        except HelperStoppedError:
            return error_of("the tool was stopped").text
        except ChildEndedError as error:
            return error_of(f"the tool {error}").text
        except ToolLoadError as error:
            return error_of(str(error)).text
        except OSError as error:
            return error_of(f"the tool's process can't be started: {error.strerror}").text
        text = answer.get("text")
        if isinstance(text, str):
            return head(text, LONGEST_RESULT)
        return error_of(excerpt(answer.get("error", "no result"), LONGEST_ERROR)).text

    def close(self) -> None:
        """End the process for good, even in the middle of a call."""
        self.stop()
        self._thread.shutdown(wait=True, cancel_futures=True)
        super().close()


class ToolProcesses:
    """The processes of a session, one per file and content."""

    def __init__(self) -> None:
        self._all: dict[tuple[Path, bytes, float], ToolProcess] = {}
        self._group = HelperGroup()

    def of(
        self, file: Path, source: bytes, rights: CodeRights, limit_s: float | None
    ) -> ToolProcess:
        """Return the process of a file. It starts with its first call.

        Args:
            file, source, rights: as for `ToolProcess`.
            limit_s: most seconds of one call; None: `LIMIT_S`.
        """
        key = (file, source, limit_s or LIMIT_S)
        if key not in self._all:
            self._all[key] = ToolProcess(file, source, rights, limit_s or LIMIT_S, self._group)
        return self._all[key]

    def close(self) -> None:
        """End all processes."""
        for process in self._all.values():
            process.close()
