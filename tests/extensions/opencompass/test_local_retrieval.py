"""Examples chosen by local models: vectors and ratings of `hf/PATH`, nothing over the network."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from extensions.hf.tiny_model import make_tiny_model
from support.folders import workspace, write_dataset_test

from lve.options.run_options import RunOptions
from lve.pipeline.run import run_tests

DRINKS = [{"question": word, "answer": word[0]} for word in ("tea", "ale", "milk")]


@pytest.mark.parametrize(
    "retriever",
    [
        {"type": "TopkRetriever"},
        {"type": "MDLRetriever", "candidate_num": 3, "select_time": 3, "scoring_model": "hf/tiny"},
    ],
)
def test_examples_are_chosen_on_this_machine(
    retriever: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    make_tiny_model(tmp_path / "tiny")
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path)
    prompt = {
        "type": "PromptTemplate",
        "template": "</E>{question}={answer}",
        "ice_token": "</E>",
    }
    write_dataset_test(
        tmp_path,
        DRINKS,
        reader_cfg={"input_columns": ["question"], "output_column": "answer"},
        ice_template={"type": "PromptTemplate", "template": "{question}={answer}"},
        prompt_template=prompt,
        retriever={**retriever, "ice_num": 1, "embedding_model": "hf/tiny"},
    )
    result = asyncio.run(run_tests([tmp_path], RunOptions(), warn=pytest.fail, keep_results=True))
    assert result.results_in_memory is not None
    sent = [str(each.transcripts[0].messages[0].content) for each in result.results_in_memory]
    assert len(sent) == 3
    examples = {f"{row['question']}={row['answer']}" for row in DRINKS}
    assert {text.split("\n")[0] for text in sent} <= examples
    if retriever["type"] == "TopkRetriever":  # The nearest to a text is the text itself.
        assert all(text.split("\n")[1] in text.split("\n")[0] for text in sent)
