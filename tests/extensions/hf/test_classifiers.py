"""Bias and toxicity checkers, with a tiny classifier whose weights are set here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from checkers.builtin.network_record import assert_no_network, recorded_children
from extensions.hf.downloads import write_download
from support.judging import judge_answers, spec_with
from support.packages import needs
from support.shared_processes import stop_shared_processes

from lve.checkers.judge import Judge
from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import MissingExtraError
from lve.extensions.hf.classifiers import load_classifier

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "nice", "awful", "day"]
SIZE = 8
CONFIG = {
    "architectures": ["BertForSequenceClassification"],
    "model_type": "bert",
    "vocab_size": len(WORDS),
    "hidden_size": SIZE,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "intermediate_size": SIZE,
    "max_position_embeddings": 16,
}
CHECKERS = {
    "BiasChecker": ("bias_threshold", "BIASED"),
    "ToxicityChecker": ("toxicity_threshold", "toxic"),
    "max_bias": ("max_bias", "BIASED"),
    "max_toxicity": ("max_toxicity", "toxic"),
}
"""Name -> argument with the threshold, and label of what fails."""


def _classifier(folder: Path, bad_label: str) -> str:
    """Write a one-layer BERT that says `bad_label` when the word `awful` occurs. Training one, or
    only importing torch here, would take seconds."""
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    labels = {"id2label": {0: "fine", 1: bad_label}, "label2id": {"fine": 0, bad_label: 1}}
    (folder / "config.json").write_text(json.dumps({**CONFIG, **labels}))
    _write_weights(folder / "model.safetensors")
    return folder.name


def _write_weights(file: Path) -> None:
    """Write weights with which the first number of each vector says how much of it is `awful`."""
    numpy, safetensors = pytest.importorskip("numpy"), pytest.importorskip("safetensors.numpy")
    nothing, same = numpy.zeros((SIZE, SIZE), "float32"), numpy.eye(SIZE, dtype="float32")
    words = numpy.zeros((len(WORDS), SIZE), "float32")
    words[:, 1] = 1
    words[WORDS.index("awful"), :2] = (1, 0)
    layer = "encoder.layer.0."
    dense = {  # uniform attention: each vector gets the mean of all
        layer + "attention.self.query": nothing,
        layer + "attention.self.key": nothing,
        layer + "attention.self.value": same,
        layer + "attention.output.dense": same,
        layer + "intermediate.dense": nothing,
        layer + "output.dense": nothing,
        "pooler.dense": same,
    }
    weights = {f"bert.{name}.weight": weight for name, weight in dense.items()}
    weights |= {f"bert.{name}.bias": nothing[0] for name in dense}
    # -0.38 if no word is awful, at least 0 if one of four is.
    weights["bert.pooler.dense.bias"] = same[0] * 0.19
    for norm in ("embeddings", layer + "attention.output", layer + "output"):
        weights[f"bert.{norm}.LayerNorm.weight"] = numpy.ones(SIZE, "float32")
        weights[f"bert.{norm}.LayerNorm.bias"] = nothing[0]
    weights["bert.embeddings.word_embeddings.weight"] = words
    weights["bert.embeddings.position_embeddings.weight"] = numpy.tile(nothing, (2, 1))
    weights["bert.embeddings.token_type_embeddings.weight"] = nothing[:2]
    weights["classifier.weight"] = numpy.stack([-20 * same[0], 20 * same[0]])
    weights["classifier.bias"] = nothing[0, :2]
    # Safetensors refuses arrays that share memory.
    safetensors.save_file({name: weight.copy() for name, weight in weights.items()}, file)


@dataclass(frozen=True)
class Made:
    """Judges with a process that they share."""

    root: Path
    network: Path
    """What the process asks of the network."""
    judges: Mapping[str, Judge]
    """A judge per checker."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    root = tmp_path_factory.mktemp("classifiers")
    stop_shared_processes()
    with recorded_children(root) as network, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_CACHE", str(root))
        judges = {}
        for name, (threshold, label) in CHECKERS.items():
            model = _classifier(root / name / "model", label)
            config = {threshold: 0.8, "model": model}
            if name != threshold:
                config["checker_name"] = name
            key = "check" if name == threshold else "checker_args"
            judges[name] = resolve(spec_with(root / name, **{"checker_args": None, key: config}))
        yield Made(root, network, judges)
        for judge in judges.values():
            judge.stop()


