"""Problems of a prompt are reported before anything is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prompts.messages.message_plans import instance, make_plan

from lve.errors import SpecError
from lve.messages import Role


def refusal(folder: Path, files: dict[str, str] | None = None, **keys: Any) -> list[str]:
    """The problems of a test, without the folder."""
    with pytest.raises(SpecError) as caught:
        make_plan(folder, files, **keys)
    return [str(problem).split("/")[-1] for problem in caught.value.problems]


UNDECLARED = (
    "{{{}}} is not a declared parameter (declare it in `prompt_parameters`, or write {{{{ and }}}} "
    "for braces that are meant literally)"
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
