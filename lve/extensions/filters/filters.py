"""The filters of `extract`: steps of a chain that rewrite the text that is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Protocol, cast

from lve import regexes
from lve.checkers.arguments import ArgumentError
from lve.checkers.judging_limits import ACTIVE, LimitError
from lve.checkers.search import check_stretch, replaced
from lve.data_classes import dataclass, field
from lve.extension_table import extension_part
from lve.regexes import Pattern

MAX_ENTRIES = 10_000


class Filter(Protocol):
    """Returns what a text becomes."""

    def __call__(self, text: str) -> str: ...


@dataclass(frozen=True)
class Match:
    """One of all matches of a regular expression: its first group that isn't empty, without white
    space around it."""

    pattern: str
    group: int = 0
    """Which match: 0 is the first, -1 the last."""
    otherwise: str = ""
    """The text if there is no match."""

    def __post_init__(self) -> None:
        regexes.compile_pattern(self.pattern)

    def __call__(self, text: str) -> str:
        matches = _all_matches(regexes.compile_pattern(self.pattern), text)
        if not matches:
            return self.otherwise
        if not -len(matches) <= self.group < len(matches):
            return self.otherwise
        match = matches[self.group]
        if isinstance(match, tuple):
            match = next((part for part in match if part), self.otherwise)
        return str(match).strip()


@dataclass(frozen=True)
class Map:
    """The text that a text is translated to."""

    mapping: Mapping[str, str] = field(default_factory=dict)
    otherwise: str = ""
    """The text for those that it doesn't have."""

    def __post_init__(self) -> None:
        is_texts = all(isinstance(value, str) for value in self.mapping.values())
        if not is_texts or len(self.mapping) > MAX_ENTRIES:
            raise TypeError(f"'mapping' has at most {MAX_ENTRIES:,} texts for texts")

    def __call__(self, text: str) -> str:
        return self.mapping.get(text, self.otherwise)


@dataclass(frozen=True)
class Replace:
    """The text with every match of a regular expression replaced."""

    pattern: str
    by: str = ""
    """What stands there then, as it is written."""

    def __post_init__(self) -> None:
        regexes.compile_pattern(self.pattern)

    def __call__(self, text: str) -> str:
        return replaced(self.pattern, text, self.by)


def _all_matches(pattern: Pattern, text: str) -> list[Any]:
    check_stretch(pattern, text)
    try:
        seconds = ACTIVE.limits.regex_seconds
        return cast(list[Any], regexes.call(pattern, "findall", text, seconds=seconds))
    except regexes.PatternTimeoutError as error:
        raise LimitError(str(error)) from None


@dataclass(frozen=True)
class _Changed:
    """A text that is changed without arguments."""

    change: Callable[[str], str]

    def __call__(self, text: str) -> str:
        return self.change(text)


_TYPES: Mapping[str, type[Any]] = {"match": Match, "map": Map, "replace": Replace}
OF_PROMPTFOO = {"promptfoo_script": "promptfoo transform", "promptfoo_calls": "promptfoo calls"}
_CHANGES: Mapping[str, Callable[[str], str]] = {
    "trim": str.strip,
    "lowercase": str.lower,
    "uppercase": str.upper,
}
_VALUES = {"group": int, "mapping": Mapping}
"""Arguments that aren't texts -> their type."""


def make_filter(document: Mapping[str, Any]) -> Filter:
    """Return the filter that an object describes.

    Args:
        document: its `type`: `match`, `map`, `replace`, `trim`, `lowercase` or `uppercase`; and its
            arguments.

    Raises:
        ArgumentError: an argument is missing, unknown or wrong.
    """
    name = document["type"]
    arguments = {key: value for key, value in document.items() if key != "type"}
    try:
        if name in _CHANGES:
            if arguments:
                raise TypeError(f"it has no argument {next(iter(arguments))!r}")
            return _Changed(_CHANGES[name])
        if name in OF_PROMPTFOO:
            return cast(Filter, extension_part(OF_PROMPTFOO[name])(**arguments))
        return _made(_TYPES[name], arguments)
    except (TypeError, regexes.PatternError) as error:
        raise ArgumentError("extract", f"extractor {name!r}: {error}") from error


def _made(kind: type[Any], arguments: Mapping[str, Any]) -> Filter:
    accepted = {own.name: own for own in fields(kind)}
    for name, value in arguments.items():
        if name not in accepted:
            raise TypeError(f"it has no argument {name!r}; it has {', '.join(accepted)}")
        if not isinstance(value, _VALUES.get(name, str)) or isinstance(value, bool):
            wanted = {"group": "a whole number", "mapping": "an object"}.get(name, "a text")
            raise TypeError(f"{name!r} is {wanted}, not {value!r}")
    needed = [name for name, own in accepted.items() if _is_needed(own) and name not in arguments]
    if needed:
        raise TypeError(f"it needs {needed[0]!r}")
    return cast(Filter, kind(**arguments))


def _is_needed(own: Any) -> bool:
    return own.default is MISSING and own.default_factory is MISSING
