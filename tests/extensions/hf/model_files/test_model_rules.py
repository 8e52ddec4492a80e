"""What the files of a model's folder may say."""

from __future__ import annotations

import json
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest

from lve.extensions.hf.model_files.model_rules import (
    MAX_ADDED,
    MAX_COUNT,
    MAX_GROWTH,
    MAX_TOKENIZER_BYTES,
    problem_of,
    steps_problem,
    tokenizer_problem,
)

MANY = [f"<{n}>" for n in range(MAX_COUNT + 1)]
NAMED = dict.fromkeys(MANY, "x")
ADDED = {f"<{n}>": n for n in range(MAX_ADDED + 1)}
INDEX = "m/model.safetensors.index.json"


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("m/adapter_config.json", {}, "names another model"),
        (INDEX, {"weight_map": {"a": "../a.safetensors"}}, "a file elsewhere in `weight_map`"),
        (INDEX, {"weight_map": {"a": "/a.safetensors"}}, "a file elsewhere"),
        (INDEX, {"weight_map": {"a": "..\\a.safetensors"}}, "a file elsewhere"),
        (INDEX, {"weight_map": {"a": ""}}, "a file elsewhere"),
        (INDEX, {"weight_map": {"a": ".."}}, "a file elsewhere"),
        (INDEX, {"weight_map": {"a": ["a.safetensors"]}}, "aren't safetensors"),
        (INDEX, {"weight_map": {"a": "evil.bin"}}, "weights in `weight_map` that aren't"),
        ("config.json", {"transformers_weights": "sub/x.safetensors"}, "file elsewhere"),
        ("config.json", {"transformers_weights": "adapter_model.bin"}, "aren't safetensors"),
        ("config.json", {"transformers_weights": "x.safetensors.index.json"}, "aren't safet"),
        ("config.json", {"a": [{"transformers_weights": "x.bin"}]}, "aren't safetensors"),
        ("config.json", {"num_hidden_layers": 10**6}, "num_hidden_layers: 1,000,000, and no"),
        ("config.json", {"text_config": {"n_layer": MAX_COUNT + 1}}, "n_layer: 10,001"),
        ("config.json", {"num_experts": 10**9}, "num_experts"),
        ("config.json", {"num_experts": 1e9}, "num_experts"),
        ("config.json", {"depths": [2, 10**9]}, "depths: 1,000,000,000"),
        ("config.json", {"num_labels": 2**31}, "num_labels: 2,147,483,648, and no"),
        ("config.json", {"text_config": {"first_k_dense_replace": 10**9}}, "first_k_dense_repl"),
        ("config.json", {"vocab_file": "/etc/passwd"}, "a file elsewhere in `vocab_file`"),
        ("tokenizer_config.json", [{"tokenizer_files": ["a", "../b"]}], "in `tokenizer_files`"),
        ("tokenizer_config.json", {"additional_special_tokens": MANY}, "10,001 entries in `addit"),
        ("special_tokens_map.json", {"extra_special_tokens": MANY}, "may have 10,000"),
        ("tokenizer_config.json", {"a": {"extra_special_tokens": NAMED}}, "`extra_special_tokens`"),
        ("tokenizer_config.json", {f"{one}_token": one for one in MANY}, "`tokenizer_config.json`"),
        ("tokenizer_config.json", {"added_tokens_decoder": ADDED}, "100,001 entries in `added"),
        ("m/added_tokens.json", ADDED, "may have 100,000"),
    ],
)
def test_what_means_harm_is_refused(file: str, content: Any, said: str) -> None:
    problem = problem_of(file, content)
    assert problem is not None
    assert said in problem
    assert f"`{file}`" in problem


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (INDEX, {"metadata": {"total_size": 1}, "weight_map": {"a": "a-1.safetensors"}}),
        ("pytorch_model.bin.index.json", {"weight_map": {"a": "a.bin"}}),  # never loaded
        ("config.json", {"transformers_weights": "best.safetensors", "num_hidden_layers": 126}),
        ("config.json", {"num_labels": 30_000, "depths": [2, 2], "layers": ["x"], "a": [10**9]}),
        ("config.json", {"transformers_weights": None, "use_heads": True, "vocab_size": 10**6}),
        ("vocab.json", {"layers": 20_000, "transformers_weights": 7, "x_file": 3}),
        ("tokenizer_config.json", {"special_tokens_map_file": "/home/a/b"}),
        ("tokenizer_config.json", {"additional_special_tokens": MANY[1:]}),
        ("tokenizer_config.json", {"added_tokens_decoder": NAMED}),
        ("added_tokens.json", NAMED),
        ("vocab.json", ADDED),
        *[("config.json", odd) for odd in (None, 5, "x", [], [[1]])],
    ],
)
def test_what_honest_models_have_is_not(file: str, content: Any) -> None:
    assert problem_of(file, content) is None


