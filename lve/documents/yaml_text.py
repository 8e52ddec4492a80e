"""Parses YAML texts as another notation for JSON values.

It differs from `yaml.safe_load`, so that a test means the same in JSON and in YAML:

* The types are those of YAML 1.2's core schema: `yes`, `no`, `on`, `off`, dates and `12:30` are
  texts; `0o17` and `0x1F` are numbers. Digits with a leading zero (`01234`) are a text.
* Keys are always texts, as they are spelled: `1: x` has the key "1".
* Refused are duplicate keys, tags (`!!python/...`), merge keys (`<<`), several documents in a file,
  `.nan` and `.inf`, anchors that contain themselves, and aliases that expand too much.

Values and positions are built from parser events, with an explicit stack. libyaml's composer is
recursive in C, so a hostile document could overflow the stack, and it refuses to redefine anchors.
"""

from __future__ import annotations

from typing import Any

from lve.data_classes import dataclass, field
from lve.documents.position_types import (
    MAX_FINDINGS,
    MAX_NESTING,
    MAX_PLACED,
    OVER_LIMIT,
    SYNTAX,
    TOO_DEEP,
    TOO_MANY_FINDINGS,
    TOO_MANY_VALUES,
    Finding,
    JsonPath,
    Places,
    TextError,
    in_order,
    merge_conflict,
)
from lve.documents.yaml_event import YamlEvent, place_of
from lve.documents.yaml_rules import (
    ScalarError,
    is_printable,
    plain_value,
    syntax_finding,
    unprintable,
)
from lve.escape import excerpt, head

MAX_YAML_VALUES = 2_000_000
"""Maximum number of keys and values in a document; parsing them takes ten seconds."""
MAX_ALIASED_VALUES = 10_000
"""Maximum number of values that all aliases of a document together stand for. In requests, hashes
and results, aliases are expanded."""
CHARACTERS_OF_A_VALUE = 100
"""A longer text counts as several values."""


@dataclass(slots=True)
class _Frame:
    """A list or object under construction."""

    value: Any
    anchor: str | None
    node: int = 0
    key: str | None = None
    size: int = 1
    keys: set[str] = field(default_factory=set)

    @property
    def wants_key(self) -> bool:
        """Whether the next event is a key of this object."""
        return self.key is None and isinstance(self.value, dict)


def parse_yaml(text: str) -> object:
    """Return the value of a YAML text.

    Raises:
        TextError: it isn't valid; the error has all problems up to the first syntax error.
    """
    builder = _Builder()
    if not is_printable(text):
        raise TextError([unprintable(text)])
    _build(text, builder)
    if builder.findings:
        raise TextError(in_order(builder.findings))
    return builder.result


def yaml_places(text: str) -> Places:
    """Return the positions of all values and keys of a YAML text that `parse_yaml` accepts."""
    places = Places()
    _build(text, _Builder(places))
    return places


def _build(text: str, builder: _Builder) -> None:
    import yaml

    # The C loader is 8 times as fast.
    parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        while builder.wants_more and parser.check_event():
            builder.take(parser.get_event())
    except yaml.YAMLError as err:
        builder.findings.append(merge_conflict(text) or syntax_finding(err, text))
    finally:
        parser.dispose()


