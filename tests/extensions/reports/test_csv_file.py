"""`.csv`: what spreadsheets do with it, and what comes back."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.recorded import recorded
from support.results import make_result, make_transcript, results

from lve.extensions.reports.csv_file import cell, write_csv
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation

HEADER = (
    "session,test,model,source,line,repeat,verdict,as_expected,reason,error_kind,score,recorded,"
    "advisory,parameters,model_args,prompt,response,prompt_tokens,completion_tokens,cached_tokens,"
    "reasoning_tokens,cost,latency_s,first_token_s,cached,served_model,finish_reason,document,"
    "category,tags,variant"
)
DANGEROUS = "=+-@\uff1d\uff0b\uff0d\uff20\t\r"


def table(state: Path, given_results: list[InstanceResult], **more: Any) -> str:
    file = io.BytesIO()
    with recorded(state, given_results, **more) as session:
        write_csv([session], file)
    return file.getvalue().decode("utf-8-sig")


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def meant(text: str) -> str:
    """Return a text as the documentation says to read it."""
    return text.removeprefix("'")


def test_the_columns_are_promised(tmp_path: Path) -> None:
    assert table(tmp_path, [make_result()]).splitlines()[0] == f"{HEADER},parameters.name"


def test_a_row_says_all_of_an_instance(tmp_path: Path) -> None:
    test = SessionTest(
        "a",
        "m",
        document="a/test.yaml",
        category="privacy",
        tags=(("severity", "high"), ("jailbreak", "no")),
        parameters=("name",),
        expect=Expectation("fail"),
    )
    result = make_result(
        test="a", model="m", repeat=2, verdict="failed", reason="no", score=0.5, cost=0.25
    )
    [row] = read(table(tmp_path, [result], tests=[test]))
    assert row["test"] == "a"
    assert (row["line"], row["repeat"], row["score"], row["cost"]) == ("1", "2", "0.5", "0.25")
    assert (row["verdict"], row["as_expected"], row["cached"]) == ("failed", "true", "false")
    assert json.loads(row["parameters"]) == {"name": "Ann"}
    assert json.loads(row["model_args"]) == {"temperature": 0.0}
    assert (row["prompt"], row["response"]) == ("[user]\nhi", "hello")
    assert (row["served_model"], row["finish_reason"]) == ("m-1", "stop")
    assert (row["document"], row["category"]) == ("a/test.yaml", "privacy")
    assert row["tags"] == "severity=high, jailbreak=no"


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "\tplain",
        " =1",
        "\u00a0 =1",
        "\u3000=1",
        "\u200b=1",
        "\ufeff=1",
        "\uff1d1",
        "'=1",
        '=HYPERLINK("http://x","y")',
        "-2+3+cmd|' /C calc'!A0",
        "-",
        "--1",
        "-1e",
        "-٣",
    ],
)
def test_a_text_that_begins_like_a_formula_is_a_text(text: str) -> None:
    made = cell(text)
    assert isinstance(made, str)
    assert made.startswith("'")


@pytest.mark.parametrize(
    "text", ["-1", "-0.5", "-1e9", "-12.5E-3", "42", "a=b", "a - b", "", "(@x)"]
)
def test_numbers_and_plain_texts_stay_as_they_are(text: str) -> None:
    assert cell(text) == text


@pytest.mark.parametrize("value", [-1, -0.5, 3, None])
def test_numbers_of_number_columns_stay_numbers(value: float | None) -> None:
    assert cell(value) == value


@given(st.lists(results, min_size=1, max_size=3))
@settings(max_examples=examples(15))
def test_no_cell_begins_like_a_formula_and_all_texts_come_back(given_results: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        rows = read(table(Path(folder), given_results))
        with recorded(Path(folder), given_results) as session:
            wanted = list(session.results())
    assert len(rows) == len(wanted)
    for row, result in zip(rows, wanted, strict=True):
        for text in row.values():
            bare = text.lstrip().lstrip("\u200b\ufeff\x00").lstrip()
            assert bare[:1] not in DANGEROUS or not bare or re.fullmatch(r"-\d.*", bare)
        for name in ("test", "model", "source", "reason"):
            said = getattr(result, name)
            assert meant(row[name]) == re.sub(
                "[\x00\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", said
            )


@given(st.text("=+-@' \t\r\n\u200b1a", max_size=8) | st.text(max_size=8))
@example("'")
@example("''=1")
def test_the_apostrophe_can_be_taken_away_again(text: str) -> None:
    made = cell(text)
    assert isinstance(made, str)
    assert meant(made) == text.replace("\x00", "\\u0000")


def test_what_no_reader_takes_is_spelled() -> None:
    assert cell("a\x00\ud800b") == "a\\u0000\\ud800b"


@pytest.mark.parametrize("text", ["x;=1+1", "x\t=1+1", 'x";=1+1', "-1;=1+1", "x"])
def test_no_text_is_split_where_semicolons_and_tabs_split_others(tmp_path: Path, text: str) -> None:
    quoted = text.replace('"', '""')
    made = table(tmp_path, [make_result(reason=text)])
    assert re.search(rf""","'?{re.escape(quoted)}",""", made)


def test_several_answers_are_json(tmp_path: Path) -> None:
    result = make_result(
        responses=("one", {"joke": "two"}), transcripts=(make_transcript("one"), make_transcript())
    )
    [row] = read(table(tmp_path, [result]))
    assert json.loads(row["response"]) == ["one", {"joke": "two"}]


def test_an_error_has_no_answer_and_no_model(tmp_path: Path) -> None:
    result = make_result(verdict="error", error_kind="timeout", responses=(), transcripts=())
    [row] = read(table(tmp_path, [result]))
    assert (row["response"], row["prompt"], row["served_model"]) == ("", "", "")
    assert row["error_kind"] == "timeout"
