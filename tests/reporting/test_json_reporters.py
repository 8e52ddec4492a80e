"""`--json` and `--jsonl`: what is in them, whatever the results are."""

from __future__ import annotations

import io
import json
import tracemalloc

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reporting.reports import MIXED, report
from support.examples import examples
from support.results import make_result, results

from lve.documents.validation.schema import load_schema
from lve.reporting import json_reporters
from lve.reporting.json_reporters import JsonReporter
from lve.sessions.instance_result import InstanceResult
from lve.spec.spec import Expectation

SCHEMA = jsonschema.Draft202012Validator(load_schema("report"))


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(results, max_size=3))
def test_json_follows_its_schema_whatever_the_results_are(
    given_results: list[InstanceResult],
) -> None:
    document = json.loads(report("json", given_results))
    SCHEMA.validate(document)
    count = sum(len(test["instances"]) for test in document["tests"])
    assert count == len(given_results) == document["summary"]["instances"]["total"]


def test_json_has_everything_in_the_order_of_the_files() -> None:
    document = json.loads(report("json", MIXED, skipped={"d": "why"}, invalid={"x": ("p",)}))
    SCHEMA.validate(document)
    assert document["session"] == "20261121-120000-000-abcd"
    assert [test["path"] for test in document["tests"]] == ["a", "b", "c"]
    assert [(i["line"], i["repeat"]) for i in document["tests"][0]["instances"]] == [
        (9, 0),
        (9, 1),
        (10, 0),
    ]
    failed = document["tests"][1]["instances"][1]
    assert failed["verdict"] == "failed"
    assert failed["reason"] == "expected 42, found 41"
    assert failed["responses"] == ["hello"]
    assert failed["usage"] == {"prompt_tokens": 3, "completion_tokens": 4}
    assert document["tests"][1]["verdict"] == "failed"
    assert document["summary"]["skipped"] == [{"path": "d", "reason": "why"}]
    assert document["summary"]["invalid"] == [{"path": "x", "problems": ["p"]}]


def test_a_result_that_waits_for_the_document_takes_few_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_reporters, "BLOCK_BYTES", 4096)

    def taken_by(count: int) -> int:
        reporter = JsonReporter(io.StringIO())
        tracemalloc.start()
        for line in range(count):
            reporter.on_result(make_result(line=line, responses=("x" * 500,)), Expectation())
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    assert (taken_by(3000) - taken_by(1000)) / 2000 < 200


def test_json_of_nothing_is_still_a_document() -> None:
    document = json.loads(report("json", [], folder=None))
    SCHEMA.validate(document)
    assert document["tests"] == []


def test_jsonl_is_a_stream_that_ends_with_the_summary() -> None:
    lines = [json.loads(line) for line in report("jsonl", MIXED).splitlines()]
    assert [line["type"] for line in lines] == ["instance"] * 6 + ["test"] * 3 + ["summary"]
    assert lines[0]["path"] == "b"
    assert lines[0]["line"] == 2
    assert lines[-1]["exit_code"] == 3
    assert lines[-1]["session"] == "20261121-120000-000-abcd"
