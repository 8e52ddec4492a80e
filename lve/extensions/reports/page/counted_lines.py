"""Reads of a journal's lines what counts and the page's table need: a third of the time.

Nearly all lines are those of ordinary results (`result_info.ordinary_line`). One pattern tells
whether a line is, so that it surely follows the schema, and finds its fields; the texts of its
messages are passed over. Any other line is read whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from sys import intern
from typing import Any

import orjson

from lve.data.row_places import INSTANCES
from lve.data_classes import dataclass
from lve.messages import Completion, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import result_of_line
from lve.spec.recorded_row import row_key

_TEXT = rb'"[ !#-\[\]-~]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-\[\]-~]*+)*+"'
_WHOLE = rb"(?:0|[1-9][0-9]{0,8}+)"
_FLOAT = rb"(?:0|[1-9][0-9]{0,14}+)(?:\.[0-9]{1,20}+(?:e-?[0-9]{1,2})?|e-?[0-9]{1,2})"
_VALUE = rb"(?:%b|true|false|null|-?%b|-?%b)" % (_TEXT, _FLOAT, _WHOLE)
_MESSAGE = (
    rb'\{"role":"(?:system|user|assistant)","content":(?:(?P=answer)|%b)(?:,"variable":%b)?\}'
    % (_TEXT, _TEXT)
)
_PARTS = {
    b"text": _TEXT,
    b"whole": _WHOLE,
    b"float": _FLOAT,
    b"args": rb"\{(?:%b:%b(?:,%b:%b)*+)?\}" % (_TEXT, _VALUE, _TEXT, _VALUE),
    b"messages": rb"%b(?:,%b)*+" % (_MESSAGE, _MESSAGE),
}
_LINE = re.compile(
    rb'\{("version":1,"test":%(text)b,"model":%(text)b,"source":%(text)b,'
    rb'"line":[1-9][0-9]{0,14}+,"repeat":%(whole)b,"verdict":"(?:passed|failed)",'
    rb'"recorded":(?:null|"passed"|"failed"),"reason":%(text)b),"args":(%(args)b),'
    rb'"responses":\[(?P<answer>%(text)b)\]'
    rb',("usage":\{"prompt_tokens":%(whole)b,"completion_tokens":%(whole)b\},'
    rb'"cost":(?:null|%(float)b),"latency_s":%(float)b,"cached":(?:true|false),'
    rb'"error_kind":null,"score":(?:null|-?%(float)b)),"transcripts":\[\{'
    rb'"messages":\[%(messages)b\],"filled":\[(%(whole)b)\],"completions":\['
    rb'\{"finish_reason":(?:null|%(text)b),"usage":\[%(whole)b,%(whole)b\],'
    rb'"latency_s":%(float)b,"model":(null|%(text)b),"cached":(true|false)\}\]\}\]\}\n?' % _PARTS
)
"""A line whose values are all in range: its texts valid JSON in ASCII, its numbers of few digits.
Possessive, so that a forged line takes no longer than it is long."""
_PAIR = re.compile(rb"%b:%b" % (_TEXT, _VALUE))
_KEPT_ROWS, _ARGS_BYTES = 256, 4000
"""Args of the last rows, and what those of one may take."""
_KEPT, _NAME_BYTES = 1024, 2000
"""Names of models that are decoded once, as many lines have the same, and what one may take."""


@dataclass(slots=True)
class OrdinaryResult(InstanceResult):
    """A result of an ordinary line, without its texts: it has no responses, and a transcript
    without messages, whose completion has only what is counted. `result_of_line` returns the whole.
    """


def counted_results(lines: Sequence[bytes]) -> list[InstanceResult | None]:
    """Return the result in each line; None for a line that doesn't follow the schema. Those of
    ordinary lines are an `OrdinaryResult`.

    Args:
        lines: of a journal, with or without their ends. Each step is for all of them, which takes
            half the time: its code and its data stay in the processor's cache.
    """
    matches = [*map(_LINE.fullmatch, lines)]
    parts = [
        match.group(1, 4, 2, 6, 7) if match is not None and _has_filled(match) else None
        for match in matches
    ]
    fields = iter(_fields([(part[0], part[1]) for part in parts if part is not None]))
    return [
        (None if part is None else _ordinary(part, next(fields))) or result_of_line(line)
        for line, part in zip(lines, parts, strict=True)
    ]


def _has_filled(match: re.Match[bytes]) -> bool:
    """Whether a line has the turn that the model filled, and no name that isn't worth keeping."""
    turns = match.string.count(b'","content":"', match.end(4))
    return turns > int(match[5]) and match.end(6) - match.start(6) <= _NAME_BYTES


def _fields(texts: Sequence[tuple[bytes, bytes]]) -> list[dict[str, Any] | None]:
    """Return the short fields of lines, each from two texts; None for those that aren't JSON: half
    a surrogate pair."""
    try:
        fields: list[dict[str, Any] | None]
        fields = orjson.loads(b"[%b]" % b",".join([b"{%b,%b}" % each for each in texts]))
    except ValueError:
        return [None] if len(texts) == 1 else [own for text in texts for own in _fields([text])]
    return fields


def _ordinary(parts: tuple[bytes, ...], fields: dict[str, Any] | None) -> OrdinaryResult | None:
    """Return the result of an ordinary line; None if a part of it isn't JSON."""
    if fields is None:
        return None
    (
        _, test, model, source, number, repeat, verdict, recorded, reason,
        usage, cost, seconds, cached, _, score,
    ) = fields.values()  # fmt: skip
    _, _, pairs, served, was_cached = parts
    read = _row if len(pairs) <= _ARGS_BYTES else _row.__wrapped__
    try:
        args, row = read(pairs, source.startswith(INSTANCES))
        transcripts = _transcripts(served, was_cached)
    except ValueError:  # half a surrogate pair, or keys that occur twice
        return None
    return OrdinaryResult(  # by position, which takes less time
        test,
        model,
        intern(source),  # kept for each row
        number,
        repeat,
        args,
        verdict,
        reason,
        recorded,
        (),
        transcripts,
        Usage(*usage.values()),
        cost,
        seconds,
        cached,
        None,
        score,
        None,
        (),
        False,
        None,
        None,
        row,
    )


@lru_cache(maxsize=_KEPT_ROWS)
def _row(pairs: bytes, is_told_by_args: bool) -> tuple[dict[str, object], int | None]:
    """Return args, and the key of their row if it is told by them. Other models and repeats soon
    have the same ones.

    Raises:
        ValueError: they aren't JSON, or have a key twice.
    """
    args = orjson.loads(pairs)
    if pairs.count(b'":') != len(args) and len(_PAIR.findall(pairs)) != len(args):
        raise ValueError("a key occurs twice")
    return args, row_key(args) if is_told_by_args else None


@lru_cache(maxsize=_KEPT)
def _transcripts(served: bytes, cached: bytes) -> tuple[Transcript, ...]:
    """Return what a result is counted by: its model, and whether its answer is from the cache."""
    model = orjson.loads(served)
    return (Transcript((), (Completion("", model=model, cached=cached == b"true"),)),)
