"""`.json`: follows its schema whatever the results are."""

from __future__ import annotations

import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st
from referencing import Registry, Resource
from reporting.reports import MIXED
from support.recorded import recorded
from support.results import results

from lve.documents.validation.schema import load_schema
from lve.reporting.files.json_file import write_json
from lve.sessions.session_tests import SessionTest
from lve.verdicts.recorded_session import RecordedSession

SCHEMAS = [load_schema(name) for name in ("reports", "report", "result")]
REGISTRY: Any = Registry().with_resources(
    [(schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS]
)
SCHEMA = jsonschema.Draft202012Validator(SCHEMAS[0], registry=REGISTRY)


def document(*sessions: RecordedSession) -> Any:
    file = io.BytesIO()
    write_json(sessions, file)
    for session in sessions:
        session.close()
    read = json.loads(file.getvalue().decode("ascii"))
    SCHEMA.validate(read)
    return read


@given(st.lists(results, max_size=2))
@settings(max_examples=8)
def test_it_follows_its_schema_whatever_the_results_are(given_results: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        [session] = document(recorded(Path(folder), given_results))["sessions"]
    kept = sum(len(test["instances"]) for test in session["tests"])
    assert kept == session["summary"]["instances"]["total"]


def test_it_has_sessions_tests_instances_and_transcripts(tmp_path: Path) -> None:
    test = SessionTest("b", "openai/m", document="b/test.yaml", tags=(("severity", "low"),))
    first = recorded(tmp_path, MIXED, [test], options={"state": "/home/me", "limit": 3})
    second = recorded(tmp_path, MIXED[:1], status="running")
    read = document(first, second)
    one, two = read["sessions"]
    assert [part["path"] for part in one["tests"]] == ["a", "b", "c"]
    part = one["tests"][1]
    assert (part["document"], part["verdict"]) == ("b/test.yaml", "failed")
    assert part["tags"] == [{"name": "severity", "value": "low"}]
    assert [instance["line"] for instance in part["instances"]] == [1, 2]
    assert part["instances"][0]["transcripts"][0]["messages"][0]["content"] == "hi"
    assert one["about"]["options"] == {"limit": 3}, "where sessions lie is nobody's business"
    assert (one["about"]["status"], two["about"]["status"]) == ("complete", "killed")
    assert one["summary"]["exit_code"] == 3
    assert two["summary"]["exit_code"] == 130
