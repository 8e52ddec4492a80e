"""What a test's prompts become, and what is refused before anything is sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.errors import PromptError, SpecError
from lve.messages import Role
from lve.prompts.messages.plan import MessagePlan, build_message_plan
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec
from lve.spec.model import Instance

DOCUMENT = {
    "description": "d",
    "model": "dummy/dummy",
    "checker_args": {"checker_name": "LambdaChecker", "func": "lambda r: True"},
}

UNDECLARED = (
    "{{{}}} is not a declared parameter (declare it in `prompt_parameters`, or write {{{{ and }}}} "
    "for braces that are meant literally)"
)


def make_plan(folder: Path, files: dict[str, str] | None = None, **keys: Any) -> MessagePlan:
    for name, text in (files or {}).items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "test.json").write_text(json.dumps({**DOCUMENT, **keys}), encoding="utf-8")
    return build_message_plan(load_spec(folder))


def instance(**parameters: Any) -> Instance:
    return Instance(parameters, parameters, {}, "x.jsonl", 1)


def refusal(folder: Path, files: dict[str, str] | None = None, **keys: Any) -> list[str]:
    """The problems of a test, without the folder."""
    with pytest.raises(SpecError) as caught:
        make_plan(folder, files, **keys)
    return [str(problem).split("/")[-1] for problem in caught.value.problems]


def test_build_plan_finds_the_dialect(tmp_path: Path) -> None:
    spec = make_plan(tmp_path, prompt=[{"content": "x"}]).spec
    plan = build_plan(spec)
    assert [run.messages[0].content for run in plan.preview(instance())] == ["x"]


def test_repetitions_are_written_out_and_share_one_conversation(tmp_path: Path) -> None:
    run = {"name": "a", "prompt": [{"content": "{x}"}], "repetitions": 3}
    plan = make_plan(tmp_path, multi_run_prompt=run, prompt_parameters=["x"])
    runs = plan.preview(instance(x="1"))
    assert len(runs) == 3
    assert runs[0] is runs[2]
    assert (runs[0].name, runs[0].open_turns) == ("a", (1,))


def test_messages_without_placeholders_are_shared_by_all_instances(tmp_path: Path) -> None:
    prompt = [{"role": "system", "content": "{{}}"}, {"content": "{x}"}]
    plan = make_plan(tmp_path, prompt=prompt, prompt_parameters=["x"])
    one, two = (plan.preview(instance(x=n))[0].messages for n in (1, 2))
    assert one[0] is two[0]
    assert one[0].content == "{}"


def test_an_assistant_message_is_an_answer_and_no_template(tmp_path: Path) -> None:
    said = "{x} {{x}} {nothing} {"
    prompt = [{"content": "{x}"}, {"role": "assistant", "content": said}, {"content": "more"}]
    plan = make_plan(tmp_path, prompt=prompt, prompt_parameters=["x"])
    assert plan.prompts[0].to_fill == (0,)
    messages = plan.preview(instance(x="1"))[0].messages
    assert [message.content for message in messages] == ["1", said, "more", None]


def test_parts_are_filled_in(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "What is {x}?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/{x}", "detail": "low"}},
        {"type": "image_url", "image_url": "{x}"},
    ]
    plan = make_plan(tmp_path, prompt=[{"content": parts}], prompt_parameters=["x"])
    assert plan.preview(instance(x="q"))[0].messages[0].content == (
        {"type": "text", "text": "What is q?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/q", "detail": "low"}},
        {"type": "image_url", "image_url": "q"},
    )


def test_a_name_in_a_part_must_be_declared(tmp_path: Path) -> None:
    parts = [{"type": "image_url", "image_url": {"url": "{y}"}}]
    assert refusal(tmp_path, prompt=[{"content": parts}]) == [
        "test.json:1:134: $.prompt[0].content: {y} is not a declared parameter "
        "(declare it in `prompt_parameters`, or write {{ and }} for braces that are meant "
        "literally)"
    ]


def test_all_problems_of_all_prompts_are_reported_together(tmp_path: Path) -> None:
    runs = [
        {"prompt_file": "empty.prompt"},
        {"prompt_file": "test.prompt"},
        {"prompt": [{"content": "{nmae}"}, {"role": "assistant"}, {"content": "{a.b}"}]},
    ]
    files = {"empty.prompt": "", "test.prompt": "one\n{one} {two}\n{one}"}
    problems = refusal(tmp_path, files, multi_run_prompt=runs, prompt_parameters=["name", "a"])
    assert [problem.split(": ")[:2] for problem in problems] == [
        ["empty.prompt", "the prompt has not been filled in (write the prompt into this file)"],
        ["test.prompt:2:1", UNDECLARED.format("one")],
        ["test.prompt:2:7", UNDECLARED.format("two")],
        ["test.json:1:221", "$.multi_run_prompt[2].prompt[0].content"],
        ["test.json:1:244", "$.multi_run_prompt[2].prompt[1]"],
        ["test.json:1:267", "$.multi_run_prompt[2].prompt[2].content"],
    ]
    assert "did you mean `name`?" in problems[3]
    assert '"variable": "answer1"' in problems[4]


def test_json_in_a_text_is_explained(tmp_path: Path) -> None:
    problems = refusal(tmp_path, prompt=[{"content": 'Return {"k": 1}.'}])
    assert problems[0].endswith(
        '{"k"} is not a declared parameter '
        "(this is no name: write {{ and }} for braces that are meant literally)"
    )


def test_the_position_of_a_name_in_a_json_line_is_exact(tmp_path: Path) -> None:
    files = {"test.prompt": '{"content": "a"}\n{"content": "see {x}"}'}
    assert refusal(tmp_path, files, prompt_file="test.prompt")[0].startswith(
        "test.prompt:2:18: {x}"
    )


def test_what_looks_wrong_is_a_warning(tmp_path: Path) -> None:
    prompt = [
        {"role": "assistant", "variable": "hello"},
        {"content": "{x}", "variable": "y"},
        {"role": "assistant", "content": "{x}"},
    ]
    plan = make_plan(tmp_path, prompt=prompt, prompt_parameters=["x"])
    assert [(problem.severity, problem.path) for problem in plan.warnings] == [
        ("warning", "$.prompt[0]"),
        ("warning", "$.prompt[1].variable"),
        ("warning", "$.prompt[2].content"),
    ]
    messages = plan.preview(instance(x="1"))[0].messages
    assert [message.role for message in messages] == [
        Role.assistant, Role.user, Role.assistant, Role.assistant,
    ]  # fmt: skip
    assert messages[2].content == "{x}"


def test_a_missing_parameter_is_told_when_filling(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, prompt=[{"content": "{x}"}], prompt_parameters=["x"])
    with pytest.raises(PromptError, match="parameter 'x' has no value"):
        plan.preview(instance())
