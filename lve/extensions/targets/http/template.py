"""Templates of requests: JSON in whose texts `{prompt}` and the like are replaced by values.

A value never becomes part of the JSON's own text: a text that is only `{messages}` becomes the
list, and a name inside a longer text is filled in there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lve.errors import SettingsError
from lve.extensions.targets.request import ARGS, NAMES
from lve.json_types import JsonValue

_PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_][\w.]*)\}")
MISSING = object()
"""The value of a name that the request doesn't have. A field with it is left out."""


class Template:
    """A JSON value with names in its texts."""

    def __init__(self, value: JsonValue, where: str, names: tuple[str, ...] = NAMES) -> None:
        """Args:
        value: the value.
        where: the setting that has it, for messages.
        names: the names that it may have.

        Raises:
            SettingsError: it has another one.
        """
        self._value = value
        self.names = frozenset(name.partition(".")[0] for name in _names_in(value))
        """The names that it has; `args` for each `{args.NAME}`."""
        for name in _names_in(value):
            first, dot, _ = name.partition(".")
            if first not in names or (dot and first != ARGS):
                raise SettingsError(_unknown(where, name, names), code="target")

    def filled(self, values: Mapping[str, Any]) -> Any:
        """Return the value with the names replaced."""
        return _filled(self._value, values)

    def filled_text(self, values: Mapping[str, Any], change: Callable[[str], str] = str) -> str:
        """Return the value, which is a text, with the names replaced by texts.

        Args:
            values: name -> value.
            change: called with each text before it is put in.
        """
        return _PLACE.sub(lambda match: _replaced(match, values, change), str(self._value))


def _unknown(where: str, name: str, names: tuple[str, ...]) -> str:
    usual = [f"{{{name}}}" for name in names]
    usual = [*usual, "{args.NAME}"] if ARGS in names else usual
    names_there = f"there are {', '.join(usual) or 'none here'}"
    return (
        f"{where}: `{{{name}}}` is no name ({names_there}; for a brace that is meant, write {{{{)"
    )


def _names_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from (match[1] for match in _PLACE.finditer(value) if match[1])
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _names_in(str(key))
            yield from _names_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _names_in(item)


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        whole = _PLACE.fullmatch(value)
        if whole is not None and whole[1]:
            return _value(whole[1], values)
        return _PLACE.sub(lambda match: _replaced(match, values), value)
    if isinstance(value, Mapping):
        items = ((_text(_filled(str(k), values)), _filled(v, values)) for k, v in value.items())
        return {key: item for key, item in items if item is not MISSING}
    if isinstance(value, list):
        return [item for v in value if (item := _filled(v, values)) is not MISSING]
    return value


def _replaced(
    match: re.Match[str], values: Mapping[str, Any], change: Callable[[str], str] = str
) -> str:
    name = match[1]
    return match[0][0] if name is None else change(_text(_value(name, values)))


def _value(name: str, values: Mapping[str, Any]) -> Any:
    first, dot, rest = name.partition(".")
    value = values.get(first)
    if dot:
        value = value.get(rest, MISSING) if isinstance(value, Mapping) else MISSING
    return MISSING if value is None else value


def _text(value: object) -> str:
    if value is MISSING:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
