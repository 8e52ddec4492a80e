"""The child process that fills chat templates. Requests and answers are lines of JSON.

A chat template is a program, and a model's folder may be anybody's. Jinja's sandbox keeps templates
from files and from Python's internals, but not from running forever or taking all memory. In a
child process, the system limits both.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

from lve.child_python import limit_memory

MEMORY = 512 * 1024 * 1024
"""Bytes that filling templates may take."""


def main(timeout_s: float) -> None:
    """Answer requests until stdin ends.

    Args:
        timeout_s: seconds for one request; then the system kills the process, even if its parent is
            gone.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # libraries may print to stdout
    from transformers.utils.chat_template_utils import render_jinja_template

    limit_memory(MEMORY)
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        _alarm(timeout_s)
        try:
            answer = _answer(json.loads(line), render_jinja_template)
        except MemoryError:
            answer = {"failed": "it takes too much memory"}
        print(json.dumps(answer), file=answers, flush=True)
        _alarm(0.0)


def _answer(request: dict[str, Any], render: Any) -> dict[str, str]:
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
        raise
    # A template is a program, which may fail in any way.
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}
    return {"text": str(rendered[0])}


def _alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)  # without a handler it kills the process