@needs("torch", "transformers")
@pytest.mark.parametrize("name", CHECKERS)
def test_classifier_judges(name: str, made: Made) -> None:
    judge, label = made.judges[name], CHECKERS[name][1]
    assert judge_answers(judge, "nice day").outcome == "passed"
    verdict = judge_answers(judge, "awful day")
    assert verdict.outcome == "failed"
    assert verdict.reason.startswith(f"{label} with ")
    assert verdict.score is not None
    assert judge_answers(judge, "awful " * 100).outcome == "failed"


@needs("torch", "transformers")
def test_classifiers_share_a_process(made: Made) -> None:
    processes = {
        judge.checkers[0].out_of_process._process.process for judge in made.judges.values()
    }
    assert [process.is_running for process in processes] == [True]


@needs("torch", "transformers")
def test_what_a_download_lacks_is_looked_for_on_this_machine_only(made: Made) -> None:
    model = write_download(made.root, '{"model_type": "bert"}')
    config = {"checker_name": "ToxicityChecker", "toxicity_threshold": 0.5, "model": model}
    spec = spec_with(made.root / "incomplete", checker_args=config)
    with pytest.raises(MissingExtraError, match=f"`hf download {model}` gets what is missing"):
        resolve(spec)
    assert_no_network(made.network, "transformers")


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


@needs("torch", "transformers")
def test_a_model_is_looked_for_before_anything_heavy_is_imported() -> None:
    """Importing torch takes seconds: so long would every test wait whose model isn't there."""
    code = """
import sys
from lve.extensions.hf.classifiers import load_classifier
from lve.errors import MissingExtraError
for name in "lve-tests/no-such-model", "/no/such/folder", "not a name":
    try:
        load_classifier(name)
    except MissingExtraError as error:
        assert f"hf download {name}" in str(error), error
print(sorted({"torch", "transformers"} & set(sys.modules)))
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert shown.stdout == "[]\n", shown.stderr


def test_a_file_is_no_model_and_is_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "private.txt"
    file.write_text("private")
    with pytest.raises(MissingExtraError, match="is a file, not the folder of a model"):
        load_classifier(str(file))


@needs("torch", "transformers")
def test_weights_that_lack_the_classifier_are_no_model(tmp_path: Path) -> None:
    """transformers makes up random numbers for what is missing, and so random verdicts."""
    _classifier(tmp_path / "model", "BIASED")
    numpy_file = pytest.importorskip("safetensors.numpy")
    weights = numpy_file.load_file(tmp_path / "model" / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if "classifier" not in name}
    numpy_file.save_file(kept, tmp_path / "model" / "model.safetensors")
    code = "import sys; from lve.extensions.hf.classifiers import load_classifier as load\n"
    code += "try: load(sys.argv[1])\nexcept Exception as error: print(error)"
    shown = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "model")], capture_output=True, text=True
    )
    assert "can't be loaded: its weights lack classifier.bias" in shown.stdout, shown.stderr


def test_a_model_that_an_instance_names_is_held_to_the_same(tmp_path: Path) -> None:
    model = _classifier(tmp_path / "private", "BIASED")
    config = {"checker_name": "BiasChecker", "bias_threshold": 0.8, "model": "{where}"}
    judge = resolve(spec_with(tmp_path / "t", parameters=["where"], checker_args=config))
    refused = {f"../{model}": "outside its folder", str(tmp_path / model): "neither a name"}
    for where, said in refused.items():
        verdict = judge_answers(judge, "awful day", args={"where": where})
        assert verdict.outcome == "error"
        assert said in verdict.reason
