"""The child process that fills chat templates.

A chat template is a program, and a model's folder may be anybody's. Jinja's sandbox keeps templates
from files and from Python's internals, but not from running forever or taking all memory. In a
child process, the system limits both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from lve.child_side import limit_memory, serve

MEMORY = 512 * 1024 * 1024
"""Bytes that filling templates may take."""


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
