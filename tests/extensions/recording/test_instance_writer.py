"""Recorded instances in the LVE repository's format."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.known_secrets import knowing
from support.results import json_values, make_result, make_transcript

from lve.data.instances import iter_instances
from lve.documents.validation.schema import load_schema
from lve.errors import Problem, SessionError
from lve.extensions.recording.instance_writer import append_instances, instance_to_json
from lve.spec.load import load_spec

SCHEMA = jsonschema.Draft202012Validator(load_schema("instance"))
RUN_INFO = {"timestamp": "Sat Nov 21 12:00:00 2026", "source": "handwritten"}
DOCUMENT = {
    "description": "A test.",
    "model": "dummy/dummy",
    "prompt": [{"content": "say {name}"}],
    "prompt_parameters": ["name"],
    "checker_args": {"checker_name": "RegexChecker", "pattern": "x", "match_means_safe": True},
}


def as_instance(**changes: Any) -> dict[str, Any]:
    multi_run = changes.pop("is_multi_run", False)
    with_prompt = changes.pop("with_prompt", False)
    return instance_to_json(
        make_result(**changes),
        is_multi_run=multi_run,
        author="me",
        run_info=RUN_INFO,
        with_prompt=with_prompt,
    )


@pytest.mark.parametrize(
    ("responses", "multi_run", "response"),
    [
        (("one",), False, "one"),
        (({"a": "1", "b": "2"},), False, {"a": "1", "b": "2"}),
        (("one", "two"), True, ["one", "two"]),
        (("only",), True, ["only"]),
        (({"a": "1"}, {"a": "2"}), True, [{"a": "1"}, {"a": "2"}]),
    ],
)
def test_responses_have_the_shape_of_the_test(
    responses: Any, multi_run: bool, response: Any
) -> None:
    fields = as_instance(responses=responses, is_multi_run=multi_run)
    assert fields["response"] == response
    assert list(fields) == ["args", "response", "passed", "author", "run_info"]
    SCHEMA.validate(fields)


def test_the_prompt_is_kept_only_when_asked_for() -> None:
    plain = instance_to_json(make_result(), is_multi_run=False, author="me", run_info=RUN_INFO)
    assert "prompt_out" not in plain
    fields = as_instance(with_prompt=True)
    assert [message["content"] for message in fields["prompt_out"]] == ["hi", "hello"]
    SCHEMA.validate(fields)
    several = as_instance(
        with_prompt=True,
        is_multi_run=True,
        transcripts=(make_transcript("a"), make_transcript("b")),
    )
    assert len(several["prompt_out"]) == 2


def test_an_error_cannot_be_recorded() -> None:
    with pytest.raises(ValueError, match="'error' can't be recorded"):
        as_instance(verdict="error")


def test_appending_leaves_what_is_there_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "instances" / "x.jsonl"
    append_instances(file, [as_instance()])
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n") + b'{"args":{}}')
    before = file.read_bytes()
    with knowing("handwritten"):
        append_instances(file, [as_instance(), as_instance()])
    assert file.read_bytes().startswith(before + b"\n")
    lines = file.read_text().splitlines()
    assert len(lines) == 4
    assert json.loads(lines[-1])["run_info"]["source"] == "[redacted]"
    assert [path.name for path in file.parent.iterdir()] == ["x.jsonl"]


def test_a_file_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "instances").write_text("in the way")
    with pytest.raises(SessionError, match="can't be written"):
        append_instances(tmp_path / "instances" / "x.jsonl", [as_instance()])


names = st.text("abcdefgh", min_size=1, max_size=5)
texts = st.text(max_size=30) | st.sampled_from(["\ud800 alone", "\x1b[2J", "a\r\nb", "\u2028"])


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(texts, st.booleans(), json_values), min_size=1, max_size=4))
def test_what_is_written_is_read_back(rows: list[tuple[str, bool, Any]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        (folder / "test.json").write_text(json.dumps(DOCUMENT))
        instances = [
            as_instance(
                args={"name": text, "temperature": 0.5, "extra": value},
                responses=(text,),
                verdict="passed" if passed else "failed",
            )
            for text, passed, value in rows
        ]
        append_instances(folder / "instances" / "x.jsonl", instances)
        read = list(iter_instances(load_spec(folder / "test.json", folder)))
    assert len(read) == len(rows)
    for found, (text, passed, _) in zip(read, rows, strict=True):
        assert not isinstance(found, Problem), str(found)
        assert found.recorded is not None
        kept = text.replace("\ud800", "�")
        assert found.recorded.responses == (kept,)
        assert found.recorded.passed is passed
        assert found.parameters == {"name": kept}
        assert found.recorded.author == "me"
        assert found.recorded.run_info == RUN_INFO
