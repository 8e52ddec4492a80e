"""Renders the chat templates of local models in a child process (`main`) that can be killed.

A chat template is a program, and a model's folder isn't trusted. Jinja's sandbox denies templates
access to files and Python's internals, but they can run forever or take all memory. A child process
has limits on both, and a template that escapes Jinja's sandbox is still inside `lve.sandbox`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from lve.child.answers import LONG, AnswerLimits, limits_for_text
from lve.child.child_process import Child, ChildEndedError
from lve.child.child_side import limit_memory, serve
from lve.child.helper import MAX_CRASHES, CrashedTooOftenError, Helper, HelperStoppedError
from lve.data.hub_access import hub_access
from lve.errors import PermanentModelError
from lve.escape import head
from lve.settings.trusted_file import CodeRights

RENDER_S = 10.0
"""Time limit in seconds for one conversation; benign templates take a few milliseconds."""
START_S = 120.0
"""Time limit in seconds for the process to start: it imports transformers."""
MAX_TEMPLATE = 1_000_000
"""Maximum length of a template in characters."""
MAX_MEMORY_BYTES = 512 * 1024 * 1024
"""Memory that rendering may take."""


class TemplateRenderer(Helper):
    """Renders chat templates, one conversation at a time."""

    def __init__(self) -> None:
        super().__init__(
            "lve.extensions.hf.templates",
            load={},
            limit_s=RENDER_S,
            start_limit_s=START_S,
            rights=CodeRights(memory_bytes=None),
        )

    def render(
        self, template: str, messages: Sequence[Mapping[str, str]], variables: Mapping[str, object]
    ) -> str:
        """Return a conversation rendered as a text for the model to continue.

        Args:
            template: an untrusted Jinja template.
            messages: role and content of each message.
            variables: the tokenizer's special tokens by name.

        Raises:
            PermanentModelError: the template refuses the messages (kind `bad_request`), or fails,
                takes too long or too much memory (kind `model`).
        """
        if len(template) > MAX_TEMPLATE:
            raise _failed(f"it has more than {MAX_TEMPLATE:,} characters")
        request = {"template": template, "messages": list(messages), "variables": variables}
        length = sum(len(text) for message in messages for text in message.values())
        answer = self._ask_renderer(request, limits_for_text(length, LONG))
        if "text" in answer:
            return str(answer["text"])
        if "refused" in answer:
            raise PermanentModelError(
                f"the model's chat template refuses these messages: {_line(answer['refused'])}",
                kind="bad_request",
            )
        raise _failed(_line(answer.get("failed", "it gives no answer")))

    def _started(self) -> Child:
        with hub_access(download=False):
            return super()._started()

    def _ask_renderer(
        self, request: Mapping[str, object], limits: AnswerLimits
    ) -> Mapping[str, object]:
        try:
            return self.request(request, limits=limits)
        except CrashedTooOftenError:
            raise _failed(f"its process ended {MAX_CRASHES} times in a row") from None
        except HelperStoppedError:
            raise _failed("it was stopped") from None
        except ChildEndedError as error:
            raise _failed(f"it {error}") from None
        except OSError as error:
            raise _failed(f"no process can be started: {error.strerror}") from None


def _failed(why: str) -> PermanentModelError:
    return PermanentModelError(f"the model's chat template can't be used: {why}", kind="model")


def _line(message: object) -> str:
    return head(" ".join(head(str(message), 2000).split()), 300)


def main(lifeline: int) -> None:
    """Answer requests; the child process runs this.

    Args:
        lifeline: a pipe whose other end only the parent process has; -1 if there is none.
    """
    serve(lifeline, _answer)


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request. An empty request only loads transformers."""
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

    limit_memory(MAX_MEMORY_BYTES)
    return render_jinja_template  # type: ignore[no-any-return]
