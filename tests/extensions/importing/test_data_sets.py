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
        (
            {"question": "?", "answer": True},
            "{question}\n\nAnswer yes or no.",
            {"choice": "{yes_or_no}", "of": ["yes", "no"]},
        ),
        ({"input": [{"role": "user"}], "story": "s", "ideal": "x"}, "{story}", {"text": "{ideal}"}),
        ({"Question": "?", "Target": "Rome"}, "{Question}", {"text": "{Target}"}),
        ({"q x": "?", "ideal": "a " * 9}, "{q_x}", {"factuality": "{ideal}"}),
        ({"question": "?", "answers": ["ink", "tea"]}, "{question}", {"contains_any": "{answers}"}),
        ({"question": "?", "answers": ["ink", "a"]}, "{question}", {"text": "{answers}"}),
        ({"question": "?", "answers": [1000, "ink"]}, "{question}", {"text": "{answers}"}),
        (
            {"question": "?", "answers": {"text": ["ink"], "answer_start": [1]}},
            "{question}",
            {"contains_any": "{answers}"},
        ),
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
    told = "which any text passes, as no column has right answers" in judges
    assert told == ("min_characters" in check)


@pytest.mark.parametrize(
    ("row", "letter", "options"),
    [
        ({"choices": ["r", "b"], "answer": 1}, "B", 2),
        ({"choices": ["r", "b"], "answer": "A"}, "A", 2),
        ({"choices": ["r", "b"], "answer": 2}, "B", 2),  # they begin at 1
        ({"choices": {"text": ["r", "b"], "label": ["1", "2"]}, "answer": 1}, "A", 2),
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


def test_the_number_of_an_option_is_not_its_text() -> None:
    rows = [{"question": "?", "choices": ["1", "2", "0"], "answer": n} for n in (0, 1)]
    assert [line["right_option"] for line in rows_in(imported(*rows))] == ["A", "B"]
    rows = [{"question": "?", "choices": [1, 2, 0], "answer": n} for n in (0, 1)]
    assert [line["right_option"] for line in rows_in(imported(*rows))] == ["C", "A"]


def test_rows_without_a_right_option_are_left_out_of_those_with_one() -> None:
    rows = [{"question": "?", "choices": ["r", "b"], "answer": n} for n in (0, 1, 2, -1)]
    result = imported(*rows)
    assert [line["right_option"] for line in rows_in(result)] == ["A", "B"]
    [told] = result.left_out
    assert told.endswith("2 rows without options of which `answer` says the right one")
    assert json.loads(result.tests[0].files["import.json"])["rows"] == 2


def test_a_row_may_have_fewer_options_than_others() -> None:
    rows = [{"question": "?", "A": "x", "B": "y", "C": "z", "answer": "C"} for _ in range(2)]
    del rows[1]["C"]
    rows[1]["answer"] = "B"
    assert [line["right_option"] for line in rows_in(imported(*rows))] == ["C", "B"]


def test_rows_that_ask_nothing_are_left_out() -> None:
    rows = [{"passage": "p", "question": text, "answer": "x"} for text in ("?", None, " ", "?")]
    rows[3]["passage"] = None
    result = imported(*rows)
    assert [line["question"] for line in rows_in(result)] == ["?"]
    [told] = result.left_out
    assert told.endswith("3 rows without a text in `passage` or `question`")


def test_a_column_that_single_rows_lack_is_one() -> None:
    whole = {"question": "?", "answer": "x"}
    result = imported({"question": "?"}, {"answer": "x"}, whole, whole)
    assert result.tests[0].document["check"] == {"text": "{answer}"}
    assert rows_in(result) == [whole, whole]
    assert [text.partition(": ")[2] for text in result.left_out] == [
        "1 row with nothing in `answer`",
        "1 row without a text in `question`",
    ]


def test_blank_answers_are_none() -> None:
    answers = [["ink", " ", None], [], [""], {"text": [], "answer_start": []}, "  "]
    result = imported(*[{"question": "?", "answer": answer} for answer in answers])
    assert [line["answer"] for line in rows_in(result)] == [["ink"]]
    assert "4 rows with nothing in `answer`" in result.left_out[0]


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
    assert any("1 row with nothing in `answer`" in text for text in result.left_out)
    assert any("a row must be an object" in text for text in result.left_out)
    result = imported({"question": "?", "a b": 1, "a-b": 2})
    assert "names differ only in punctuation" in result.left_out[0]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("x.json", "[]", "has no rows"),
        ("x.csv", "question,answer,answer\n?,x,y\n", "answer"),
        ("x.jsonl", "\0\n", "x.jsonl:1:1: expected a value"),
        ("x.csv", "question,answer\n?\n", "x.csv:2: the row has 1 cell, the header 2"),
        ("x.json", '[{"question": null, "text": "", "answer": "x"}]', "no text to ask about"),
        ("x.json", '[{"a": 1}]', "no text to ask about"),
        ("x.json", '[{"question": "?", "answer": null}]', "has no answers"),
        ("x.json", json.dumps([{f"c{n}": "" for n in range(201)}]), "more than 200 columns"),
        ("x.json", '[{"question": "?", "passage": null}]', "all 1 row without a text in `passage`"),
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
