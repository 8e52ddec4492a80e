"""YAML texts, read as JSON with another spelling.

What differs from a plain `yaml.safe_load`, so that a test means the same in both spellings:

* The types are those of YAML 1.2's core schema: `yes`, `no`, `on`, `off`, dates and `12:30` are
  texts; `0o17` and `0x1F` are numbers. Digits with a leading zero (`01234`) stay a text.
* Keys are always texts, as spelled (`1: x` has the key "1").
* Refused: duplicate keys, tags (`!!python/...`), merge keys (`<<`), several documents in a file,
  `.nan` and `.inf`, anchors that contain themselves, aliases that blow up the document.

The value is built from parser events with a stack of our own: libyaml's composer is recursive in C
and a hostile document could overflow its stack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from lve.spec.places import MAX_NESTING, Finding, JsonPath, Places, TextError

MAX_ALIASED_VALUES = 10_000
"""How many values all aliases of a document may stand for together."""

_CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_PREFIXED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_A_NUMBER = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_NUMERIC_START = frozenset("0123456789+-.")
_MAX_DIGITS = 4000


@dataclass(slots=True)
class _Frame:
    """A list or object that is being built."""

    value: Any
    anchor: str | None
    path: JsonPath
    key: str | None = None
    size: int = 1
    seen: set[str] = field(default_factory=set)


def parse_yaml(text: str) -> Any:
    """Return the value of a YAML text.

    Raises:
        TextError: with everything that is wrong, up to the first syntax error.
    """
    import yaml

    builder = _Builder()
    parser = _loader()(text) if _printable(text) else None
    if parser is None:
        raise TextError([_unprintable(text)])
    try:
        while builder.wants_more and parser.check_event():
            builder.take(parser.get_event())
    except yaml.YAMLError as err:
        builder.findings.append(_syntax_finding(err, text))
    finally:
        parser.dispose()
    if builder.findings:
        raise TextError(sorted(builder.findings, key=lambda f: (f.line, f.column)))
    return builder.result


def yaml_places(text: str) -> Places:
    """Return where everything stands in a YAML text that `parse_yaml` has accepted."""
    loader = _loader()(text)
    places = Places()
    try:
        node = loader.get_single_node()
        if node is not None:
            _walk(node, (), places)
    finally:
        loader.dispose()
    return places


def _walk(node: Any, path: JsonPath, places: Places) -> None:
    places.values[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
    if node.id == "mapping":
        for key, value in node.value:
            inner = (*path, str(key.value))
            places.keys[inner] = (key.start_mark.line + 1, key.start_mark.column + 1)
            _walk(value, inner, places)
    elif node.id == "sequence":
        for index, value in enumerate(node.value):
            _walk(value, (*path, index), places)


def _loader() -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is 8 times as fast


class _Builder:
    """Builds the value from events."""

    def __init__(self) -> None:
        self.result: Any = None
        self.findings: list[Finding] = []
        self.wants_more = True
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._aliased = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        """Work in the next parser event."""
        kind = type(event).__name__
        if kind == "ScalarEvent":
            self._scalar(event)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open({} if kind == "MappingStartEvent" else [], event)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._close()
        elif kind == "AliasEvent":
            self._alias(event)
        elif kind == "DocumentStartEvent":
            self._document(event)

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            self._stop("a second document starts here", event, "one file holds one document")

    def _scalar(self, event: Any) -> None:
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and isinstance(frame.value, dict):
            self._key(frame, event)
            return
        if event.tag is not None:
            self._tag(event)
        value = event.value
        if event.implicit[0]:  # neither quoted nor tagged
            value = self._plain(value, event)
        self._anchor(event.anchor, value, 1)
        self._add(value, 1)

    def _key(self, frame: _Frame, event: Any) -> None:
        key = str(event.value)
        if key == "<<" and event.implicit[0]:
            self._find("merge keys (`<<`) are not supported", event, "write the keys out")
        elif key in frame.seen:
            self._find(f"`{key}` is there twice", event, "remove one of them", (*frame.path, key))
        frame.seen.add(key)
        frame.key = key
        self._anchor(event.anchor, key, 1)

    def _plain(self, text: str, event: Any) -> Any:
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text[0] not in _NUMERIC_START:
            return text
        if len(text) > _MAX_DIGITS:
            return text
        if _INTEGER.match(text):
            return int(text)
        if _PREFIXED.match(text):
            return int(text, 0)
        if _NOT_A_NUMBER.match(text):
            self._find(f"`{text}` is not a number in JSON", event, "write null or a text")
            return None
        return self._float(text, event) if _FLOAT.match(text) else text

    def _float(self, text: str, event: Any) -> float | None:
        number = float(text)
        if abs(number) == float("inf"):
            self._find(f"{text[:20]} is too large for a number", event)
            return None
        return number

    def _open(self, value: Any, event: Any) -> None:
        parent = self._stack[-1] if self._stack else None
        if parent is not None and parent.key is None and isinstance(parent.value, dict):
            self._stop("a key must be a text, not a list or an object", event)
            return
        if len(self._stack) > MAX_NESTING:
            self._stop(f"nested more than {MAX_NESTING} levels deep", event, path=())
            return
        if event.tag is not None:
            self._tag(event)
        self._stack.append(_Frame(value, event.anchor, self._path()))

    def _close(self) -> None:
        frame = self._stack.pop()
        self._anchor(frame.anchor, frame.value, frame.size)
        self._add(frame.value, frame.size)

    def _alias(self, event: Any) -> None:
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and isinstance(frame.value, dict):
            self._stop("an alias can't be a key", event)
            return
        if event.anchor not in self._anchors:
            inside = any(frame.anchor == event.anchor for frame in self._stack)
            what = "contains itself" if inside else "is not defined above"
            self._stop(f"the anchor `{event.anchor}` {what}", event)
            return
        value, size = self._anchors[event.anchor]
        self._aliased += size
        if self._aliased > MAX_ALIASED_VALUES:
            self._stop(f"aliases stand for more than {MAX_ALIASED_VALUES} values", event)
            return
        self._add(value, size)

    def _anchor(self, name: str | None, value: Any, size: int) -> None:
        if name is not None:
            self._anchors[name] = (value, size)

    def _add(self, value: Any, size: int) -> None:
        if not self._stack:
            self.result = value
            return
        frame = self._stack[-1]
        frame.size += size
        if isinstance(frame.value, list):
            frame.value.append(value)
        else:
            frame.value[frame.key] = value
            frame.key = None

    def _path(self) -> JsonPath:
        if not self._stack:
            return ()
        frame = self._stack[-1]
        if isinstance(frame.value, list):
            return (*frame.path, len(frame.value))
        return frame.path if frame.key is None else (*frame.path, frame.key)

    def _tag(self, event: Any) -> None:
        self._find(f"tags such as `{event.tag[:60]}` are not supported", event, "remove it")

    def _find(
        self, message: str, event: Any, hint: str | None = None, path: JsonPath | None = None
    ) -> None:
        mark = event.start_mark
        where = self._path() if path is None else path
        self.findings.append(Finding(message, mark.line + 1, mark.column + 1, where, hint))

    def _stop(
        self, message: str, event: Any, hint: str | None = None, path: JsonPath | None = None
    ) -> None:
        self._find(message, event, hint, path)
        self.wants_more = False


_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _printable(text: str) -> bool:
    return (text.isascii() and text.isprintable()) or _FORBIDDEN.search(text) is None


def _unprintable(text: str) -> Finding:
    from lve.spec.places import LineIndex

    match = _FORBIDDEN.search(text)
    assert match is not None
    message = f"the control character U+{ord(match[0]):04X} is not allowed in YAML"
    hint = 'write it as an escape inside double quotes, such as "\\x07"'
    return Finding(message, *LineIndex(text).place(match.start()), None, hint)


def _syntax_finding(err: Any, text: str) -> Finding:
    mark = getattr(err, "problem_mark", None) or getattr(err, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    lines = text.split("\n")
    at_tab = line <= len(lines) and lines[line - 1][column - 1 : column] == "\t"
    problem = getattr(err, "problem", None) or "this can't be read"
    context = getattr(err, "context", None)
    said = f"{context}, {problem}" if context else problem
    hint = "indent with blanks, not with tabs" if at_tab else None
    return Finding(f"not valid YAML: {said}", line, column, None, hint)
