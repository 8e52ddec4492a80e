"""The same weights behind llama.cpp's server and in `hf/`: the same answers, the same numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from extensions.hf.tiny_model import make_tiny_model
from pipeline.gguf_model import write_gguf
from pipeline.llama_server import llama_server
from support.command_line import lve
from support.folders import workspace, write_dataset_test, write_test

from lve import run
from lve.extensions.opencompass.likelihood import (
    average_nll,
    first_log_likelihood,
    log_likelihood,
    scored_tokens,
)
from lve.models.token_scores import ScoredToken
from lve.sessions.instance_result import InstanceResult

ROWS = [
    {"text": "It was a bright cold day in April.", "mood": "great"},
    {"text": "The clocks were striking thirteen, naïve as ever.", "mood": "terrible"},
    {"text": "«日本» is the capital of what?", "mood": "great"},
    {"text": "", "mood": "terrible"},
]
LABELS = ("great", "terrible", "große 日")
TOLERANCE = 1e-3


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("real") / "tiny")


@pytest.fixture(scope="module")
def server(tiny: Path) -> Iterator[str]:
    with llama_server(write_gguf(tiny, tiny.parent / "tiny.gguf")) as url:
        yield url


@pytest.fixture
def root(tmp_path: Path, tiny: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    models = {
        # This server has a penalty of its own where a request names none.
        "served": {"base_url": server, "model": "tiny", "args": {"repeat_penalty": 1.0}},
        "local": {"provider": "hf", "model": str(tiny)},
    }
    monkeypatch.chdir(workspace(tmp_path, json.dumps({"models": models})))
    return tmp_path


def labels_test(folder: Path, inferencer: str) -> Path:
    template = {label: f"Review: {{text}}\nMood: {label}" for label in LABELS}
    return write_dataset_test(
        folder,
        ROWS,
        reader_cfg={"input_columns": ["text"], "output_column": "mood"},
        prompt_template={"type": "PromptTemplate", "template": template},
        inferencer={"type": inferencer},
    )


def results(test: Path, model: str) -> list[InstanceResult]:
    found = sorted(run(str(test), model=model).results, key=lambda result: result.line)
    assert [result.verdict for result in found if result.verdict == "error"] == []
    return found


def tokens(result: InstanceResult, model: str) -> dict[str, Sequence[ScoredToken]]:
    return {str(one.name): scored_tokens(one.completions[0], model) for one in result.transcripts}


def test_chats_are_the_same(root: Path) -> None:
    test = write_test(
        root / "chat",
        prompt=[
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "What is the capital of {place}?"},
            {"role": "assistant", "variable": "first"},
            {"role": "user", "content": "And of Italy?"},
        ],
        prompt_parameters=["place"],
        default_model_args={"max_tokens": 10},
        checker_args={"checker_name": "RegexChecker", "pattern": "(?s).", "match_safe": True},
        instances=[{"args": {"place": place}} for place in ("France", "Perú")],
    )
    served, local = results(test, "served"), results(test, "local")
    assert len(local) == 2
    for one, other in zip(served, local, strict=True):
        assert one.responses == other.responses
        assert one.usage == other.usage


def numbers(found: Sequence[ScoredToken], start: int) -> list[float]:
    """Everything that is made of log-probabilities, and they themselves."""
    values = [token.logprob for token in found if token.logprob is not None]
    assert len(values) == len(found) - 1 - (found[0].start < 0)
    return [
        average_nll(found),
        log_likelihood(found, start=start),
        first_log_likelihood(found, start=start),
        *values,
    ]


@pytest.mark.parametrize("inferencer", ["PPLInferencer", "LikelihoodInferencer"])
def test_labels_get_the_same_numbers(root: Path, inferencer: str) -> None:
    test = labels_test(root / inferencer, inferencer)
    served, local = results(test, "served"), results(test, "local")
    assert len(local) == len(ROWS)
    for one, other in zip(served, local, strict=True):
        theirs, ours = tokens(one, "served"), tokens(other, "local")
        start = len(f"Review: {one.args['text']}\nMood: ")
        assert set(ours) == set(LABELS)
        for label in LABELS:
            assert numbers(ours[label], start) == pytest.approx(
                numbers(theirs[label], start), abs=TOLERANCE
            )
        assert (one.verdict, one.score) == (other.verdict, other.score)


def test_text_completions_are_the_same(root: Path) -> None:
    template = {"type": "PromptTemplate", "template": "The capital of {text}"}
    test = write_test(
        root / "texts",
        prompt=None,
        checker_args=None,
        dataset=ROWS[:3],
        default_model_args={"max_tokens": 8},
        reader_cfg={"input_columns": ["text"], "output_column": "mood"},
        infer_cfg={
            "prompt_template": template,
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
        },
    )
    settings = (root / "lve.yaml").read_text()
    written = json.loads(settings)
    for model in written["models"].values():
        model["kind"] = "lm"
    workspace(root, json.dumps(written))
    pairs = zip(results(test, "served"), results(test, "local"), strict=True)
    for served, local in pairs:
        assert served.responses == local.responses


def test_lve_run_says_the_same_of_both(root: Path, tiny: Path, server: str) -> None:
    labels_test(root / "labels", "PPLInferencer")

    def told(*args: str) -> list[tuple[str, str]]:
        result = lve("run", "labels", "--json", *args, code=1)
        assert result.exit_code in (0, 1), result.output
        [test] = json.loads(result.stdout)["tests"]
        found = sorted(test["instances"], key=lambda instance: instance["line"])
        return [(one["verdict"], one["reason"].split(" (")[0]) for one in found]

    local = told("--model", f"hf/{tiny}")
    assert len(local) == len(ROWS)
    assert local == told("--model", "openai/tiny", "--base-url", server)
