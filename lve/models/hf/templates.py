"""Fills the chat templates of local models in a child process (`main`) that can be killed.

A chat template is a program, and a model's folder may be anybody's. Jinja's sandbox keeps templates
from files and from Python's internals, but not from running forever or taking all memory. In a
child process, the system limits both, and a template that finds a way out of Jinja is in
`lve.sandbox` all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from lve.child.child_process import Child, ChildEndedError
from lve.child.child_side import limit_memory, serve
from lve.errors import PermanentModelError
from lve.hub.hub_access import hub_access
from lve.sandbox.rights import Sandbox

RENDER_S = 10.0
"""Seconds for one conversation; honest templates take a few milliseconds."""
START_S = 120.0
"""Seconds for the process to start: it imports transformers."""
MEMORY = 512 * 1024 * 1024
"""Bytes that filling templates may take."""


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
        try:
            if self._child is None:
                with hub_access(download=False):
                    self._child = Child(
                        "lve.models.hf.templates", shortest_s=RENDER_S, sandbox=Sandbox()
                    )
                self._child.ask({}, timeout_s=START_S)
            return self._child.ask(request, timeout_s=RENDER_S)
        except ChildEndedError as error:
            self.close()
            raise _failed(f"it {error}") from None
        except OSError as error:
            raise _failed(f"no process can be started: {error.strerror}") from None


def _failed(why: str) -> PermanentModelError:
    return PermanentModelError(f"the model's chat template can't be used: {why}", kind="model")


def _line(said: object) -> str:
    return " ".join(str(said)[:2000].split())[:300]


def main(lifeline: int) -> None:
    """Answer requests.

    Args:
        lifeline: a pipe whose other end only the parent has; -1 if there is none.
    """
    serve(lifeline, _answer)


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request. An empty one only makes the process ready."""
    render = _renderer()
    if not request:
        return {}
    from jinja2 import TemplateError

    try:
        rendered, _ = render(
            conversations=[request["messages"]],
            chat_template=request["template"],
            add_generation_prompt=True,
            **request["variables"],
        )
    except TemplateError as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"failed": "it takes too much memory"}
    # A template is a program, which may fail in any way.
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}
    return {"text": str(rendered[0])}


@cache
def _renderer() -> Callable[..., Any]:
    from transformers.utils.chat_template_utils import render_jinja_template

    limit_memory(MEMORY)
    return render_jinja_template  # type: ignore[no-any-return]
