"""Keys that people write where they don't belong, and how to write what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "pass_rate": ("expect", "write `expect: {pass_rate: 0.9}`"),
    "severity": ("tags", "write `tags: [{name: severity, value: high}]`"),
    "jailbreak": ("tags", 'write `tags: [{name: jailbreak, value: "yes"}]`'),
    "messages": ("prompt", "write them under `prompt`"),
    "system": ("prompt", "write `prompt: [{system: ...}, {user: ...}]`"),
    "user": ("prompt", "write `prompt: [{user: ...}]`"),
    "variables": ("prompt_parameters", "name the parameters in `prompt_parameters`"),
    "text": ("content", "a message has its text in `content`"),
    "answer": ("response", "the answer stands in `response`"),
    "output": ("response", "the answer stands in `response`"),
    "passed": ("verdict", "write `verdict: passed` or `verdict: failed`"),
    "vars": ("prompt_parameters", "name the parameters in `prompt_parameters`"),
    "assert": ("checks", "write `checks: [{contains: Paris}]`"),
    "tests": ("dataset", "write the values into `instances/NAME.jsonl`, or a `dataset`"),
    "cases": ("dataset", "write the values into `instances/NAME.jsonl`, or a `dataset`"),
    "default_model_args": ("args", "an entry of `models` has them in `args`"),
    "matrix": ("repeats", "a matrix belongs to a test: its names are those of one prompt"),
    **{
        name: ("default_model_args", f"write `default_model_args: {{{name}: ...}}`")
        for name in ("temperature", "top_p", "max_tokens", "seed", "stop", "reasoning_effort")
    },
}
"""Keys that are often written where they don't belong -> where such an object has them, and how."""
_OF_MODEL = "args"
"""Where an entry of `models` has what a test has in `default_model_args`."""


def hint_elsewhere(key: str, known: Mapping[str, Any]) -> str | None:
    """Return how to write what a key means, if its object can have it."""
    place, hint = _ELSEWHERE.get(key, ("", ""))
    if place == "default_model_args" and {"model", _OF_MODEL} <= {*known}:
        return f"write `{_OF_MODEL}: {{{key}: ...}}`"
    return hint if place in known else None
