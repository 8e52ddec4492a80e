"""Judges whether an answer holds a JSON object with the keys and types that were asked for."""

from __future__ import annotations

import json
from typing import Any

from lve.checkers.base import CheckContext, Verdict

MAX_PLACES = 200
"""The most opening braces at which an object is tried."""
_TYPES: dict[str, Any] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
}


class JsonObjectChecker:
    """Passes if the answer holds a JSON object that has all of the given keys.

    Args:
        keys: key -> type (`string`, `number`, `integer`, `boolean`, `array`, `object`).
        only: whether the answer must be the object and nothing else (no prose, no code fence).
        extra_keys: whether further keys are fine.
    """

    def __init__(
        self, keys: dict[str, str], *, only: bool = False, extra_keys: bool = True
    ) -> None:
        unknown = sorted(set(keys.values()) - set(_TYPES))
        if unknown:
            raise ValueError(f"no such type: {', '.join(unknown)}; there are {', '.join(_TYPES)}")
        self.keys = keys
        self.only = only
        self.extra_keys = extra_keys

    def check(self, context: CheckContext) -> Verdict:
        """Judge the answer of the last run."""
        value = self._parse(context.response)
        if not isinstance(value, dict):
            return Verdict("failed", "found no JSON object in the answer")
        for key, kind in self.keys.items():
            if key not in value:
                return Verdict("failed", f"the object has no key '{key}'")
            if not self._is(value[key], kind):
                return Verdict("failed", f"'{key}' is not of type {kind}: {value[key]!r:.60}")
        more = sorted(set(value) - set(self.keys))
        if more and not self.extra_keys:
            return Verdict("failed", f"the object has further keys: {', '.join(more)}")
        return Verdict("passed", f"found an object with {', '.join(self.keys)}")

    def postprocess_response(self, response: str) -> str:
        """Return the response unchanged: there is nothing to redact."""
        return response

    def _parse(self, text: str) -> Any:
        """Return the JSON value of the whole text, or the first JSON object in it; None if there is
        none."""
        places = [0] if self.only else [at for at, letter in enumerate(text) if letter == "{"]
        for place in places[:MAX_PLACES]:
            try:
                if self.only:
                    return json.loads(text)
                return json.JSONDecoder().raw_decode(text, place)[0]
            except (ValueError, RecursionError):
                continue
        return None

    def _is(self, value: Any, kind: str) -> bool:
        if isinstance(value, bool):
            return kind == "boolean"
        return isinstance(value, _TYPES[kind])
