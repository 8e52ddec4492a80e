"""A server that knows the key, and says it in its errors and answers, in every spelling and around
every place where lve cuts."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from extensions.reports.page.page_files import CHUNK
from support.folders import workspace, write_test
from support.forked import python
from support.openai_answers import Raw, Received
from support.openai_protocol import http
from support.server import ModelServer, model_server
from support.spelled_keys import SPELLINGS, parts, parts_in

from lve.models.http.failures import MAX_MESSAGE_CHARS

KEY = "sk-proj-Zq8/aB3dE+f_gH1jK2lM3nO4pQ5r"
NAMES = sorted(SPELLINGS)
KINDS = ("error", "page", "answer")
"""What a server says: a JSON error, a page where JSON belongs, an answer."""
CUTS = {"error": MAX_MESSAGE_CHARS, "page": MAX_MESSAGE_CHARS, "answer": 60}


def rows() -> list[dict[str, Any]]:
    """Return an instance for each kind, spelling and place at which lve's cut meets it."""
    found = []
    for number, name in enumerate(NAMES):
        length = len(SPELLINGS[name](KEY))
        for part, kind in enumerate(KINDS, 1):
            place = max(0, CUTS[kind] - length * part // (len(KINDS) + 1))
            found.append({"args": {"kind": kind, "number": number, "offset": place}})
    return found


def told(number: int, offset: int) -> str:
    """Return the text that the server says, with the key in it from a place on."""
    filler = ("The server knows it: " * 40)[: offset - 1] + " " if offset else ""
    return f"{filler}{SPELLINGS[NAMES[number]](KEY)} and so on, " + "as long as it likes. " * 30


def answer(request: Received) -> Any:
    """Answer as the prompt wants it: `Say KIND NUMBER OFFSET now`."""
    _, kind, number, offset, *_ = request.prompt.split()
    return as_said(kind, told(int(number), int(offset)))


def as_said(kind: str, text: str) -> Any:
    """Return an answer of a kind."""
    if kind == "error":
        return Raw(http(400, json.dumps({"error": {"message": text}}).encode()))
    if kind == "page":
        return Raw(http(404, text.encode(), "Content-Type: text/html\r\n"))
    return text


@contextmanager
def written(root: Path, answer: Any, **document: Any) -> Iterator[ModelServer]:
    """Write a test for a model whose server answers as `answer` says."""
    with model_server(answer) as server:
        models = {"m": {"base_url": server.url, "model": "m", "api_key_env": "MY_MODEL"}}
        workspace(root, json.dumps({"models": models, "model": "m", "roles": {"judge": "m"}}))
        more = {
            "prompt": [{"role": "user", "content": "Say {kind} {number} {offset} now"}],
            "prompt_parameters": ["kind", "number", "offset"],
            "checker_args": {"checker_name": "RegexChecker", "pattern": "^no$", "match_safe": True},
            **document,
        }
        write_test(root / "t", model=None, instances=rows(), **more)
        yield server


def call(root: Path, *arguments: str) -> str:
    """Run a command with the key in its environment; return what it printed."""
    done = subprocess.run(
        [*python(), "-m", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env={**os.environ, "MY_MODEL": KEY, "COLUMNS": "90"},
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "[usage]" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def everything(root: Path, printed: str) -> dict[str, str]:
    """Return all that was written, by name."""
    files = [file for file in root.rglob("*") if file.is_file() and file.parent != root / "t"]
    texts = {str(file.relative_to(root)): file.read_bytes().decode("latin-1") for file in files}
    return {"printed": printed, **{name: unpacked(text) for name, text in texts.items()}}


def unpacked(text: str) -> str:
    """Return a text, and what is packed in it if it is a page; of a packed text, the text."""
    if text.startswith("H4sI"):
        return gzip.decompress(base64.b64decode(text)).decode()
    chunks = (gzip.decompress(base64.b64decode(packed)) for _, packed in CHUNK.findall(text))
    return "\n".join([CHUNK.sub("", text), *(chunk.decode("latin-1") for chunk in chunks)])


def check(root: Path, printed: str) -> None:
    """Check that the doors were used, and that no part of the key came through."""
    windows = parts(KEY)
    assert "[redacted]" in printed, printed
    for name, text in everything(root, printed).items():
        assert not parts_in(text, windows), name
        assert not name.endswith(".html") or "[redacted]" in text
