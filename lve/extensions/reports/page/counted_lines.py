"""Reads of a journal's line what counts and the page's table need: a third of the time.

Nearly all lines are those of ordinary results (`result_info.ordinary_line`). One pattern tells
whether a line is, so that it surely follows the schema, and finds its fields; the texts of its
messages are passed over. Any other line is read whole.
"""

from __future__ import annotations

import re
from functools import lru_cache
from sys import intern

import orjson

from lve.data.row_places import INSTANCES
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
    rb'"latency_s":%(float)b,"model":(null|%(text)b),"cached":(true|false)\}\]\}\]\}\n' % _PARTS
)
"""A line whose values are all in range: its texts valid JSON in ASCII, its numbers of few digits.
Possessive, so that a forged line takes no longer than it is long."""
_PAIR = re.compile(rb"%b:%b" % (_TEXT, _VALUE))
_KEPT_ROWS, _ARGS_BYTES = 256, 4000
"""Args of the last rows, and what those of one may take."""
_KEPT, _NAME_BYTES = 1024, 2000
"""Names of models that are decoded once, as many lines have the same, and what one may take."""


def counted_result(line: bytes) -> InstanceResult | None:
    """Return the result in a line; None if the line doesn't follow the schema.

    An ordinary one lacks its texts: it has no responses, and a transcript without messages, whose
    completion has only what is counted. `result_of_line` returns the whole.

    Args:
        line: of a journal, with its end.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        return result_of_line(line)
    head, pairs, _, tail, place, served, was_cached = match.groups()
    if len(served) > _NAME_BYTES or line.count(b'{"role"', match.end(4)) <= int(place):
        return result_of_line(line)  # a turn that isn't there
    try:
        (
            _, test, model, source, number, repeat, verdict, recorded, reason,
            usage, cost, seconds, cached, _, score,
        ) = orjson.loads(b"{%b,%b}" % (head, tail)).values()  # fmt: skip
        read = _row if len(pairs) <= _ARGS_BYTES else _row.__wrapped__
        args, row = read(pairs, source.startswith(INSTANCES))
        transcripts = _transcripts(served, was_cached)
    except ValueError:  # half a surrogate pair, or keys that occur twice
        return result_of_line(line)
    return InstanceResult(
        test=test,
        model=model,
        source=intern(source),  # kept for each row
        line=number,
        repeat=repeat,
        args=args,
        verdict=verdict,
        reason=reason,
        recorded=recorded,
        transcripts=transcripts,
        usage=Usage(*usage.values()),
        cost=cost,
        latency_s=seconds,
        cached=cached,
        score=score,
        row=row,
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
