"""A tiny Llama with random weights and a byte-level tokenizer, made by the tests that need it.

It says nothing sensible, but always the same, and every token of it can be recomputed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

TEXTS = [
    "The capital of France is Paris. The capital of Italy is Rome.",
    "Question: What is two plus three? Answer: five",
    "It was a bright cold day in April, and the clocks were striking thirteen.",
    "user assistant system positive negative movie review great terrible",
]
BOS, EOS = "<s>", "</s>"
HIDDEN, INNER, LAYERS = 64, 96, 2
LAYER = {
    "self_attn.q_proj": (64, HIDDEN),
    "self_attn.k_proj": (32, HIDDEN),
    "self_attn.v_proj": (32, HIDDEN),
    "self_attn.o_proj": (HIDDEN, 64),
    "mlp.gate_proj": (INNER, HIDDEN),
    "mlp.up_proj": (INNER, HIDDEN),
    "mlp.down_proj": (HIDDEN, INNER),
}
"""Shapes of a layer's weights: four heads of 16 numbers, of which pairs share key and value."""
MISSING = "needs the extra dev-models"
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ message['role'] + ': ' + message['content'] + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)


def make_tiny_model(
    folder: Path, *, seed: int = 0, chat_template: str | None = CHAT_TEMPLATE, length: int = 512
) -> Path:
    """Write a model with its tokenizer into a folder and return the folder. Neither torch nor
    transformers is imported, which takes seconds.

    Args:
        folder: gets the files.
        seed: of the weights.
        chat_template: of the tokenizer.
        length: most tokens of prompt and answer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = _write_tokenizer(folder, chat_template)
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": len(vocabulary),
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": length,
        "bos_token_id": vocabulary[BOS],
        "eos_token_id": vocabulary[EOS],
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
        "tie_word_embeddings": False,
        "dtype": "float32",
    }
    (folder / "config.json").write_text(json.dumps(config))
    _write_weights(folder / "model.safetensors", vocabulary, seed)
    return folder


def _write_weights(file: Path, vocabulary: Mapping[str, int], seed: int) -> None:
    numpy = pytest.importorskip("numpy", reason=MISSING)
    safetensors = pytest.importorskip("safetensors.numpy", reason=MISSING)
    random = numpy.random.default_rng(seed)
    shapes = {"model.embed_tokens": (len(vocabulary), HIDDEN), "lm_head": (len(vocabulary), HIDDEN)}
    for layer in range(LAYERS):
        shapes |= {f"model.layers.{layer}.{name}": shape for name, shape in LAYER.items()}
    # Random weights are small by default; these make some tokens clearly more likely.
    weights = {
        f"{name}.weight": random.normal(0, 0.3, shape).astype("float32")
        for name, shape in shapes.items()
    }
    norms = ("input_layernorm", "post_attention_layernorm")
    for name in ("norm", *(f"layers.{n}.{norm}" for n in range(LAYERS) for norm in norms)):
        weights[f"model.{name}.weight"] = numpy.ones(HIDDEN, "float32")
    # A second beginning, and tokens that are only bytes of a character, or none at all, are too
    # unlikely to be chosen: servers disagree about the text of half a character, and about the
    # space after `<s>`.
    wordless = [n for token, n in vocabulary.items() if not token.removeprefix("Ġ").isascii()]
    wordless.append(vocabulary[BOS])
    weights["lm_head.weight"][wordless] = 0.0
    safetensors.save_file(weights, file, {"format": "pt"})


def _write_tokenizer(folder: Path, chat_template: str | None) -> dict[str, int]:
    """Write the tokenizer and return its vocabulary."""
    pytest.importorskip("tokenizers", reason=MISSING)
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=[BOS, EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(TEXTS, trainer)
    start = bpe.token_to_id(BOS)
    bpe.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single=f"{BOS} $A", pair=f"{BOS} $A {BOS} $B", special_tokens=[(BOS, start)]
            ),
        ]
    )
    bpe.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BOS,
        "eos_token": EOS,
    }
    if chat_template is not None:
        (folder / "chat_template.jinja").write_text(chat_template)
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return dict(bpe.get_vocab())
