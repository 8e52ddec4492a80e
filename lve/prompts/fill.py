"""Fills `{name}` in prompts: Python's `str.format_map`, minus what could run code or leak data.

Intended differences: `{x.attribute}` and positional `{}`, `{0}` are refused; widths and precisions
are capped; only texts, lists and objects can be indexed. Values are inserted as they are and never
parsed as templates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from lve.data_classes import dataclass, field
from lve.errors import PlaceholderError, PromptError
from lve.escape import excerpt, listed
from lve.named_tuples import NamedTuple
from lve.prompts.fill_texts import FillTexts, text_filler
from lve.prompts.size import MAX_CHARACTERS, too_long

MAX_WIDTH = 1000
"""Largest width or precision of a format spec, since `{x:9999999999}` would fill the memory."""
BRACES_HINT = "write {{ and }} for braces that are meant literally"
_MAX_DEPTH = 2  # As in Python: a format spec may have placeholders, but these no format spec.
_CONVERSIONS: Mapping[str, Callable[[object], str]] = {"r": repr, "s": str, "a": ascii}
_INDEX = re.compile(r"\[([^\]]+)\]")


class Placeholder(NamedTuple):
    """One `{name[index]!conversion:spec}`."""

    name: str
    offset: int
    """Position of its `{` in the text, in characters from 0."""
    indexes: tuple[str | int, ...] = ()
    conversion: str | None = None
    spec: ParsedText | None = None

    def value(self, parameters: Mapping[str, Any], produced: list[int]) -> str:
        """Return the text to insert.

        Args:
            parameters: name -> value.
            produced: a list of one number, the characters that formatting has produced so far.

        Raises:
            PromptError: the parameter is missing, or can't be indexed or formatted like this.
        """
        value = self.lookup(parameters)
        if type(value) is str and self.spec is None and self.conversion is None:
            return value
        return self._formatted(value, parameters, produced)

    def lookup(self, parameters: Mapping[str, object]) -> object:
        """Return the parameter's value with the indexes applied, of whatever type.

        Raises:
            PromptError: the parameter is missing or can't be indexed like this.
        """
        try:
            value = parameters[self.name]
        except KeyError:
            raise PromptError(_missing(self.name, parameters), code="missing_value") from None
        for index in self.indexes:
            value = _item(value, index, self.name)
        return value

    def _formatted(self, value: Any, parameters: Mapping[str, Any], produced: list[int]) -> str:
        spec = "" if self.spec is None else self.spec.fill(parameters)
        if spec:
            _check_width(spec, self.name)
        try:
            convert = _CONVERSIONS.get(self.conversion or "")
            converted = value if convert is None else convert(value)
            text = format(converted, spec)
        # Such as more than 4300 digits, a list with a spec, `c` without a character, deep nesting.
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise _unfit(f"{{{self.name}}} can't be formatted: {error}") from None
        # Characters that a precision cuts off were produced, too.
        produced[0] += len(text) if convert is None else max(len(text), len(converted))
        if produced[0] > MAX_CHARACTERS:
            raise too_long(MAX_CHARACTERS)
        return text


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text with placeholders, parsed once and filled many times."""

    text: str
    segments: tuple[str | Placeholder, ...]
    _was_filled: bool = field(default=False, init=False, repr=False, compare=False)
    _fill_texts: FillTexts | None = field(default=None, init=False, repr=False, compare=False)
    """Fast path for values that are all texts, at a fifth of the cost."""

    def placeholders(self) -> tuple[Placeholder, ...]:
        """Return all placeholders in the order of the text, those in format specs included."""
        all_placeholders: list[Placeholder] = []
        for segment in self.segments:
            if isinstance(segment, Placeholder):
                all_placeholders.append(segment)
                all_placeholders += segment.spec.placeholders() if segment.spec is not None else ()
        return tuple(all_placeholders)

    def fill(self, parameters: Mapping[str, object]) -> str:
        """Return the text with the parameters' values in it.

        Raises:
            PromptError: a parameter is missing or can't be indexed or formatted, or the text gets
                too long.
        """
        if self._fill_texts is not None:
            text = self._fill_texts(parameters)
            if text is not None:
                return text
        elif self._was_filled:
            object.__setattr__(self, "_fill_texts", _text_filler(self.segments))
        else:  # Most texts that are filled once are never filled again: no fast path for these.
            object.__setattr__(self, "_was_filled", True)
        produced = [0]
        parts = [
            segment if isinstance(segment, str) else segment.value(parameters, produced)
            for segment in self.segments
        ]
        if sum(map(len, parts)) > MAX_CHARACTERS:
            raise too_long(MAX_CHARACTERS)
        return "".join(parts)


def _text_filler(segments: Sequence[str | Placeholder]) -> FillTexts:
    """Return the fast path, which gives up on placeholders that aren't just `{name}`."""
    in_text = [segment for segment in segments if isinstance(segment, Placeholder)]
    if any(p.indexes or p.conversion or p.spec for p in in_text):
        return lambda _: None
    literals = [segment if isinstance(segment, str) else None for segment in segments]
    return text_filler(literals, [p.name for p in in_text], MAX_CHARACTERS)


@lru_cache(maxsize=1024)
def parse_template(text: str) -> ParsedText:
    """Parse a text into literals and placeholders.

    Raises:
        PlaceholderError: a brace has no partner, or a placeholder is not allowed; has the offset.
    """
    return _parse(text, start=0, depth=1)


def fill(text: str, parameters: Mapping[str, object]) -> str:
    """Return `text` with `{name}` replaced by the parameters' values.

    Raises:
        PromptError: `text` isn't a valid template, or a parameter is missing or can't be formatted.
    """
    return parse_template(text).fill(parameters)


