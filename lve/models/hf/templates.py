"""Fills the chat templates of local models in a child process that can be killed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.child_process import Child, ChildEndedError
from lve.errors import PermanentModelError
from lve.hub_access import hub_access

RENDER_S = 10.0
"""Seconds for one conversation; honest templates take a few milliseconds."""
START_S = 120.0
"""Seconds for the process to start: it imports transformers."""


class TemplateFiller:
    """Fills chat templates, one conversation at a time. Its process is started when it is first
    needed, and again after it was killed."""

    def __init__(self) -> None:
        self._child: Child | None = None

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
        answer = self._asked(request)
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
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _asked(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        timeout_s = START_S
        try:
            if self._child is None:
                with hub_access(download=False):
                    self._child = Child("lve.models.hf.template_process", shortest_s=RENDER_S)
                self._child.ask({}, timeout_s=timeout_s)
            timeout_s = RENDER_S
            return self._child.ask(request, timeout_s=timeout_s)
        except ChildEndedError:
            self.close()
            raise _failed(f"it takes longer than {timeout_s:g} s, or too much memory") from None


def _failed(why: str) -> PermanentModelError:
    return PermanentModelError(f"the model's chat template can't be used: {why}", kind="model")


def _line(said: object) -> str:
    return " ".join(str(said)[:2000].split())[:300]
