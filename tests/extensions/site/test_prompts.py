"""Prompts as a page shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_dataset_test, write_test

from lve.extensions.site.prompts import MAX_MESSAGES, ShownPrompt, shown_prompts, spelled
from lve.extensions.site.texts import MAX_CHARACTERS
from lve.pipeline.choosing.loading import load_test
from lve.prompts.fill import Placeholder, parse_template
from lve.prompts.plan import build_plan
from lve.workspace import Workspace


def shown(root: Path, folder: Path) -> list[ShownPrompt]:
    return shown_prompts(build_plan(load_test(folder, Workspace(root))))


def texts(prompt: ShownPrompt) -> list[str]:
    return [
        "".join(f"<{one.text}>" if one.is_parameter else one.text for one in message.pieces)
        for message in prompt.messages
    ]


def prompt_of(root: Path, *messages: Any, **document: Any) -> ShownPrompt:
    workspace(root)
    folder = write_test(root / "t", prompt=[*messages], **document)
    return shown(root, folder)[0]


def test_parameters_are_marked_and_braces_are_as_they_are_sent(tmp_path: Path) -> None:
    prompt = prompt_of(
        tmp_path,
        {"role": "system", "content": "JSON: {{}}"},
        {"content": "{a} and {b[0]!r:>8}"},
        {"role": "assistant", "content": "{a} stays", "variable": "x"},
        {"role": "user", "content": [{"type": "text", "text": "see {a}"}]},
        prompt_parameters=["a", "b"],
    )
    assert texts(prompt) == [
        "JSON: {}",
        "<{a}> and <{b[0]!r:>8}>",
        "{a} stays",
        "see <{a}>",
        "",
    ]
    assert [message.role for message in prompt.messages] == [
        *("system", "user", "assistant", "user", "assistant"),
    ]
    assert [message.answers for message in prompt.messages][-1] == "response"


def test_variants_of_a_prompt_have_their_names(tmp_path: Path) -> None:
    workspace(tmp_path)
    prompts = {"formal": "Dear model, {a}", "casual": "Hi! {a}"}
    folder = write_test(tmp_path / "t", prompt=None, prompts=prompts, prompt_parameters=["a"])
    first, second = shown(tmp_path, folder)
    assert (first.name, second.name) == ("variant formal", "variant casual")
    assert texts(first)[0] == "Dear model, <{a}>"


def test_open_turns_have_the_names_of_their_answers(tmp_path: Path) -> None:
    prompt = prompt_of(
        tmp_path,
        {"content": "one"},
        {"role": "assistant", "variable": "first"},
        {"content": "two"},
        checker_args={"checker_name": "LambdaChecker", "func": "lambda first, response: True"},
    )
    assert [message.answers for message in prompt.messages] == [None, "first", None, "response"]


def test_several_prompts_have_names_and_repetitions(tmp_path: Path) -> None:
    workspace(tmp_path)
    folder = write_test(
        tmp_path / "t",
        prompt=None,
        multi_run_prompt=[
            {"name": "a", "repetitions": 3, "prompt": [{"content": "x"}]},
            {"prompt": [{"content": "y"}]},
        ],
        checker_args={"checker_name": "MultiRunLambdaChecker", "func": "lambda runs: True"},
    )
    assert [(one.name, one.repetitions) for one in shown(tmp_path, folder)] == [("a", 3), (None, 1)]


def test_a_template_is_shown_as_its_first_row_is_sent(tmp_path: Path) -> None:
    workspace(tmp_path)
    folder = write_dataset_test(
        tmp_path / "t",
        {"rows": [{"q": "2 + {x}?", "a": "4"}]},
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        prompt_template={"type": "PromptTemplate", "template": "Q: {q}"},
    )
    (prompt,) = shown(tmp_path, folder)
    assert texts(prompt)[0] == "Q: 2 + {x}?"
    assert prompt.row == "test.json, row 1"


def test_a_template_without_rows_shows_nothing(tmp_path: Path) -> None:
    workspace(tmp_path)
    folder = write_dataset_test(
        tmp_path / "t",
        {"path": "rows.jsonl"},
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        prompt_template={"type": "PromptTemplate", "template": "Q: {q}"},
    )
    (folder / "rows.jsonl").write_text("")
    assert shown(tmp_path, folder) == []


def test_long_texts_and_many_messages_are_cut(tmp_path: Path) -> None:
    prompt = prompt_of(
        tmp_path,
        {"content": "x" * (MAX_CHARACTERS + 5)},
        *[{"content": str(number)} for number in range(200)],
    )
    assert prompt.messages[0].left_out == 5
    assert len(texts(prompt)[0]) == MAX_CHARACTERS
    assert len(prompt.messages) == MAX_MESSAGES
    assert prompt.left_out == 102


def test_an_image_that_is_written_into_its_address_is_cut(tmp_path: Path) -> None:
    url = "data:image/png;base64," + "A" * 5000
    prompt = prompt_of(tmp_path, {"content": "What is this?", "image_url": url})
    (text, _) = texts(prompt)
    assert text.startswith("What is this?\n[image: data:image/png;base64,AAAA")
    assert text.endswith("… 4,829 more characters]")


@pytest.mark.parametrize("text", ["{a}", "{a[0][key]}", "{a!r}", "{a:{b}d}", "{a[x]!s:>10}"])
def test_a_placeholder_is_spelled_as_it_is_written(text: str) -> None:
    (one,) = parse_template(text).segments
    assert isinstance(one, Placeholder)
    assert spelled(one) == text


def test_the_first_row_that_fills_a_template_is_shown(tmp_path: Path) -> None:
    workspace(tmp_path)
    folder = write_dataset_test(
        tmp_path / "t",
        "rows.jsonl",
        reader_cfg={"input_columns": ["q"], "output_column": None},
        prompt_template={"type": "PromptTemplate", "template": "{q}?"},
        inferencer={"type": "GenInferencer"},
    )
    (folder / "rows.jsonl").write_text('{broken\n{"q": "a"}\n')
    [prompt] = shown(tmp_path, folder)
    assert texts(prompt)[0] == "a?"
