"""Runs against `hf/`: what the settings say of a local model reaches it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.hf.tiny_model import make_tiny_model
from support.folders import workspace, write_dataset_test, write_test
from support.packages import needs

from lve import run

pytestmark = needs("torch", "transformers")


META = {
    "round": [
        {"role": "HUMAN", "begin": "Human: ", "end": "\n"},
        {"role": "BOT", "begin": "Bot:", "end": "\n", "generate": True},
    ]
}
ANY = {"checker_name": "RegexChecker", "pattern": "(?s).", "match_safe": True}
ARGS = {"max_tokens": 6}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model without a chat template, for which no process has to start."""
    return make_tiny_model(tmp_path_factory.mktemp("local") / "bare", chat_template=None)


@pytest.fixture(autouse=True)
def _root(tmp_path: Path, tiny: Path, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, without = ({"provider": "hf", "model": str(model)} for model in (tiny, bare))
    models = {"plain": entry, "written": {**entry, "meta_template": META}, "bare": without}
    monkeypatch.chdir(workspace(tmp_path, json.dumps({"models": models})))


def dataset(folder: Path, template: Any, inferencer: dict[str, Any]) -> Path:
    return write_dataset_test(
        folder,
        [{"q": "What is the capital of France?", "a": "Paris"}],
        prompt_template={"type": "PromptTemplate", "template": template},
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        inferencer=inferencer,
        model_args=ARGS,
    )


def response(test: Path, model: str) -> str:
    [result] = run(str(test), model=model).results
    assert result.verdict != "error", result.reason
    return str(result.responses[0])


def test_a_meta_template_writes_chats_and_dialogues_alike(tmp_path: Path) -> None:
    content = "What is the capital of France?"
    chat = write_test(
        tmp_path / "chat",
        prompt=[{"role": "user", "content": content}],
        default_model_args=ARGS,
        checker_args=ANY,
    )
    rounds = [{"role": "HUMAN", "prompt": "{q}"}, {"role": "BOT", "prompt": "{a}"}]
    gen = {"type": "GenInferencer"}
    dialogue = dataset(tmp_path / "dialogue", {"round": rounds}, gen)
    # The tokenizer's chat template writes other words around the question.
    assert response(chat, "written") == response(dialogue, "written") != response(chat, "plain")


@pytest.mark.parametrize("model", ["plain", "written", "by path"])
def test_a_local_model_rates_labels_also_where_words_would_do(
    tmp_path: Path, tiny: Path, model: str
) -> None:
    template = {label: f"{{q}} {label}" for label in ("Paris", "Rome")}
    test = dataset(tmp_path / "labels", template, {"type": "PPLInferencer", "fallback": "generate"})
    name = f"hf/{tiny}" if model == "by path" else model
    [result] = run(str(test), model=name).results
    assert "perplexity: Paris" in (result.reason or "")


def test_answers_of_a_local_model_are_cached(tmp_path: Path) -> None:
    test = write_test(tmp_path / "t", default_model_args=ARGS, checker_args=ANY)
    first, again = run(str(test), model="bare"), run(str(test), model="bare")
    assert (first.requests, again.requests) == (1, 0)
    assert again.results[0].responses == first.results[0].responses
    # A meta template makes another prompt of the same messages.
    assert run(str(test), model="written").requests == 1


def test_a_cap_on_cost_needs_no_price_of_it(tmp_path: Path) -> None:
    test = write_test(tmp_path / "t", default_model_args=ARGS, checker_args=ANY)
    assert run(str(test), model="bare", max_cost=1.0).requests == 1


@pytest.mark.parametrize("embedding", ["by path", "plain"])
def test_similar_compares_the_vectors_of_a_local_model(
    tiny: Path, tmp_path: Path, embedding: str
) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    answer, wanted = "The capital of France is Paris.", "Paris is the capital."
    check = {"similar": wanted, "threshold": -0.99}
    plan = {"model": None, "checker_args": None, "check": check}
    instances = [{"args": {}, "response": answer}]
    test = write_test(tmp_path / "t", instances=instances, **plan)
    name = f"hf/{tiny}" if embedding == "by path" else embedding
    [result] = run(str(test), model="replay", roles={"embedding": name}).results

    tokenizer, network = AutoTokenizer.from_pretrained(tiny), AutoModel.from_pretrained(tiny)
    with torch.no_grad():
        vectors = [
            network(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0)
            for text in (answer, wanted)
        ]
    expected = torch.nn.functional.cosine_similarity(*vectors, dim=0).item()
    assert result.verdict == "passed", result.reason
    assert 0 < expected < 0.9999
    assert result.score == pytest.approx(expected, abs=1e-4)
