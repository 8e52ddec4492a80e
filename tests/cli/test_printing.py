"""`--json`: valid JSON whatever a data set holds."""

from __future__ import annotations

import io
import json
from datetime import date

import pytest

from lve import redaction
from lve.cli.printing import RedactedStream, print_json
from lve.redaction import note_key_variables
from lve.secret_values import REDACTED


def test_any_value_is_printed(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    value = {"day": date(2026, 11, 21), "lost": "\ud800", "no number": float("nan"), 1: {2}}
    print_json(value)
    printed = capsysbinary.readouterr().out
    assert printed.isascii()
    assert json.loads(printed) == {
        "day": "2026-11-21",
        "lost": "\ud800",
        "no number": "nan",
        "1": [2],
    }


def test_a_key_is_redacted_from_the_moment_that_the_settings_name_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redaction, "_key_variables", set())
    monkeypatch.setenv("MY_MODEL", "the-password-of-it")
    written = io.StringIO()
    stream = RedactedStream(written)
    for _ in range(2):
        stream.write("the-password-of-it ")
        note_key_variables(["MY_MODEL"])
    assert written.getvalue() == f"the-password-of-it {REDACTED} "


def test_what_an_encoding_lacks_is_escaped() -> None:
    binary = io.BytesIO()
    text = io.TextIOWrapper(binary, encoding="ascii", write_through=True)
    RedactedStream(text).writelines(["caf\u00e9\n", "\U0001f600\n"])
    assert binary.getvalue() == b"caf\\xe9\n\\U0001f600\n"


@pytest.mark.parametrize("name", ["buffer", "detach"])
def test_what_would_write_without_redaction_is_not_there(name: str) -> None:
    stream = RedactedStream(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert stream.encoding == "utf-8"
    assert not hasattr(stream, name)
