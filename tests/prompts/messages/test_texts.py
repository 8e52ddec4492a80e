"""`braces: double`, prompt files of other kinds, and names in literal braces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from prompts.messages.message_plans import instance, make_plan
from support.command_line import call
from support.folders import write_test

from lve.errors import SpecError


def sent(folder: Path, files: dict[str, str] | None = None, **keys: Any) -> list[str]:
    """Return the messages that a test sends for `name: Ana`."""
    plan = make_plan(folder, files, prompt_parameters=["name"], **keys)
    messages = plan.preview(instance(name="Ana"))[0].messages
    return [str(message.content) for message in messages[:-1]]


def warned(folder: Path, files: dict[str, str] | None = None, **keys: Any) -> list[str]:
    """Return the warnings about a test, without the folder."""
    plan = make_plan(folder, files, prompt_parameters=["name"], **keys)
    return [str(problem).split("/")[-1] for problem in plan.warnings]


JSON = '{"name": "{{name}}", "is": {"a": 1}}'
FILLED = '{"name": "Ana", "is": {"a": 1}}'


@pytest.mark.parametrize(
    ("file", "text", "messages"),
    [
        ("p.txt", "Hi {name}\n", ["Hi Ana\n"]),
        ("p.md", "# Hi {name}\n", ["# Hi Ana\n"]),
        ("p.txt", '{{"content": "x"}}\n{{"content": "y"}}', ['{"content": "x"}\n{"content": "y"}']),
        ("p.j2", f"{JSON}\n", [FILLED]),
        ("p.jinja", '{"content": "{{ name }}"}', ['{"content": "Ana"}']),
    ],
)
def test_files_of_other_kinds_are_texts(
    tmp_path: Path, file: str, text: str, messages: list[str]
) -> None:
    assert sent(tmp_path, {file: text}, prompt=None, prompt_file=file) == messages


@pytest.mark.parametrize(
    ("file", "text", "messages"),
    [
        ("p.prompt", f"Answer:\n{JSON}\n", [f"Answer:\n{FILLED}\n"]),
        ("p.txt", JSON, [FILLED]),
        (
            "p.prompt",
            '{"system": "Say {x} to {{name}}"}\n{"user": "{{ name }}"}',
            ["Say {x} to Ana", "Ana"],
        ),
    ],
)
def test_double_braces_in_files(tmp_path: Path, file: str, text: str, messages: list[str]) -> None:
    keys = {"prompt": None, "prompt_file": file, "braces": "double"}
    assert sent(tmp_path, {file: text}, **keys) == messages


def test_double_braces_in_the_document(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "{x} {{name}}"}]
    prompt = [{"system": JSON}, {"user": parts}, {"assistant": "{{name}}"}, {"user": "{{name}}"}]
    messages = sent(tmp_path, prompt=prompt, braces="double")
    assert messages[0] == FILLED
    assert "'{x} Ana'" in messages[1]
    assert messages[2:] == ["{{name}}", "Ana"]


def test_double_braces_in_mocks_and_for_the_simulated_user(tmp_path: Path) -> None:
    write_test(
        tmp_path / "t",
        braces="double",
        prompt="Hi {{name}}",
        prompt_parameters=["name"],
        tools=[{"name": "look", "parameters": {"type": "object"}}],
        mocks={"look": {"result": {"for": "{{name}}", "text": "{x}"}}},
        simulated_user={"instructions": "You are {{name}} {x}."},
    )
    from lve.prompts.plan import build_plan
    from lve.spec.load import load_spec

    plan = build_plan(load_spec(tmp_path / "t"))
    (conversation,) = plan.preview(instance(name="Ana"))
    assert conversation.user is not None
    assert conversation.user.instructions == "You are Ana {x}."
    assert conversation.toolbox is not None
    mock = str(conversation.toolbox)
    assert "{'for': 'Ana', 'text': '{x}'}" in mock


def test_a_suite_decides_for_its_tests(root: Path) -> None:
    (root / "suite.yaml").write_text("braces: double\n")
    write_test(root / "t", prompt="{x} {{name}}", dataset=[{"name": "Ana"}])
    write_test(root / "u", prompt="{name}", braces="single", dataset=[{"name": "Ana"}])
    code, out, _ = call("render", "t", "u")
    assert code == 0
    assert "{x} Ana" in out
    assert out.count("Ana") >= 2


@pytest.mark.parametrize(
    ("keys", "warning"),
    [
        (
            {"prompt": "Hi {{name}}"},
            "{{name}} is sent as {name}: doubled braces are literal ones (write {name} for the "
            "value, or `braces: double` in the test)",
        ),
        (
            {"prompt": "Hi {{ name }} {name}"},
            "{{ name }} is sent as {name}: doubled braces are literal ones (write {name} for the "
            "value, or `braces: double` in the test)",
        ),
        (
            {"prompt": "Hi {name}", "braces": "double"},
            "{name} is sent as it stands: placeholders are {{name}} here (write {{name}} for the "
            "value)",
        ),
        (
            {"prompt": "Hi {name}", "check": {"contains": "{{name}}"}, "checker_args": None},
            "{{name}} is compared as {name}, not as the value (write {name}: checks take single "
            "braces, whatever `braces` says)",
        ),
    ],
)
def test_a_name_in_literal_braces_is_warned_about(
    tmp_path: Path, keys: dict[str, Any], warning: str
) -> None:
    (only,) = warned(tmp_path, **keys)
    assert only.startswith("test.json:1:")
    assert only.endswith(warning)


@pytest.mark.parametrize(
    "keys",
    [
        {"prompt": "Hi {{{name}}} {{other}} {{{{name}}}} {{{{name}}"},
        {"prompt": "Hi {{{{name}}}} {{name}} {other}", "braces": "double"},
        {"prompt": "{name}", "check": {"math": "{{name}}"}, "checker_args": None},
    ],
)
def test_braces_that_are_meant_are_not(tmp_path: Path, keys: dict[str, Any]) -> None:
    assert warned(tmp_path, **keys) == []


def test_the_place_in_a_jinja_file_is_the_one_in_the_file(tmp_path: Path) -> None:
    files = {"p.j2": '{"a": {}}\nHi {{ nmae }}'}
    with pytest.raises(SpecError) as caught:
        sent(tmp_path, files, prompt=None, prompt_file="p.j2")
    (problem,) = caught.value.problems
    assert str(problem).endswith(
        "p.j2:2:4: {{nmae}} is not a declared parameter (did you mean `name`?)"
    )


def test_a_warning_is_shown_by_check_and_run(root: Path) -> None:
    write_test(root / "t", prompt="Hello {{name}}", dataset=[{"name": "Ana"}])
    for command in ("check", "run"):
        code, out, err = call(command, "t")
        assert code == 0
        assert "{{name}} is sent as {name}" in out + err


def test_what_was_written_is_shown_as_it_was(root: Path) -> None:
    write_test(root / "t", prompt="{x} {{name}}", braces="double", dataset=[{"name": "Ana"}])
    _, out, _ = call("render", "t", "--json")
    (test,) = json.loads(out)["tests"]
    assert test["prompts"][0]["messages"][0]["content"] == "{x} {{name}}"
