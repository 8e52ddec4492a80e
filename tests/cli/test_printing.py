"""`--json` is valid JSON whatever a data set holds, and no library prints into what lve says."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from datetime import date
from pathlib import Path

import click
import pytest

from lve.cli.main import cli
from lve.cli.printing import KeylessStream, Note, View, print_view, warn
from lve.cli.verbs import VERBS, WITHOUT_LIBRARIES
from lve.errors import Problem
from lve.secrets import redaction
from lve.secrets.redaction import note_key_variables
from lve.secrets.secret_values import REDACTED


def test_any_value_is_printed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    value = {"day": date(2026, 11, 21), "lost": "\ud800", "no number": float("nan"), 1: {2}}
    print_view(View(lambda: value), as_json=True)
    printed = capsysbinary.readouterr().out
    assert printed.isascii()
    assert json.loads(printed) == {
        "day": "2026-11-21",
        "lost": "\ud800",
        "no number": "nan",
        "1": [2],
    }


def test_a_view_is_a_document_or_lines(capsys: pytest.CaptureFixture[str]) -> None:
    def lines() -> Iterator[str]:
        yield "one\x1b\ntwo"
        yield Note("a\nhint")

    view = View(lambda: {"a": 1}, lines(), exit_code=3)
    assert print_view(view, as_json=True) == 3
    assert capsys.readouterr() == ('{\n  "a": 1\n}\n', "")
    assert print_view(view, as_json=False) == 3
    assert capsys.readouterr() == ("one\\x1b\\ntwo\n", "lve: a\\nhint\n")
    print_view(View(None, ["x"]), as_json=True)
    assert capsys.readouterr() == ("", "")
    written: list[str] = []
    print_view(View(None, ["\x1b[1mx"], write=written.append), as_json=False)
    assert written == ["\x1b[1mx"]


def test_a_warning_with_a_place_says_itself_that_it_is_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    warn(Problem("it is odd", Path("a.yaml"), 3, severity="warning", code="x").message_with_code)
    warn("a: warning: b")
    warn(Problem("it is wrong", Path("a.yaml"), 3, code="x").message_with_code)
    assert capsys.readouterr().err.splitlines() == [
        "lve: a.yaml:3: warning: it is odd [x]",
        "lve: warning: a: warning: b",
        "lve: warning: a.yaml:3: it is wrong [x]",
    ]


def test_a_key_is_redacted_from_the_moment_that_the_settings_name_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redaction, "_key_variables", set())
    monkeypatch.setenv("MY_MODEL", "the-password-of-it")
    written = io.StringIO()
    stream = KeylessStream(written)
    for _ in range(2):
        stream.write("the-password-of-it ")
        note_key_variables(["MY_MODEL"])
    assert written.getvalue() == f"the-password-of-it {REDACTED} "


def test_what_an_encoding_lacks_is_escaped() -> None:
    binary = io.BytesIO()
    text = io.TextIOWrapper(binary, encoding="ascii", write_through=True)
    KeylessStream(text).writelines(["caf\u00e9\n", "\U0001f600\n"])
    assert binary.getvalue() == b"caf\\xe9\n\\U0001f600\n"


@pytest.mark.parametrize("name", ["buffer", "detach"])
def test_what_would_write_without_redaction_is_not_there(name: str) -> None:
    stream = KeylessStream(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert stream.encoding == "utf-8"
    assert not hasattr(stream, name)


LOGS = """
import asyncio, logging, sys
from lve.cli.main import cli
from lve.cli.verbs import VERBS, WITHOUT_LIBRARIES

import click
cli.get_command(click.Context(cli), sys.argv[1])
for name in ("mcp", "asyncio", "psycopg.pool", "httpx", "botocore", "nobody.knows"):
    try:
        raise ValueError("a library's trouble")
    except ValueError:
        logging.getLogger(name).exception("Failed to parse")
        logging.getLogger(name).warning("%s %s", "one")  # which the handler can't format
"""


@pytest.mark.parametrize("verb", sorted(set(VERBS) - WITHOUT_LIBRARIES))
def test_libraries_print_nothing(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They log where lve uses them; what matters is raised, too."""
    monkeypatch.setattr(logging, "lastResort", logging._StderrHandler())
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    with redirect_stderr(io.StringIO()) as said:
        cli.get_command(click.Context(cli), verb)
        try:
            raise ValueError("a library's trouble")
        except ValueError:
            logging.getLogger("asyncio").exception("Failed to parse")
    assert said.getvalue() == ""


def test_the_process_prints_no_logs() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LOGS, "cache"], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
