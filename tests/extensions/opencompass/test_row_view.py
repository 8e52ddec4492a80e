"""What `lve render` shows of rows: the stages before a prompt, and where each character is from."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from support.rendered_rows import DOCUMENT, enter_sums, render


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter_sums(tmp_path, monkeypatch)


def test_it_says_where_each_character_comes_from(folder: Path) -> None:
    output = render("--provenance").output
    lines = [line.split() for line in output.splitlines()]
    assert "the model answers" not in output, "the prompt would be there twice"
    assert ["example", "0", "column", "question", "2+2=?"] in lines
    assert ["example", "0", "column", "answer", "4"] in lines
    assert ["row", "column", "question", "(test.json", "row", "1)", "1+1=?"] in lines


def test_it_says_where_the_parts_of_a_message_come_from(folder: Path) -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.org/x"}}
    parts = [{"type": "text", "text": "Look"}, image]
    template = {"type": "RawPromptTemplate", "messages": [{"role": "user", "content": parts}]}
    infer = {
        "prompt_template": template,
        "retriever": {"type": "ZeroRetriever"},
        "inferencer": {"type": "GenInferencer"},
    }
    document = {**DOCUMENT, "infer_cfg": infer}
    (folder / "sums" / "test.json").write_text(json.dumps(document), "utf-8")
    text, url = [line.split() for line in render("--provenance").output.splitlines()][3:6:2]
    assert (text[0], text[-1]) == ("prompt_template.messages[0].content[0].text", "Look")
    assert (url[0], url[-1]) == (
        "prompt_template.messages[0].content[1].image_url.url",
        "https://example.org/x",
    )


def test_json_has_every_stage(folder: Path) -> None:
    document = json.loads(render("--provenance", "--json", "--model", "local/m").output)
    row = document["tests"][0]["instances"][0]["row"]
    assert row["retrieved"] == [0]
    assert row["examples"] == "2+2=? 4\n"
    assert row["prompts"] == [{"label": None, "prompt": "2+2=? 4\n1+1=?"}]
    [asked] = row["inputs"]
    assert asked["text"] == "2+2=? 4\n1+1=?"
    spans = asked["origins"]
    assert "".join(asked["text"][s["start"] : s["end"]] for s in spans) == asked["text"]
    assert {s["kind"] for s in spans} == {"example", "template", "row", "default"}
    assert next(s for s in spans if s["kind"] == "template")["line"] is not None


def test_stages_of_a_dialogue_are_shown(folder: Path) -> None:
    round_ = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": "{answer}"}]
    dialogue = {"type": "PromptTemplate", "template": {"begin": ["</E>"], "round": round_}}
    infer = {
        **DOCUMENT["infer_cfg"],  # type: ignore[dict-item]
        "ice_template": {"type": "PromptTemplate", "template": {"round": round_}},
        "prompt_template": {**dialogue, "ice_token": "</E>"},
    }
    document = json.dumps({**DOCUMENT, "infer_cfg": infer})
    (folder / "sums" / "test.json").write_text(document, "utf-8")
    output = render("--model", "local/m").output
    assert "test.json row 1, examples: 0" in output
    assert "    dialogue\n" in output
    for line in ("HUMAN: 2+2=?", "BOT: 4", "HUMAN: 1+1=?"):
        assert f"      {line}\n" in output
    assert "    text:\n      USER: 2+2=? ASSISTANT: 4</s>USER: 1+1=? ASSISTANT: \n" in output
    assert "the model continues this text" in output


def test_dialogues_of_labels_are_shown_on_a_line_per_message(folder: Path) -> None:
    said = {label: {"round": [{"role": "HUMAN", "prompt": f"{{question}}\n{label}"}]}
            for label in ("two", "three")}  # fmt: skip
    infer = {
        "prompt_template": {"type": "PromptTemplate", "template": said},
        "retriever": {"type": "ZeroRetriever"},
        "inferencer": {"type": "PPLInferencer"},
    }
    (folder / "sums" / "test.json").write_text(
        json.dumps({**DOCUMENT, "infer_cfg": infer}), "utf-8"
    )
    output = render("--model", "local/m").output
    for label in said:
        assert f"    dialogue of label {label}\n      HUMAN: 1+1=?⏎{label}\n" in output


def test_origins_have_colours_on_a_terminal(folder: Path) -> None:
    result = render("--provenance", color=True)
    assert click.style("1+1=?", fg="green") in result.output  # the row
    assert click.style("2+2=?", fg="blue") in result.output  # an example
    assert click.style("⏎", fg="yellow") in result.output  # between examples


def test_roles_of_a_dialogue_have_colours_on_a_terminal(folder: Path) -> None:
    said = [
        {"role": "SYSTEM", "prompt": "Add."},
        {"role": "HUMAN", "prompt": "{question}"},
        {"role": "BOT", "prompt": ""},
    ]
    infer = {
        "prompt_template": {"type": "PromptTemplate", "template": {"round": said}},
        "retriever": {"type": "ZeroRetriever"},
        "inferencer": {"type": "GenInferencer"},
    }
    (folder / "sums" / "test.json").write_text(
        json.dumps({**DOCUMENT, "infer_cfg": infer}), "utf-8"
    )
    result = render(color=True)
    colors = {"SYSTEM": "magenta", "HUMAN": "green", "BOT": "cyan"}
    for role, color in colors.items():
        assert click.style(f"      {role}: ", fg=color) in result.output