def placeholders(text: str) -> tuple[str, ...]:
    """Return the parameters that `text` names, each once, in the order of the text.

    Raises:
        PlaceholderError: a brace has no partner, or a placeholder is not allowed.
    """
    return tuple(dict.fromkeys(p.name for p in parse_template(text).placeholders()))


def _parse(text: str, *, start: int, depth: int) -> ParsedText:
    if depth > _MAX_DEPTH:
        raise PlaceholderError(f"placeholders are nested too deep ({BRACES_HINT})", offset=start)
    if "{" not in text and "}" not in text:
        return ParsedText(text, (text,) if text else ())
    from string import Formatter  # late: it compiles a pattern

    segments, offset = list[str | Placeholder](), 0
    parts = iter(Formatter().parse(text))
    while True:
        try:
            literal, field, spec, conversion = next(parts)
        except StopIteration:
            has_braces = "{{" in text or "}}" in text
            return ParsedText(text, _merged(segments) if has_braces else tuple(segments))
        except ValueError as error:
            raise _syntax_error(text, offset, start, error) from None
        segments += [literal] if literal else []
        offset += len(literal)
        if field is None:
            # `Formatter.parse` ends a literal with one brace of an escaped pair; skip the other.
            offset += literal[-1:] in ("{", "}")
            continue
        segments.append(_placeholder(field, spec or "", conversion, start + offset, depth))
        offset = _end(text, offset, field, spec or "", conversion)


def _merged(segments: list[str | Placeholder]) -> tuple[str | Placeholder, ...]:
    """Join adjacent literals, as the parser starts a new one after each escaped brace."""
    merged: list[str | Placeholder] = []
    for is_text, group in groupby(segments, lambda segment: isinstance(segment, str)):
        these = list(group)
        merged += ["".join(map(str, these))] if is_text else these
    return tuple(merged)


def _end(text: str, offset: int, field: str, spec: str, conversion: str | None) -> int:
    end = offset + 1 + len(field) + (2 if conversion else 0)
    return end + (1 + len(spec) if text[end] == ":" else 0) + 1


def _placeholder(
    field: str, spec: str, conversion: str | None, offset: int, depth: int
) -> Placeholder:
    name, indexes = _split(field, offset)
    if not name or name.isdigit():
        raise PlaceholderError(
            f"{{{excerpt(field)}}} has no name: placeholders name a parameter ({BRACES_HINT})",
            offset=offset,
        )
    if conversion is not None and conversion not in _CONVERSIONS:
        raise PlaceholderError(
            f"{{{excerpt(field)}!{conversion}}}: there is no conversion !{conversion}; "
            "there are !r, !s, !a",
            offset=offset,
        )
    template = _parse(spec, start=offset, depth=depth + 1) if spec else None
    return Placeholder(name, offset, indexes, conversion, template)


def _split(field: str, offset: int) -> tuple[str, tuple[str | int, ...]]:
    """Split `name[0][key]` into the name and the indexes."""
    name = re.split(r"[.\[]", field, maxsplit=1)[0]
    indexes: list[str | int] = []
    position = len(name)
    while position < len(field):
        match = _INDEX.match(field, position)
        if match is None:
            raise _bad_path(field, position, offset)
        indexes.append(int(match[1]) if _is_index(match[1]) else match[1])
        position = match.end()
    return name, tuple(indexes)


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 10


def _bad_path(field: str, position: int, offset: int) -> PlaceholderError:
    quoted = excerpt(field)
    if field[position] == ".":
        message = (
            f"{{{quoted}}}: a placeholder can't look into values with a dot; write {{name[key]}}"
        )
    else:
        message = f"{{{quoted}}}: only [index] may follow a name ({BRACES_HINT})"
    return PlaceholderError(message, offset=offset)


def _syntax_error(text: str, offset: int, start: int, error: ValueError) -> PlaceholderError:
    brace = re.compile(r"\{\{|\}\}|[{}]")
    lone = next((m for m in brace.finditer(text, offset) if len(m[0]) == 1), None)
    place = start + (lone.start() if lone else offset)
    what = str(error).replace("in format string", "in the text").replace("'", "")
    return PlaceholderError(f"{what} ({BRACES_HINT})", offset=place)


def _item(value: object, index: str | int, name: str) -> object:
    quoted = excerpt(index)
    if not isinstance(value, Mapping | Sequence):
        kind = type(value).__name__
        raise _unfit(f"{{{name}[{quoted}]}}: the value is no list or object, but {kind}")
    try:
        return value[index]  # type: ignore[index]  # a text key on a list is the TypeError below
    except (LookupError, TypeError):
        raise _unfit(f"{{{name}[{quoted}]}}: the value has no item [{quoted}]") from None


def check_constant_spec(placeholder: Placeholder) -> None:
    """Check the width of a format spec that has no placeholders itself.

    Raises:
        PromptError: the width or precision is above `MAX_WIDTH`.
    """
    if placeholder.spec is not None and not placeholder.spec.placeholders():
        _check_width(placeholder.spec.fill({}), placeholder.name)


def _check_width(spec: str, name: str) -> None:
    if len(spec) > MAX_WIDTH:
        raise _unfit(f"{{{name}:{excerpt(spec)}}}: the format is too long")
    if any(len(number) > 9 or int(number) > MAX_WIDTH for number in re.findall(r"\d+", spec)):
        field = f"{{{name}:{excerpt(spec, 40)}}}"
        raise _unfit(f"{field}: a width or precision can't be above {MAX_WIDTH}")


def _missing(name: str, parameters: Mapping[str, object]) -> str:
    return f"parameter '{excerpt(name)}' has no value (given: {listed(parameters)})"


def _unfit(message: str) -> PromptError:
    return PromptError(message, code="placeholder")
