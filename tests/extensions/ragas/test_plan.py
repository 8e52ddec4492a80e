"""Tests whose prompt is a prompt object, from the document to the transcript."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.folders import write_test

from lve.errors import CheckerError, PromptError, SpecError
from lve.execution.conversations.conversation import hold_conversation
from lve.extensions.ragas.plan import DIALECT
from lve.extensions.ragas.saved_prompt import Prompt
from lve.messages import Completion, Transcript
from lve.models.chat_model import ChatRequest
from lve.prompts.answers.answer_format import JsonAnswer, mismatch
from lve.prompts.answers.answer_schema import schema_problems
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec
from lve.spec.spec import Instance

RIVER = {
    "name": "river",
    "instruction": "Name the mouth of the river.",
    "examples": [{"river": "Danube", "answer": {"mouth": "Black Sea"}}],
    "input_keys": ["river"],
    "output_key": "answer",
}
SCHEMA = {
    "type": "object",
    "required": ["mouth"],
    "properties": {"mouth": {"type": "string"}},
}


def write_object_test(folder: Path, **keys: Any) -> Path:
    checker = {"checker_name": "ExactMatchChecker", "answer": "x"}
    own = {"prompt": None, "prompt_object": RIVER, "checker_args": checker, **keys}
    return write_test(folder, **own)


def instance(**args: Any) -> Instance:
    return Instance(args, args, {}, "instances/a.jsonl", 3)


def hold(folder: Path, answers: Sequence[str], **options: Any) -> tuple[Transcript, list[Any]]:
    requests: list[ChatRequest] = []

    async def complete(request: ChatRequest) -> Completion:
        requests.append(request)
        return Completion(answers[len(requests) - 1])

    [conversation] = build_plan(load_spec(folder)).preview(instance(river="Nile"))
    transcript = asyncio.run(hold_conversation(conversation, complete, args={}, **options))
    return transcript, requests


@pytest.mark.parametrize("saved", [False, True])
def test_the_prompt_is_filled_with_the_parameters(saved: bool, tmp_path: Path) -> None:
    Prompt(**RIVER).save(tmp_path)
    write_object_test(tmp_path, prompt_object="english/river.json" if saved else RIVER)
    spec = load_spec(tmp_path)
    assert spec.parameters == ("river",)
    [conversation] = build_plan(spec).preview(instance(river="{Nile}"))
    question, answer = conversation.messages
    assert question.content == Prompt(**RIVER).format(river="{Nile}").to_string()
    assert answer.is_open
    assert answer.variable == "answer"


def test_a_missing_value_names_the_instance(tmp_path: Path) -> None:
    plan = build_plan(load_spec(write_object_test(tmp_path)))
    with pytest.raises(PromptError, match=r"instances/a\.jsonl:3: no value for the input key"):
        plan.preview(instance(river=None))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"prompt_object": {**RIVER, "instruction": ""}}, "instruction cannot be empty"),
        ({"prompt_object": {**RIVER, "output_type": "xml"}}, "must be json or str, not 'xml'"),
        ({"prompt_object": {**RIVER, "examples": [{"river": "Po"}]}}, "does not have the variable"),
        ({"prompt_object": "../river.json"}, "river.json"),
        ({"prompt_object": "river.json"}, "river.json"),
        ({"prompt_parameters": ["sea"]}, "lacks the prompt's input keys: river"),
        ({"output_schema": {"type": "text"}}, "not a JSON Schema"),
        ({"output_schema": {"$ref": "http://127.0.0.1:9/x"}}, "leads nowhere"),
        ({"output_schema": {"$ref": "#/$defs/x"}}, "leads nowhere"),
        ({"output_schema": {"not": {"pattern": "("}}}, "not a JSON Schema"),
        ({"output_schema": {"patternProperties": {"a": True}}}, "is not supported"),
        ({"output_schema": "none.json"}, "none.json"),
        (
            {
                "prompt_object": {**RIVER, "output_type": "str", "examples": []},
                "output_schema": SCHEMA,
            },
            "output_schema needs a prompt object whose output_type is json",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(
    keys: dict[str, Any], message: str, tmp_path: Path
) -> None:
    folder = tmp_path / "test"
    folder.mkdir()
    with pytest.raises(SpecError, match=message) as caught:
        build_plan(load_spec(write_object_test(folder, **keys)))
    assert "test.json" in str(caught.value)
    (problem,) = caught.value.problems
    assert problem.path.split(".")[1] == list(keys)[-1]


def test_a_schema_file_that_is_no_json_is_said_at_its_key(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text("{", encoding="utf-8")
    with pytest.raises(SpecError, match=r"schema\.json") as caught:
        build_plan(load_spec(write_object_test(tmp_path, output_schema="schema.json")))
    assert [problem.path for problem in caught.value.problems] == ["$.output_schema"]


def test_several_problems_come_together(tmp_path: Path) -> None:
    prompt = {**RIVER, "instruction": ""}
    with pytest.raises(SpecError) as caught:
        build_plan(
            load_spec(write_object_test(tmp_path, prompt_object=prompt, output_schema={"type": 1}))
        )
    assert [problem.path for problem in caught.value.problems] == [
        "$.prompt_object",
        "$.output_schema",
    ]


def test_a_bad_answer_is_asked_for_once_more(tmp_path: Path) -> None:
    write_object_test(tmp_path, output_schema=SCHEMA, repair=True)
    transcript, requests = hold(tmp_path, ['{"sea": 1}', 'Sorry: {"mouth": "Mediterranean Sea"}'])
    assert transcript.response == 'Sorry: {"mouth": "Mediterranean Sea"}'
    assert transcript.variables == {"answer": transcript.response}
    assert len(transcript.completions) == 2
    assert "'mouth' is a required property" in requests[1].messages[-1].content
    assert requests[1].messages[-2].content == '{"sea": 1}'


def test_only_one_repair_is_asked_for(tmp_path: Path) -> None:
    write_object_test(tmp_path, output_schema=SCHEMA, repair=True)
    transcript, requests = hold(tmp_path, ["no", "still no"], recorded="no")
    assert [request.recorded for request in requests] == ["no", "no"]
    assert transcript.response == "still no"


@pytest.mark.parametrize(
    ("repair", "answer"), [(False, "no JSON"), (True, 'Here: {"mouth": "Mediterranean Sea"}')]
)
def test_no_repair_without_need_or_leave(repair: bool, answer: str, tmp_path: Path) -> None:
    write_object_test(tmp_path, output_schema=SCHEMA, repair=repair)
    transcript, requests = hold(tmp_path, [answer])
    assert transcript.response == answer
    assert len(requests) == 1


def test_the_value_that_fits_the_schema_is_taken() -> None:
    text = 'See [1]. {"mouth": 1} or rather {"mouth": "Adriatic"}'
    assert JsonAnswer(SCHEMA).read(text) == {"mouth": "Adriatic"}
    assert JsonAnswer().read(text) == [1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("none", "no JSON in the answer"),
        ("[1]", r"does not fit output_schema: \$: \[1\] is not of type 'object'"),
        ('{"mouth": 2}', r"\$\.mouth: 2 is not of type 'string'"),
    ],
)
def test_the_reason_says_what_does_not_fit(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        JsonAnswer(SCHEMA).read(text)


def test_a_schema_that_goes_round_in_circles_is_no_crash() -> None:
    schema = {"$ref": "#"}
    (problem,) = schema_problems(schema)
    assert "leads back to itself" in problem
    with pytest.raises(CheckerError, match="it is nested too deeply"):
        mismatch(schema, 1)


def why_unfit(schema: Any, value: Any) -> str:
    """Return why a value doesn't fit, or why that can't be decided."""
    try:
        return str(mismatch(schema, value))
    except CheckerError as error:
        return str(error)


def test_a_pattern_has_a_deadline() -> None:
    slow = {"pattern": r"^(a|a)*(\w+\s?)*$"}
    problem = why_unfit(slow, "a " * 5000 + "!" + "aaaa" * 20 + "!")
    assert "does not match" in problem or "takes too long" in problem
    many = {"items": {"pattern": r"^(\w+\s?)*(\d+\w?)*\1x$"}}
    problem = why_unfit(many, ["ab1 " * 30] * 1000)
    assert "does not match" in problem or "takes too long" in problem


def test_data_in_a_schema_is_no_keyword() -> None:
    schema = {
        "enum": [{"$ref": "x", "pattern": "("}],
        "properties": {"pattern": {"type": "string"}},
    }
    assert list(schema_problems(schema)) == []


def test_the_hash_of_the_prompt_is_at_hand(tmp_path: Path) -> None:
    plan = build_plan(load_spec(write_object_test(tmp_path)))
    assert plan.prompt.content_hash == Prompt(**RIVER).content_hash  # type: ignore[attr-defined]


def test_a_written_out_prompt_of_a_later_release_keeps_its_text(tmp_path: Path) -> None:
    later = {**RIVER, "output_format_instruction": "As JSON."}
    [conversation] = build_plan(
        load_spec(write_object_test(tmp_path, prompt_object=later))
    ).preview(instance(river="Nile"))
    text = str(conversation.messages[0].content)
    assert "As JSON.\n\nExamples:\n" in text
    assert text.endswith('Your actual task:\n\nriver: "Nile"\nanswer: \n')


def test_a_field_without_effect_is_a_warning(tmp_path: Path) -> None:
    old = {**RIVER, "output_format_instruction": "As JSON.", "version": "0.1.3"}
    [problem] = build_plan(load_spec(write_object_test(tmp_path, prompt_object=old))).warnings
    assert "`output_format_instruction` has no effect" in problem.message
    assert problem.severity == "warning"


def test_a_saved_prompt_is_put_into_the_test_unless_it_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "river.json"
    file.write_text(json.dumps(RIVER))
    spec = load_spec(write_object_test(tmp_path, prompt_object="river.json"))
    assert DIALECT.with_files(spec).prompt_object == RIVER
    assert build_plan(DIALECT.with_files(spec)).warnings == build_plan(spec).warnings
    file.write_text(json.dumps({**RIVER, "examples": 1}))
    assert DIALECT.with_files(spec) is spec
    with pytest.raises(SpecError, match=r"river\.json: "):
        build_plan(DIALECT.with_files(spec))
    written = load_spec(write_object_test(tmp_path))
    assert DIALECT.with_files(written) is written
