"""A server that knows the key, and says it in its errors and answers, in every spelling and around
every place where lve cuts: no part of it comes out of any door."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_test
from support.forked import python
from support.judges import yes
from support.openai_answers import Raw, Received
from support.openai_protocol import http
from support.server import ModelServer, model_server
from support.spelled_keys import SPELLINGS, parts, parts_in

from lve.child.child_process import MAX_OUTPUT_BYTES, Child, ChildEndedError
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
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def everything(root: Path, printed: str) -> dict[str, str]:
    """Return all that was written, by name."""
    files = [file for file in root.rglob("*") if file.is_file() and file.parent != root / "t"]
    texts = {str(file.relative_to(root)): file.read_bytes().decode("latin-1") for file in files}
    return {"printed": printed, **texts}


def check(root: Path, printed: str) -> None:
    """Check that the doors were used, and that no part of the key came through."""
    windows = parts(KEY)
    assert "[redacted]" in printed
    for name, text in everything(root, printed).items():
        assert not parts_in(text, windows), name


OUTPUTS = [text for name in ("r.html", "r.xml", "r.md", "r.csv") for text in ("-o", name)]


def test_the_command_line_its_files_and_reports(tmp_path: Path) -> None:
    with written(tmp_path, answer):
        printed = call(tmp_path, "lve", "run", "t", "-v", *OUTPUTS)
        printed += call(tmp_path, "lve", "show", "last", "-v")
        printed += call(tmp_path, "lve", "run", "--resume", "last", "--json")
    assert {"r.html", "r.xml", "r.md", "r.csv"} <= {file.name for file in tmp_path.iterdir()}
    check(tmp_path, printed)


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_pytest_and_its_workers(tmp_path: Path, workers: tuple[str, ...]) -> None:
    with written(tmp_path, answer):
        more = ["-p", "no:cacheprovider", "--lve-output", "r.html", "--junit-xml", "j.xml", "-vv"]
        printed = call(tmp_path, "pytest", "t", "-rA", *more, *workers)
    assert {"r.html", "j.xml"} <= {file.name for file in tmp_path.iterdir()}
    check(tmp_path, printed)


def test_a_judge_that_says_the_key(tmp_path: Path) -> None:
    def judge(request: Received) -> Any:
        asked = "".join(str(message["content"]) for message in request.json["messages"])
        if "It is kind." not in asked:
            return f"Hello {request.prompt}"
        _, kind, number, offset, *_ = asked[asked.index("Hello Say ") + len("Hello ") :].split()
        text = told(int(number), int(offset))
        return yes(**{"1": text}) if kind == "answer" else as_said(kind, text)

    with written(tmp_path, judge, checker_args=None, check={"judge": "It is kind."}):
        check(tmp_path, call(tmp_path, "lve", "run", "t", "-v", *OUTPUTS))


def test_the_last_words_of_a_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the last bytes of a child's output are kept, so the key may be cut there."""
    code = """
        import json, os, sys
        from lve.child.child_side import serve

        def answer(request):
            os.write(2, b"a line\\n" + request["say"].encode() + b" " * request["spaces"])
            os._exit(3)

        def main(lifeline):
            serve(lifeline, answer)
    """
    (tmp_path / "talking_child.py").write_text(textwrap.dedent(code), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    windows = parts(KEY)
    for name in ("as it is", "reversed", "hexadecimal", "base32 after 0 bytes", "JSON in JSON"):
        said = SPELLINGS[name](KEY)
        for kept in (len(said) - 1, len(said) // 2):
            child = Child("talking_child", shortest_s=0.05)
            with pytest.raises(ChildEndedError) as failed:
                child.ask({"say": said, "spaces": MAX_OUTPUT_BYTES - kept}, timeout_s=60)
            assert "[redacted]" in str(failed.value)
            assert not parts_in(str(failed.value), windows)
