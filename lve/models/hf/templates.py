"""Fills the chat templates of local models in a child process that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from lve.child_python import child_command, child_environment
from lve.errors import PermanentModelError
from lve.hub_access import hub_access

RENDER_S = 10.0
"""Seconds for one conversation; honest templates take a few milliseconds."""
START_S = 120.0
"""Seconds for the process to start: it imports transformers."""
LONGEST = 64 * 1024 * 1024
"""Most bytes of one answer."""


class TemplateFiller:
    """Fills chat templates, one conversation at a time. Its process is started when it is first
    needed, and again after it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def fill(
        self, template: str, messages: Sequence[Mapping[str, str]], variables: Mapping[str, Any]
    ) -> str:
        """Return a conversation as the template writes it, ready for the model to continue.

        Args:
            template: a Jinja template, which isn't trusted.
            messages: role and content of each message.
            variables: the tokenizer's special tokens by name.

        Raises:
            PermanentModelError: the template refuses the messages (kind `bad_request`), or fails,
                takes too long or too much memory (kind `model`).
        """
        request = {"template": template, "messages": list(messages), "variables": variables}
        answer = self._asked(json.dumps(request, default=str).encode() + b"\n")
        if "text" in answer:
            return str(answer["text"])
        if "refused" in answer:
            raise PermanentModelError(
                f"the model's chat template refuses these messages: {_line(answer['refused'])}",
                kind="bad_request",
            )
        raise _failed(_line(answer.get("failed", "it gives no answer")))

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # unread output doesn't matter
                    pipe.close()

    def _asked(self, request: bytes) -> Mapping[str, Any]:
        if self._process is None:
            self._process = _started()
            self._exchanged(b"", START_S)
        return self._exchanged(request, RENDER_S)

    def _exchanged(self, request: bytes, timeout_s: float) -> Mapping[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(timeout_s, process.kill)
        timer.start()
        line = b""
        try:
            process.stdin.write(request)
            process.stdin.flush()
            line = process.stdout.readline(LONGEST)
        except OSError:  # the process was killed
            pass
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            answer: Mapping[str, Any] = json.loads(line)
            return answer
        self.close()
        raise _failed(f"it takes longer than {timeout_s:g} s, or too much memory")


def _started() -> subprocess.Popen[bytes]:
    with hub_access(download=False):
        environment = child_environment(os.environ)
    return subprocess.Popen(
        child_command("lve.models.hf.template_process", RENDER_S),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,  # so that Ctrl-C reaches only lve
    )


def _failed(why: str) -> PermanentModelError:
    return PermanentModelError(f"the model's chat template can't be used: {why}", kind="model")


def _line(said: object) -> str:
    return " ".join(str(said)[:2000].split())[:300]
