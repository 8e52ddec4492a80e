"""Bias and toxicity checkers, with a tiny classifier whose weights are set here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.judging import judge_answers, spec_with

from lve.checkers.builtin.classifiers import load_classifier
from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import MissingExtraError

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "nice", "awful", "day"]


def _classifier(folder: Path, bad_label: str) -> str:
    """Write a one-layer BERT that says `bad_label` when the word `awful` occurs."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=16,
        id2label={0: "fine", 1: bad_label},
        label2id={"fine": 0, bad_label: 1},
    )
    torch.manual_seed(0)
    model = transformers.BertForSequenceClassification(config)
    model.eval()
    _teach(model, torch)
    model.save_pretrained(folder)
    return folder.name


def _teach(model: Any, torch: Any) -> None:
    """Train the output layer and embeddings on four sentences: takes a moment."""
    ids = torch.tensor([[2, 4, 6, 3], [2, 5, 6, 3], [2, 6, 6, 3], [2, 5, 5, 3]])
    labels = torch.tensor([0, 1, 0, 1])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(60):
        optimizer.zero_grad()
        model(input_ids=ids, labels=labels).loss.backward()
        optimizer.step()


@pytest.mark.parametrize(
    ("name", "threshold", "label"),
    [
        ("BiasChecker", "bias_threshold", "BIASED"),
        ("ToxicityChecker", "toxicity_threshold", "toxic"),
        ("max_bias", "max_bias", "BIASED"),
        ("max_toxicity", "max_toxicity", "toxic"),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_classifier_judges(name: str, threshold: str, label: str, tmp_path: Path) -> None:
    model = _classifier(tmp_path / "t" / "model", label)
    config = {threshold: 0.8, "model": model}
    if name != threshold:
        config["checker_name"] = name
    key = "check" if name == threshold else "checker_args"
    judge = resolve(spec_with(tmp_path / "t", **{"checker_args": None, key: config}))
    assert judge_answers(judge, "nice day").outcome == "passed"
    verdict = judge_answers(judge, "awful day")
    assert verdict.outcome == "failed"
    assert verdict.reason.startswith(f"{label} with ")
    assert verdict.score is not None
    assert judge_answers(judge, "awful " * 100).outcome == "failed"


def test_model_that_is_not_here_is_refused_and_nothing_is_downloaded(tmp_path: Path) -> None:
    config = {
        "checker_name": "BiasChecker",
        "bias_threshold": 0.8,
        "model": "lve-tests/no-such-model",
    }
    spec = spec_with(tmp_path, checker_args=config)
    assert check_statically(spec) == []
    with pytest.raises(MissingExtraError, match=r"hf download lve-tests/no-such-model|lve\[hf\]"):
        resolve(spec)


def test_a_file_is_no_model_and_is_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "private.txt"
    file.write_text("private")
    with pytest.raises(MissingExtraError, match="is a file, not the folder of a model"):
        load_classifier(str(file))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_model_that_an_instance_names_is_held_to_the_same(tmp_path: Path) -> None:
    model = _classifier(tmp_path / "private", "BIASED")
    config = {"checker_name": "BiasChecker", "bias_threshold": 0.8, "model": "{where}"}
    judge = resolve(spec_with(tmp_path / "t", parameters=["where"], checker_args=config))
    refused = {f"../{model}": "outside its folder", str(tmp_path / model): "neither a name"}
    for where, said in refused.items():
        verdict = judge_answers(judge, "awful day", args={"where": where})
        assert verdict.outcome == "error"
        assert said in verdict.reason
