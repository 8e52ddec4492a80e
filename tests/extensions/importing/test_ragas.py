"""Data sets of ragas: what its own reader reads becomes rows, recorded answers and checks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve

from lve.errors import UsageError
from lve.extensions.importing import ragas
from lve.extensions.importing.ragas import METRICS, OTHERS, read_samples

CASES = Path(__file__).parents[2] / "cases" / "importers" / "ragas"
READ = json.loads((CASES / "read.json").read_text("utf-8"))
"""What `EvaluationDataset.from_jsonl` of ragas made of the files that ragas wrote."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def imported(*rows: Any) -> Any:
    Path("x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_samples(Path("x.jsonl"))


def lines(test: Any) -> list[Any]:
    return [json.loads(line) for line in test.files["instances/answers.jsonl"].splitlines()]


def test_samples_are_those_that_ragas_reads() -> None:
    tests = read_samples(CASES / "samples.jsonl").tests
    ours = [
        {**line["args"], "response": line["response"]} for test in tests for line in lines(test)
    ]
    theirs = [
        {name: value for name, value in sample.items() if name != "rubrics"}
        for sample in READ["samples"]
        if "response" in sample
    ]
    assert ours == theirs
    checks = [[next(iter(check)) for check in test.document["checks"]] for test in tests]
    assert checks == [[*METRICS], ["answer_relevancy"]]


def test_conversations_are_those_that_ragas_reads() -> None:
    roles = {"HumanMessage": "user", "AIMessage": "assistant"}
    [test] = read_samples(CASES / "talks.jsonl").tests
    [line] = lines(test)
    messages = [*test.document["prompt"], {"role": "assistant", "content": line["response"]}]
    texts = [
        (each["role"], each["content"].replace("{{", "{").replace("}}", "}")) for each in messages
    ]
    assert texts == [(roles[kind], text) for kind, text in READ["talks"][0]]
    assert test.document["check"]["judge"].endswith(": A table is booked.")


def test_what_is_left_out_is_told() -> None:
    told = " ".join(read_samples(CASES / "samples.jsonl").left_out)
    assert "1 row: no metric that `evaluate` takes fits user_input, reference" in told
    assert "the field rubrics of 1 row," in told
    told = " ".join(read_samples(CASES / "talks.jsonl").left_out)
    assert "row 2 is a conversation without `reference`" in told
    assert "row 3 is a conversation with calls of tools" in told


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"user_input": " "}, "has no text in `user_input`"),
        ({"query": "?"}, "has no text in `user_input`"),
        (
            {"question": "?", "answer": "!", "ground_truth": "!"},
            "rename `question` to `user_input`, `answer` to `response`, `ground_truth` to",
        ),
        ({"user_input": "?", "response": 3}, "has no text in `response`"),
        ({"user_input": "?", "reference": ["x"]}, "has no text in `reference`"),
        ({"user_input": "?", "retrieved_contexts": 3}, "has no list of texts in"),
        ({"user_input": "?", "retrieved_contexts": ["x", None]}, "has no list of texts in"),
        ({"user_input": "[{'content': 'x'}]"}, "save JSON lines"),
        ({"user_input": [], "reference": "x"}, "doesn't end in an answer"),
        ({"user_input": [3], "reference": "x"}, "without `type` and `content`"),
        ({"user_input": [{"type": "tool"}], "reference": "x"}, "messages of the kind tool"),
    ],
)
def test_rows_that_are_no_samples_are_told(row: dict[str, Any], why: str) -> None:
    good = {"user_input": "?", "response": "!"}
    result = imported(row, good)
    assert len(result.tests) == 1
    assert any(why in text for text in result.left_out)
    with pytest.raises(UsageError, match="no sample of ragas"):
        imported(row)


def test_what_a_sample_is_not_judged_by_is_told() -> None:
    result = imported(
        {"user_input": "?", "response": "!", "retrieved_contexts": [], "reference": "r"},
        {"user_input": "?", "response": "!", "retrieved_contexts": [" "], "reference": "r"},
    )
    [told] = result.left_out
    rest = "context_precision, faithfulness, context_recall"
    assert told == f"x.jsonl: 2 rows without retrieved_contexts: not judged by {rest}"
    full = {"user_input": "?", "response": "!", "retrieved_contexts": ["c"], "reference": "r"}
    assert imported(full).left_out == []


def test_an_empty_response_is_an_answer_and_an_empty_list_of_csv_no_context() -> None:
    [test] = imported({"user_input": "?", "response": ""}).tests
    assert lines(test)[0]["response"] == ""
    Path("x.csv").write_text("user_input,retrieved_contexts,response\n?,[],!\n?,c,\n?,c,!\n")
    tests = read_samples(Path("x.csv")).tests
    assert [[next(iter(check)) for check in test.document["checks"]] for test in tests] == [
        ["answer_relevancy"],
        ["answer_relevancy", "faithfulness"],
    ]


def test_a_file_of_too_many_conversations_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ragas, "MAX_TALKS", 1)
    with pytest.raises(UsageError, match="more than 1 conversations"):
        imported(*[{"user_input": [], "reference": "x"}] * 2)


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_recorded_answers_are_judged(suffix: str) -> None:
    shutil.copy(CASES / f"samples.{suffix}", f"samples.{suffix}")
    statement = {"text": "x", "reasoning": "y", "relevant": "yes"}
    said = {"default": json.dumps({"statements": [statement]})}
    Path("answers.yaml").write_text(json.dumps(said))
    own = "{provider: scripted, options: {answers: answers.yaml}}"
    Path("lve.yaml").write_text(f"models: {{my/judge: {own}}}")
    result = lve("import", "ragas", f"samples.{suffix}", "-o", "tests")
    assert "--model replay --role judge=MODEL" in result.stderr
    document = json.loads(
        call("run", "tests", "--model", "replay", "--role", "judge=my/judge", "--json")[1]
    )
    both, alone = document["tests"]
    assert (alone["rows"], alone["verdict"]) == (1, "passed")
    assert [row["responses"] for row in both["instances"]] == [
        ["At noon."],
        ["Two hours \u2014 \u00e9t\u00e9 \u2028 line"],
    ]
    for row in both["instances"]:  # this judge says nothing to the other checks; all ask it
        reasons = row["reason"].split("; ")
        assert len(reasons) == 3
        assert all("the judge my/judge gives no verdict" in reason for reason in reasons)


def test_further_checks_are_valid() -> None:
    imported_test = imported(
        {"user_input": "?", "response": "!", "retrieved_contexts": ["c"], "reference": "r"}
    ).tests[0]
    checks = [metric.check for metric in OTHERS.values()]
    document = {**imported_test.document, "checks": checks}
    Path("t").mkdir()
    Path("t/test.json").write_text(json.dumps(document))
    lve("check", "t")
