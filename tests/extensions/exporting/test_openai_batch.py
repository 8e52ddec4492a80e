"""`lve export openai-batch`: requests as lines of OpenAI's batch API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace, write_test

from lve.errors import UsageError

LOCAL = "models: {my/m: {provider: openai, model: m-2026, base_url: 'http://localhost:1/v1'}}"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a test of two rows."""
    monkeypatch.chdir(workspace(tmp_path, LOCAL))
    write_test(
        tmp_path / "t",
        model="openai/gpt-5",
        prompt=[{"system": "Be brief."}, {"user": "{q}"}],
        prompt_parameters=["q"],
        dataset=[{"q": "One?"}, {"q": "Two?", "max_tokens": 7}],
        default_model_args={"max_tokens": 5},
    )
    return tmp_path


@pytest.mark.usefixtures("root")
def test_each_run_of_a_row_is_a_request() -> None:
    code, out, _ = call("export", "openai-batch", "t")
    lines = [json.loads(line) for line in out.splitlines()]
    assert not code
    assert [line["custom_id"] for line in lines] == ["t test.json:1", "t test.json:2"]
    first, second = (line["body"] for line in lines)
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    assert first["model"] == "gpt-5"
    assert first["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One?"},
    ]
    # What this model is known to call otherwise, or to refuse.
    assert (first["max_completion_tokens"], second["max_completion_tokens"]) == (5, 7)
    assert "temperature" not in first


@pytest.mark.usefixtures("root")
def test_another_model_and_repeats() -> None:
    write_test(Path("r"), repeats=2)
    _, out, err = call("export", "openai-batch", "r", "-m", "my/m", "-o", "made/requests.jsonl")
    lines = [json.loads(line) for line in Path("made/requests.jsonl").read_text().splitlines()]
    assert not out
    assert "2 requests in made/requests.jsonl" in err
    assert len({line["custom_id"] for line in lines}) == 2
    assert {line["body"]["model"] for line in lines} == {"m-2026"}


TEMPLATE = {"type": "PromptTemplate", "template": "{q} {a}"}
DATA_SET = {
    "prompt": None,
    "reader_cfg": {"input_columns": ["q"], "output_column": "a"},
    "dataset": {"test": [{"q": "One?", "a": "1"}]},
}
TURNS = [{"user": "Hi"}, {"role": "assistant", "variable": "a"}, {"user": "And {a}?"}]


def inferred(inferencer: str) -> dict[str, Any]:
    """Return a test of OpenCompass's templates with an inferencer."""
    parts = {"prompt_template": TEMPLATE, "retriever": {"type": "ZeroRetriever"}}
    return {**DATA_SET, "infer_cfg": {**parts, "inferencer": {"type": inferencer}}}


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"prompt": TURNS}, "conversations of several turns"),
        (inferred("PPLInferencer"), "texts to continue or rate"),
        (
            {"prompt": "Hi", "output_schema": {"type": "object"}},
            "prompts with `output_schema`, as lve says the format",
        ),
        ({"prompt": [{"content": "Look.", "image": "a.png"}]}, "rows with files"),
    ],
)
@pytest.mark.usefixtures("root")
def test_what_is_no_single_request_is_said(document: dict[str, Any], why: str) -> None:
    folder = write_test(Path("other"), **document)
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    code, out, err = call("export", "openai-batch", "other", "t")
    assert not code, err
    assert len(out.splitlines()) == 2
    assert f"not exported: {why}" in err


@pytest.mark.usefixtures("root")
def test_mistakes_are_said_and_no_half_file_stays() -> None:
    write_test(Path("u"), model=None)
    with pytest.raises(UsageError, match="u names no model: say -m NAME"):
        call("export", "openai-batch", "t", "u", "-o", "half.jsonl")
    assert not Path("half.jsonl").exists()
    write_test(Path("v"), prompt="{nobody}")
    code, _, err = call("export", "openai-batch", "v")
    assert code == 2
    assert "nobody" in err
