"""What child processes answer: those of checkers, of judging, of tools and of chat templates, and
what decoding Parquet sends. A real process says it, instead of lve's own."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.custom.checker import CheckerProcess
from lve.checkers.custom.find import CustomChecker
from lve.checkers.processes.out_of_process import OutOfProcessChecker
from lve.child.helper import HelperGroup
from lve.errors import LveError
from lve.execution.tools.tool_code import ToolProcess
from lve.extensions.hf.templates import TemplateRenderer
from lve.extensions.parquet.reading import read_parquet
from lve.extensions.similarity.answer import AnswerChecker
from lve.messages import Message, Role, Transcript, Usage
from lve.models.http.json_body import encode
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import result_of_line
from lve.sessions.journal.result_json import result_line
from lve.settings.trusted_file import CodeRights

from .attempts import Door, Parts
from .hostile_inputs import MUTATIONS
from .json_mutations import ATOMS, mutated_json, written

VERDICT = {"verdict": {"outcome": "passed", "reason": "r", "score": 0.5}}
ROWS = {
    "names": ["a", "b", "c", "d", "e", "f", "g", "h"],
    "kinds": [None, "date", "datetime", "time", "timedelta", "decimal", "bytes", ["list", "float"]],
    "columns": [
        ["x", 1],
        ["2026-11-27", None],
        ["2026-11-27 01:02:03", None],
        ["01:02:03.5", None],
        [[1, 2, 3], None],
        ["1.50", "1E+5"],
        ["aGk=", None],
        [[1.5, "nan"], []],
    ],
}
ANSWERS: dict[str, list[Any]] = {
    "checker": [
        {"postprocesses": True},
        {},
        VERDICT,
        {"text": "x"},
        {"error": "a.py:3: ValueError: x"},
        {"missing": "pip install x"},
    ],
    "judging": [{}, {}, {**VERDICT, "exceeded": False}, {"text": "x"}],
    "tool": [{}, {"text": "sunny"}, {"error": "a.py:3: x"}],
    "parquet": [ROWS, ROWS, {"names": ["a"], "kinds": [None], "columns": [["x"]]}],
    "template": [{}, {"text": "<s>hi"}, {"refused": "no"}, {"failed": "TypeError: x"}],
}
"""Kind of process -> its answers, in order; later ones take the place of earlier ones."""
SCRIPT = """
[ "$3" = alone ] && exec cat "$0"
cat "$0"
[ -n "$1" ] || exec cat >/dev/null
printf %s "$2" >&2
exit "$1"
"""
CONTEXT = CheckContext(
    (Transcript((Message("hi"), Message("x", Role.assistant, variable="response"))),)
)
RIGHTS = CodeRights(sandbox=None)


def pipes(folder: Path, patch: pytest.MonkeyPatch) -> Door:
    """Return the door of pipes, in an empty folder."""
    said = folder / "said"
    ends: list[str] = ["", "", ""]

    def command(*_: Any) -> list[str]:
        return ["sh", "-c", SCRIPT, str(said), *ends]

    for module in ("lve.child.started_process", "lve.extensions.parquet.reading"):
        patch.setattr(f"{module}.child_command", command)
    parquet = folder / "a.parquet"
    parquet.write_bytes(b"PAR1")

    def eat(parts: Parts) -> None:
        said.write_bytes(parts.get("said", b"") * int(parts.get("times") or 1))
        ends[:] = [parts.get(name, b"").decode("latin-1") for name in ("exit", "stderr")]
        # A sandboxed process has a supervisor, which ends what it starts; this one starts nothing.
        ends.append("alone" if parts.get("kind") == b"template" else "")
        readers = {**READERS, "parquet": lambda: _rows(parquet)}
        readers.get(parts.get("kind", b"").decode(), _judge)()

    return Door(_draw, eat, cost=8.0)


def _draw(draw: random.Random) -> Parts:
    kind = draw.choice(("checker", "checker", "judging", "tool", "template", "parquet"))
    parts = {"kind": kind.encode(), "exit": draw.choice((b"", b"", b"0", b"1", b"77"))}
    if draw.random() < 0.2:
        parts["stderr"] = draw.choice(
            (b"\x1b[2J", b"Timeout (", b"not a Parquet file", b"x" * 5000, b"\xff\n\n\n")
        )
    answers = list(ANSWERS[kind])
    at = draw.randrange(len(answers))
    answers[at] = (
        draw.choice(ATOMS)
        if draw.random() < 0.1
        else mutated_json(draw, answers[at], (VERDICT, ANSWERS))
    )
    if draw.random() < 0.5:
        draw.shuffle(answers)
    lines = [written(one, draw) + b"\n" for one in answers]
    if draw.random() < 0.35:
        lines[at] = draw.choice(MUTATIONS)(draw, lines[at])
    parts["said"] = b"".join(lines)
    if draw.random() < 0.02:
        unit = draw.choice(
            (b"[{},", b'{"a":', b"[[", b'"\\u0000', b"0", b" ", b'{"text": "x"}\n', b"\n")
        )
        parts |= {"said": unit, "times": b"%d" % draw.choice((1000, 100_000, 3_000_000))}
    return parts


def _rows(file: Path) -> None:
    for row in read_parquet(file, file.parent):
        json.dumps(row, default=str)


def _checker() -> None:
    process = CheckerProcess(CustomChecker(Path("a.py"), "A", b""), limit_s=5.0, rights=RIGHTS)
    try:
        process.start({})
        with suppress(LveError):
            _keep(process.check({}, CONTEXT))
        for _ in range(3):
            with suppress(LveError):
                _keep(Verdict("failed", process.postprocess({}, "x")))
    finally:
        process.stop()
        process.rest()


def _judge() -> None:
    checker = OutOfProcessChecker(AnswerChecker, {"pattern": "x"}, Path())
    try:
        checker.prepare()
        with suppress(LveError):
            _keep(checker.check(CONTEXT))
        for _ in range(3):
            with suppress(LveError):
                _keep(Verdict("failed", checker.postprocess("x")))
    finally:
        checker.stop()
        if checker._process is not None:
            checker._process.process.rest()


def _keep(verdict: Verdict) -> None:
    """Check that the journal takes a verdict, and can be read again."""
    result = InstanceResult(
        test="t",
        model="m",
        source="s",
        line=1,
        repeat=0,
        args={},
        verdict=verdict.outcome,
        reason=verdict.reason,
        score=verdict.score,
        responses=("x",),
        usage=Usage(),
        transcripts=CONTEXT.transcripts,
    )
    line = result_line(result)
    assert len(line) < 4_000_000, "nobody wants such a line in a journal"
    again = result_of_line(line.encode() + b"\n")
    assert again is not None, line[:2000]
    assert again.score == verdict.score


def _tool() -> None:
    process = ToolProcess(Path("a.py"), b"", RIGHTS, 5.0, HelperGroup())
    try:
        for _ in range(3):
            text = asyncio.run(process.call("a", {}))
            encode({"content": text})
    finally:
        process.close()


def _template() -> None:
    renderer = TemplateRenderer()
    try:
        for _ in range(3):
            with suppress(LveError):
                renderer.render("", [], {}).encode("utf-8", "surrogatepass")
    finally:
        renderer.close()


READERS: dict[str, Callable[[], None]] = {
    "checker": _checker,
    "judging": _judge,
    "tool": _tool,
    "template": _template,
}