def _with(**steps: Any) -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra dev-models")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    for name, step in steps.items():
        setattr(tokenizer, name, step(tokenizers))

    class Loaded:
        backend_tokenizer = tokenizer

    return Loaded


def _replaced(content: str, times: int = 1) -> Any:
    return lambda library: library.normalizers.Sequence(
        [library.normalizers.Replace("a", content)] * times
    )


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ({"normalizer": _replaced("b" * (MAX_GROWTH + 1))}, "1,000 times longer"),
        ({"normalizer": _replaced("bb", 10)}, "1,000 times longer"),
        ({"normalizer": _replaced("b" * (MAX_COUNT + 1))}, "more than 10,000 characters"),
        (
            {"normalizer": lambda t: t.normalizers.Prepend("x" * (MAX_COUNT + 1))},
            "more than 10,000",
        ),
        ({"normalizer": _replaced("b", MAX_COUNT // 3)}, "10,000 values"),
        ({"decoder": lambda t: t.decoders.Replace("a", "b" * (MAX_GROWTH + 1))}, "times longer"),
    ],
)
def test_a_tokenizer_that_takes_all_memory_is_refused(steps: dict[str, Any], said: str) -> None:
    problem = steps_problem(_with(**steps))
    assert problem is not None
    assert said in problem


@pytest.mark.parametrize("name", ["normalizer", "pre_tokenizer", "post_processor", "decoder"])
@pytest.mark.parametrize("is_long", [True, False])
def test_every_kind_of_step_is_looked_at(name: str, is_long: bool) -> None:
    class Step:
        def __getstate__(self) -> bytes:
            return json.dumps({"content": "b" * (MAX_GROWTH + is_long)}).encode()

    loaded = SimpleNamespace(backend_tokenizer=SimpleNamespace(**{name: Step()}))
    assert (steps_problem(loaded) is not None) is is_long


def test_an_honest_tokenizer_is_not() -> None:
    steps = {
        "normalizer": lambda t: t.normalizers.Sequence(
            [t.normalizers.Prepend("▁"), t.normalizers.Replace(" ", "▁"), t.normalizers.NFKC()]
        ),
        "decoder": lambda t: t.decoders.Sequence(
            [t.decoders.Replace("▁", " "), t.decoders.ByteFallback(), t.decoders.Fuse()]
        ),
        "pre_tokenizer": lambda t: t.pre_tokenizers.ByteLevel(),
    }
    assert steps_problem(_with(**steps)) is None
    assert steps_problem(object()) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"normalizers": [' + b'{"type": "NFC"},' * MAX_ADDED, "`m/x` has 100,001 objects"),
        (b"{" * (MAX_ADDED + 1), "may have 100,000"),
        (b" " * (MAX_TOKENIZER_BYTES + 1), "`m/x` is larger than 100 MB"),
        (b"{" * MAX_ADDED, None),
        (b'["' + b"a" * (MAX_TOKENIZER_BYTES - 2), None),
    ],
)
def test_a_file_of_millions_of_steps_is_not_loaded(content: bytes, said: str | None) -> None:
    problem = tokenizer_problem("m/x", BytesIO(content))
    assert (problem is None) if said is None else (problem is not None and said in problem)
