"""A file of rows becomes a test whose prompt and check are guessed, and told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve

from lve.errors import UsageError
from lve.extensions.importing.data_sets import read_data_set

OPTION = "\n\n{lettered_options}\n\nAnswer with the letter of the right option."


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def imported(*rows: Any) -> Any:
    Path("x.json").write_text(json.dumps(rows))
    return read_data_set(Path("x.json"))


def rows_in(result: Any) -> list[Any]:
    [test] = result.tests
    return [json.loads(line) for line in test.files["rows.jsonl"].splitlines()]


@pytest.mark.parametrize(
    ("row", "prompt", "check"),
    [
        ({"question": "1+1?", "answer": 2}, "{question}", {"number": "{answer}"}),
        ({"question": "1+1?", "answer": "$1,200.50"}, "{question}", {"number": "{answer}"}),
        ({"question": "?", "answer": True}, "{question}", {"text": "{answer}"}),
        ({"Question": "?", "Target": "Rome"}, "{Question}", {"text": "{Target}"}),
        ({"q x": "?", "ideal": "a " * 9}, "{q_x}", {"factuality": "{ideal}"}),
        ({"question": "?", "answers": ["a", "b"]}, "{question}", {"contains_any": "{answers}"}),
        ({"context": "c", "query": "q"}, "{context}\n\n{query}", {"min_characters": 1}),
        (
            {"instruction": "i", "input": "x", "output": "y"},
            "{instruction}\n\n{input}",
            {"text": "{output}"},
        ),
        ({"input": "x", "output": "y"}, "{input}", {"text": "{output}"}),
    ],
)
def test_what_is_guessed(row: dict[str, Any], prompt: str, check: dict[str, Any]) -> None:
    result = imported(row)
    [test] = result.tests
    assert (test.document["prompt"], test.document["check"]) == (prompt, check)
    asks, judges = result.notes
    assert asks == f"guessed, so look at it: the prompt is {' '.join(prompt.split())}"
    assert f"the check is {json.dumps(check)}" in judges
    assert ("no column has right answers" in judges) == ("min_characters" in check)


@pytest.mark.parametrize(
    ("row", "letter", "options"),
    [
        ({"choices": ["r", "b"], "answer": 1}, "B", 2),
        ({"choices": ["r", "b"], "answer": "A"}, "A", 2),
        ({"choices": ["r", "b"], "answer": "b"}, "B", 2),
        ({"options": {"text": ["r", "b"], "label": ["1", "2"]}, "answerKey": "2"}, "B", 2),
        ({"options": {"A": "r", "B": "b", "C": "g"}, "answer": "C"}, "C", 3),
        ({"A": "r", "B": "b", "C": "g", "D": "y", "target": "D"}, "D", 4),
    ],
)
def test_options_get_letters(row: dict[str, Any], letter: str, options: int) -> None:
    result = imported({"question": "?", **row})
    [test] = result.tests
    assert test.document["prompt"] == "{question}" + OPTION
    assert test.document["check"] == {"option": "{right_option}", "options": options}
    [line] = rows_in(result)
    assert line["right_option"] == letter
    assert line["lettered_options"].startswith("A. r\nB. b")


def test_options_of_which_none_is_right_stay_a_column() -> None:
    result = imported({"question": "?", "choices": ["r", "b"], "answer": "green"})
    assert result.tests[0].document["check"] == {"text": "{answer}"}


def test_the_last_line_of_a_worked_answer_is_the_answer() -> None:
    result = imported(
        {"question": "?", "answer": "So.\n#### 1,200"}, {"question": "?", "answer": "#### 3"}
    )
    assert result.tests[0].document["check"] == {"number": "{final_answer}"}
    assert [row["final_answer"] for row in rows_in(result)] == ["1,200", "3"]


def test_what_is_left_out_is_told() -> None:
    result = imported({"question": "?", "answer": "x"}, {"question": "?"}, 3)
    assert len(rows_in(result)) == 1
    assert any("1 rows have nothing in `answer`" in text for text in result.left_out)
    assert any("a row must be an object" in text for text in result.left_out)
    result = imported({"question": "?", "a b": 1, "a-b": 2})
    assert "names differ only in punctuation" in result.left_out[0]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("x.json", "[]", "has no rows"),
        ("x.json", '[{"a": 1}]', "no text to ask about"),
        ("x.json", '[{"question": "?", "answer": null}]', "has no answers"),
        ("x.json", json.dumps([{f"c{n}": "" for n in range(201)}]), "more than 200 columns"),
        ("x.exe", "MZ", "its rows end in"),
        ("x.jsonl", '{"question": "?", "answer": "x"}\n' * 100_001, "more than 100,000 rows"),
    ],
)
def test_what_is_no_data_set_is_refused(name: str, text: str, why: str) -> None:
    Path(name).write_text(text)
    with pytest.raises(UsageError, match=why):
        read_data_set(Path(name))
    with pytest.raises(UsageError, match="is no file"):
        read_data_set(Path("nothing.json"))


def test_it_runs() -> None:
    Path("quiz.csv").write_text("question,A,B,answer\nWhich {one}?,x,y,B\n")
    Path("answers.yaml").write_text("{default: The answer is B.}")
    own = "{provider: scripted, options: {answers: answers.yaml}}"
    Path("lve.yaml").write_text(f"models: {{my/script: {own}}}")
    result = lve("import", "dataset", "quiz.csv", "-o", "tests")
    assert "guessed" in result.stderr
    assert call("run", "tests", "--model", "my/script")[0] == 0