class _Builder:
    """Builds the value from parser events. If `places` is given, it records the positions of all
    values and keys there."""

    def __init__(self, places: Places | None = None) -> None:
        self._places = places
        self._anchored: dict[str, int] = {}
        self.result: Any = None
        self.findings: list[Finding] = []
        self.wants_more = True
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._values = 0
        self._aliased = 0
        self._documents = 0

    def take(self, event: YamlEvent) -> None:
        """Process the next parser event."""
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

    def _document(self, event: YamlEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            self._find(
                "a second document starts here", event, "one file holds one document", stops=True
            )

    def _scalar(self, event: YamlEvent) -> None:
        if self._stack and self._stack[-1].wants_key:
            self._key(self._stack[-1], event)
            return
        self._begin(event)
        if event.tag is not None:
            self._tag(event)
        value = event.value
        size = 1 + len(value) // CHARACTERS_OF_A_VALUE
        if event.implicit[0]:  # neither quoted nor tagged
            value = self._plain(value, event)
        self._anchor(event.anchor, value, size)
        self._add(value, size)

    def _key(self, frame: _Frame, event: YamlEvent) -> None:
        key = str(event.value)
        if key == "<<" and event.implicit[0]:
            self._find("merge keys (`<<`) are not supported", event, "write the keys out")
        elif key in frame.keys:
            path = (*self._path(), key)
            twice = f"`{excerpt(key)}` occurs twice"
            self._find(twice, event, "remove one of them", path, code="duplicate_key")
        size = 1 + len(key) // CHARACTERS_OF_A_VALUE
        frame.keys.add(key)
        frame.key = key
        frame.size += size
        self._anchor(event.anchor, key, size)
        self._begin(event, key=True)

    def _plain(self, text: str, event: YamlEvent) -> Any:
        try:
            return plain_value(text)
        except ScalarError as error:
            self._find(str(error), event, error.hint)
            return None

    def _open(self, value: object, event: YamlEvent) -> None:
        if self._stack and self._stack[-1].wants_key:
            self._find("a key must be a text, not a list or an object", event, stops=True)
            return
        if len(self._stack) > MAX_NESTING:
            self._find(TOO_DEEP, event, path=(), code=OVER_LIMIT, stops=True)
            return
        node = self._begin(event)
        if event.tag is not None:
            self._tag(event)
        self._stack.append(_Frame(value, event.anchor, node))

    def _close(self) -> None:
        frame = self._stack.pop()
        self._anchor(frame.anchor, frame.value, frame.size)
        self._add(frame.value, frame.size)

    def _alias(self, event: YamlEvent) -> None:
        if self._stack and self._stack[-1].wants_key:
            self._find("an alias can't be a key", event, stops=True)
            return
        assert event.anchor is not None
        if event.anchor not in self._anchors:
            inside = any(frame.anchor == event.anchor for frame in self._stack)
            what = "contains itself" if inside else "is not defined above"
            self._find(f"the anchor `{excerpt(event.anchor)}` {what}", event, stops=True)
            return
        value, size = self._anchors[event.anchor]
        self._aliased += size
        if self._aliased > MAX_ALIASED_VALUES:
            characters = MAX_ALIASED_VALUES * CHARACTERS_OF_A_VALUE
            what = f"{MAX_ALIASED_VALUES} values or {characters} characters"
            self._find(f"aliases stand for more than {what}", event, code=OVER_LIMIT, stops=True)
            return
        self._begin(event)
        self._add(value, size)

    def _begin(self, event: YamlEvent, *, key: bool = False) -> int:
        """Count a value or key that begins, record its position, and return the value's node."""
        self._values += 1
        if self._values > MAX_YAML_VALUES:
            self._find(TOO_MANY_VALUES, event, code=OVER_LIMIT, stops=True)
        if self._places is None:
            return 0
        self.wants_more &= len(self._places) <= MAX_PLACED
        node = self._node(self._places)
        if key:
            self._places.put_key(node, place_of(event))
        else:
            self._places.put(node, place_of(event))
        if type(event).__name__ == "AliasEvent":
            assert event.anchor is not None
            self._places.put_alias(node, self._anchored[event.anchor])
        elif event.anchor is not None:
            self._anchored[event.anchor] = node
        return node

    def _node(self, places: Places) -> int:
        if not self._stack:
            return 0
        frame = self._stack[-1]
        is_list = isinstance(frame.value, list)
        return places.node(frame.node, len(frame.value) if is_list else frame.key or "")

    def _anchor(self, name: str | None, value: object, size: int) -> None:
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
        """Return the path of the value under construction."""
        steps: list[str | int] = []
        for frame in self._stack:
            if isinstance(frame.value, list):
                steps.append(len(frame.value))
            elif frame.key is not None:
                steps.append(frame.key)
        return tuple(steps)

    def _tag(self, event: YamlEvent) -> None:
        assert event.tag is not None
        self._find(f"tags such as `{head(event.tag, 60)}` are not supported", event, "remove it")

    def _find(
        self,
        message: str,
        event: YamlEvent,
        hint: str | None = None,
        path: JsonPath | None = None,
        *,
        code: str = SYNTAX,
        stops: bool = False,
    ) -> None:
        self.wants_more = self.wants_more and not stops
        if len(self.findings) == MAX_FINDINGS:
            self.wants_more = False
            message, hint, code = TOO_MANY_FINDINGS, None, "more_problems"
        elif len(self.findings) > MAX_FINDINGS:
            return
        where = self._path() if path is None else path
        self.findings.append(Finding(message, *place_of(event), where, hint, code))
