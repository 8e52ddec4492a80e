"""`lve render` of data sets: as a model gets them."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from support.command_line import lve
from support.folders import workspace
from support.old_click import new_click
from support.rendered_rows import DOCUMENT, enter_sums, render

from lve.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter_sums(tmp_path, monkeypatch)


def test_data_that_looks_like_a_field_is_told_with_its_row(folder: Path) -> None:
    dataset = {**DOCUMENT["dataset"], "test": [{"question": "{answer}?", "answer": "2"}]}  # type: ignore[dict-item]
    document = {**DOCUMENT, "dataset": dataset}
    (folder / "sums" / "test.json").write_text(json.dumps(document), "utf-8")
    problems = json.loads(render("--json").stdout)["problems"]
    assert [problem["severity"] for problem in problems] == ["warning"]
    assert "column 'question' contains the text {answer}" in problems[0]["message"]


def test_roles_have_colours_on_a_terminal(folder: Path) -> None:
    result = render(color=True)
    assert click.style("    user:", fg="green") in result.output
    assert click.style("    assistant (response): the model answers", fg="cyan") in result.output


def test_what_is_no_part_of_a_prompt_is_dim_on_a_terminal(folder: Path) -> None:
    document = {
        "description": "empty",
        "model": "dummy/dummy",
        "prompt": [{"content": "{word}"}],
        "prompt_parameters": ["word"],
        "checker_args": {"checker_name": "RegexChecker", "pattern": "h"},
    }
    (folder / "sums" / "test.json").write_text(json.dumps(document), "utf-8")
    result = render(color=True)
    hint = "  no rows: set word with -p NAME=VALUE"
    assert click.style("  as written", dim=True) in result.output
    assert click.style(hint, dim=True) in result.output


@new_click
def test_test_model_and_rows_are_chosen_from_menus(folder: Path) -> None:
    (folder / "other").mkdir()
    other = {**DOCUMENT, "description": "other"}
    (folder / "other" / "test.json").write_text(json.dumps(other), "utf-8")
    result = lve("render", "-i", "--json", answers="2\n2\n1\n")
    assert "   1 other/test.json" in result.stderr
    assert "   2 local/m" in result.stderr
    assert [f"{asked} [1]:" in result.stderr for asked in ("test", "model", "rows")] == [True] * 3
    [test] = json.loads(result.stdout)["tests"]
    assert test["path"] == "sums"
    assert "text" in test["instances"][0]["row"]["inputs"][0]  # as the model local/m gets it


def test_a_menu_takes_no_other_answer(folder: Path) -> None:
    result = lve("render", "-i", answers="7\n1\n1\n1\n")
    assert "7 is not in the range" in result.stderr
    assert "sums/test.json" in result.stdout


def test_tokens_are_counted_by_tiktoken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    words = tiktoken.Encoding(  # the real package with a table of bytes: none has to be fetched
        "bytes",
        pat_str=r"(?s:.)",
        mergeable_ranks={bytes([n]): n for n in range(256)},
        special_tokens={"<|endoftext|>": 256},
    )
    monkeypatch.setattr(tiktoken, "encoding_for_model", lambda model: words)
    assert "test.json row 1, 13 tokens" in render("--tokens").output
    [test] = json.loads(render("--tokens", "--json").stdout)["tests"]
    assert test["instances"][0]["runs"][0]["tokens"] == len("2+2=? 4\n1+1=?")


def test_a_table_of_tokens_that_can_not_be_fetched_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiktoken = pytest.importorskip("tiktoken")

    def unreachable(model: str) -> None:
        raise OSError("no network")

    monkeypatch.setattr(tiktoken, "encoding_for_model", unreachable)
    result = render("--tokens", code=2)
    assert isinstance(result.exception, UsageError)
    assert "TIKTOKEN_CACHE_DIR" in str(result.exception)


def test_the_tests_own_model_says_how_a_dialogue_is_written(folder: Path) -> None:
    round_ = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": "{answer}"}]
    template = {"type": "PromptTemplate", "template": {"round": round_}}
    infer = {
        "prompt_template": template,
        "retriever": {"type": "ZeroRetriever"},
        "inferencer": {"type": "GenInferencer"},
    }
    document = {**DOCUMENT, "infer_cfg": infer, "model": "local/m"}
    (folder / "sums" / "test.json").write_text(json.dumps(document), "utf-8")
    assert "USER: 1+1=? ASSISTANT:" in render().output
    assert "      meta template $.round[0].begin   " in render("--provenance").output
    assert "USER: 1+1=? ASSISTANT:" not in render("--model", "dummy/dummy").output


def test_a_test_for_a_language_model_is_checked_as_one(folder: Path) -> None:
    template = {label: {"round": [{"role": "HUMAN", "prompt": f"{label}?"}]} for label in "AB"}
    infer = {
        "prompt_template": {"type": "PromptTemplate", "template": template},
        "retriever": {"type": "ZeroRetriever"},
        "inferencer": {"type": "PPLInferencer"},
    }
    document = {**DOCUMENT, "infer_cfg": infer, "model": "local/m"}
    (folder / "sums" / "test.json").write_text(json.dumps(document), "utf-8")
    lve("check", "sums")
    workspace(folder, "models: {x/y: {kind: api, meta_template: vicuna}}")
    (folder / "sums" / "test.json").write_text(json.dumps({**document, "model": "x/y"}), "utf-8")
    assert "which a chat server can't do" in lve("check", "sums", code=2).output
