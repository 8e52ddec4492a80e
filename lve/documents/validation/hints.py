"""Hints for common mistakes in test documents: misplaced keys, and values of a wrong type."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lve.documents.position_types import JsonPath
from lve.escape import excerpt

_ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "pass_rate": ("expect", "write `expect: {pass_rate: 0.9}`"),
    "severity": ("tags", "write `tags: [{name: severity, value: high}]`"),
    "jailbreak": ("tags", 'write `tags: [{name: jailbreak, value: "yes"}]`'),
    "messages": ("prompt", "write them under `prompt`"),
    "system": ("prompt", "write `prompt: [{system: ...}, {user: ...}]`"),
    "user": ("prompt", "write `prompt: [{user: ...}]`"),
    "variables": ("prompt_parameters", "name the parameters in `prompt_parameters`"),
    "text": ("content", "a message has its text in `content`"),
    "answer": ("response", "write the answer in `response`"),
    "output": ("response", "write the answer in `response`"),
    "passed": ("verdict", "write `verdict: passed` or `verdict: failed`"),
    "vars": ("prompt_parameters", "name the parameters in `prompt_parameters`"),
    "assert": ("checks", "write `checks: [{contains: Paris}]`"),
    **dict.fromkeys(
        ("providers", "defaultTest", "scenarios"),
        ("model", "promptfoo has it: `lve import promptfoo FILE -o FOLDER` converts its tests"),
    ),
    "tests": ("dataset", "write the values into `instances/NAME.jsonl`, or a `dataset`"),
    "cases": ("dataset", "write the values into `instances/NAME.jsonl`, or a `dataset`"),
    "default_model_args": ("args", "an entry of `models` has them in `args`"),
    "matrix": ("repeats", "a matrix belongs to a test: its names are those of one prompt"),
    **{
        name: ("default_model_args", f"write `default_model_args: {{{name}: ...}}`")
        for name in ("temperature", "top_p", "max_tokens", "seed", "stop", "reasoning_effort")
    },
}
"""Key that is often misplaced -> a key of the objects where the hint applies, and the hint."""
_MODEL_ARGS = "args"
"""The key of an entry of `models` for what a test has in `default_model_args`."""
_SHAPES: Mapping[str, str] = {
    "check": "one check is `{contains: Paris}`; list several in `checks`",
    "checks": "write `[{contains: Paris}]`",
    "examples": "write `[{response: Paris, verdict: passed}]`",
    "examples.*": "write `{response: Paris, verdict: passed}`",
    "model": "list several models in `models`",
    "models": "write `[openai/NAME]`; a single model goes in `model`",
    "prompt_parameters": "write `[name]`",
    "tags": "write `[{name: severity, value: high}]`",
    "tags.*": "write `{name: severity, value: high}`",
    "default_model_args": "write `{temperature: 0.5}`",
    "expect": "for a share of passes write `{pass_rate: 0.9}`",
    "skip": "write why: `skip: the server is gone`",
    "dataset.*": "each row is an object: `{parameter: value}`",
    "matrix": "write `{parameter: [one, other]}`",
    "matrix.*": "write the values as a list: `[one, other]`",
    "roles": "write `[judge]`",
}
"""Path of a value -> how to write it; `*` is any item or key."""
_NUMBER = re.compile(r"([+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?)( ?[a-z%]{0,8})")


def hint_for_key(key: str, properties: Mapping[str, object]) -> str | None:
    """Return a hint for an unknown key that has a meaning elsewhere; None for other keys.

    Args:
        key: the unknown key.
        properties: the keys that its object can have.
    """
    place, hint = _ELSEWHERE.get(key, ("", ""))
    if place == "default_model_args" and {"model", _MODEL_ARGS} <= {*properties}:
        return f"write `{_MODEL_ARGS}: {{{key}: ...}}`"
    return hint if place in properties else None


def hint_for_type(path: JsonPath, value: object) -> str | None:
    """Return how to write a value that has the wrong type; None if the message is clear without.

    Args:
        path: the path of the value in a test document.
        value: the value as it is written.
    """
    if path == ("model",) and not isinstance(value, list):
        return None
    if isinstance(value, dict) and len(value) == 1 and None in value.values():
        return None  # `{name}` without quotes: that is the mistake
    return _SHAPES.get(".".join([*map(str, path[:1]), *["*"] * len(path[1:])]))


def hint_for_number(value: object) -> str | None:
    """Return how to write a text as a number, if it reads as one; else None."""
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    number, unit = match.groups()
    return f"write {excerpt(number)}, without {'its unit' if unit else 'quotes'}"
