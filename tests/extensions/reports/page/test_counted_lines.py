"""What is counted of a line is what the whole line says, whoever wrote or changed it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from lve.extensions.reports.page import counted_lines
from lve.extensions.reports.page.counted_lines import counted_results
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import Journal, result_of_line
from lve.spec.recorded_row import row_key

ANSWER = 'Said "\\hi\\"\t\x7f\n\u2028 \U0001f600 {"role":"user"}, ":'


def ordinary(**fields: Any) -> InstanceResult:
    usage = Usage(3, 4)
    answer = fields.pop("answer", ANSWER)
    turns = (Message("Sys", Role.system), Message("Q?"), Message(answer, Role.assistant, "v"))
    said = Completion(answer, "stop", usage, 0.25, model=fields.pop("served", "m-1"), cached=True)
    values: dict[str, Any] = {
        "test": "a/b",
        "model": "p/m",
        "source": "instances/x.jsonl",
        "line": 3,
        "repeat": 1,
        "args": {"q": "Wh\xe4t?", "n": 7, "t": 0.5, "yes": True, "no": None},
        "verdict": "failed",
        "reason": "expected 4, found \xe9",
        "responses": (answer,),
        "transcripts": (Transcript(turns, (said,), filled=(2,)),),
        "usage": usage,
        "cost": 1e-7,
        "latency_s": 0.25,
        "cached": True,
    }
    return InstanceResult(**{**values, **fields})


def counted_result(line: bytes) -> InstanceResult | None:
    """Return the result in a line, which is read with others: none of them matters to it."""
    damaged, result, last = counted_results([b"{}", line, line.replace(b"Sys", b"System")])
    assert damaged is None
    assert counted(last) == counted(result)
    return result


def line_of(result: InstanceResult, folder: Path) -> bytes:
    journal = Journal(folder / "results.jsonl")
    journal.append(result)
    journal.close()
    return (folder / "results.jsonl").read_bytes()


def counted(result: InstanceResult | None) -> object:
    """Return what counts and tables read of a result."""
    if result is None:
        return None
    said = [
        (each.model, each.cached, each.first_token_s)
        for transcript in result.transcripts
        for each in transcript.completions
    ]
    assert result.row in (None, row_key(result.args))
    left_out = ("responses", "transcripts", "row")
    names = [name for name in InstanceResult.__slots__ if name not in left_out]
    return said, [repr(getattr(result, name)) for name in names]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"verdict": "passed", "reason": "", "score": -0.25, "recorded": "failed"},
        {"cost": None, "latency_s": 0.0, "args": {}},
        {"cost": 12.0, "latency_s": 1234.5678, "served": None, "cached": False},
        {"cost": 1.5e-6, "answer": "", "args": {"a": "x" * 5000, "b": ""}},
        {"args": {"q": 'Is {"a\\": 1, "b":2} JSON?', 'odd\\": "': "no"}},
        {"test": "t" * 3000},
    ],
)
def test_an_ordinary_line_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any]
) -> None:
    line = line_of(ordinary(**fields), tmp_path)
    whole = result_of_line(line)
    monkeypatch.setattr(counted_lines, "result_of_line", pytest.fail)
    [result] = counted_results([line])
    assert result is not None
    assert counted(result) == counted(whole)
    assert result.responses == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"verdict": "error", "error_kind": "timeout", "transcripts": (), "responses": ()},
        {"advisory": True, "labels": ("a", "b")},
        {"parts": {"bleu": (1.0, 2.0)}, "sent": ("h",), "variant": "v"},
        {"args": {"rows": [1, {"a": "b"}], "big": 10**30}},
        {"answer": "half \ud800"},
        {"args": {"q": "half \udfff"}},
        {"served": "m" * 3000},
    ],
)
def test_any_other_line_is_read_whole(tmp_path: Path, fields: dict[str, Any]) -> None:
    line = line_of(ordinary(**fields), tmp_path)
    assert counted(counted_result(line)) == counted(result_of_line(line)) is not None


FORGED = [
    (b'"q":', b'"q":1,"q":'),
    (b'"q":', b'"q":"\\":","q":'),
    (b'"n":7', b'"n\\\\":1,"n\\\\":7'),
    (b'"n":7', b'"n":07'),
    (b'"n":7', b'"n":{"n":7}'),
    (b'"n":7', b'"n":7,'),
    (b'"line":3', b'"line":0'),
    (b'"line":3', b'"line":3.0'),
    (b'"repeat":1', b'"repeat":-1'),
    (b'"verdict":"failed"', b'"verdict":"good"'),
    (b'"cost":1e-7', b'"cost":-1.0'),
    (b'"cost":1e-7', b'"cost":1e999'),
    (b'"cost":1e-7', b'"cost":2'),
    (b'"filled":[2]', b'"filled":[3]'),
    (b'"usage":[3,4]', b'"usage":[3,999999999999999]'),
    (b'"usage":[3,4]', b'"usage":[999999999,999999999]'),
    (b'"filled":[2]', b'"filled":[2,2]'),
    (b'"variable":"v"}]', b'"variable":"v"},]'),
    (b'"role":"user"', b'"role":"tool"'),
    (b'"role":"user"', b'"role":"nobody"'),
    (b'"version":1', b'"version":2'),
    (b"Said ", b"Said: "),
    (b"Sys", b"S\\ys"),
    (b"Sys", b"S\\u12"),
    (b"Sys", b"S\x01s"),
    (b"Sys", b"S\x7fs"),
    (b"Sys", b"S\xffs"),
    (b"Sys", b"\\ud800"),
    (b'"reason":"', b'"reason":"\\ud800'),
    (b"}\n", b',"advisory":1}\n'),
    (b"}\n", b',"cause":"x"}\n'),
    (b"}\n", b"}}\n"),
    (b"}\n", b"\n"),
]


@pytest.mark.parametrize(("old", "new"), FORGED)
def test_a_forged_line_is_damaged_exactly_if_the_whole_is(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    line = line_of(ordinary(), tmp_path)
    assert old in line
    forged = line.replace(old, new, 1)
    assert counted(counted_result(forged)) == counted(result_of_line(forged))


def test_a_line_with_any_byte_changed_counts_as_the_whole_does(tmp_path: Path) -> None:
    line, chance = line_of(ordinary(), tmp_path), random.Random(7)
    signs = b'"\\{}[]:,0123456789.-+eEtfnu \x00\x1f\x7f\xff'
    for place in range(len(line)):
        for _ in range(4):
            changed = bytearray(line)
            kind = chance.randrange(3)
            if kind == 0:
                changed[place] = chance.choice(signs)
            elif kind == 1:
                changed.insert(place, chance.choice(signs))
            else:
                del changed[place]
            forged = bytes(changed)
            assert counted(counted_result(forged)) == counted(result_of_line(forged)), forged


def test_args_of_other_models_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / str(number) for number in range(5)]
    for folder in folders:
        folder.mkdir()
    lines = [line_of(ordinary(model=f"p/{folder.name}"), folder) for folder in folders]
    counted_lines._row.cache_clear()
    keys: list[object] = []
    monkeypatch.setattr(counted_lines, "row_key", keys.append)
    read = counted_results(lines)
    assert len(keys) == 1
    assert all(result is not None and result.args == ordinary().args for result in read)
