"""A tiny Llama with random weights and a byte-level tokenizer, made by the tests that need it.

It says nothing sensible, but always the same, and every token of it can be recomputed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TEXTS = [
    "The capital of France is Paris. The capital of Italy is Rome.",
    "Question: What is two plus three? Answer: five",
    "It was a bright cold day in April, and the clocks were striking thirteen.",
    "user assistant system positive negative movie review great terrible",
]
BOS, EOS = "<s>", "</s>"
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ message['role'] + ': ' + message['content'] + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)


def make_tiny_model(
    folder: Path, *, seed: int = 0, chat_template: str | None = CHAT_TEMPLATE, length: int = 512
) -> Path:
    """Write a model with its tokenizer into a folder and return the folder.

    Args:
        folder: gets the files.
        seed: of the weights.
        chat_template: of the tokenizer.
        length: most tokens of prompt and answer.
    """
    torch = pytest.importorskip("torch", reason="needs the extra dev-models: torch is missing")
    transformers = pytest.importorskip(
        "transformers", reason="needs the extra dev-models: transformers is missing"
    )
    tokenizer = _tokenizer(transformers, chat_template)
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=length,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        # Random weights are small by default; these make some tokens clearly more likely.
        initializer_range=0.3,
        tie_word_embeddings=False,
    )
    model = transformers.LlamaForCausalLM(config)
    _keep_to_words(model, tokenizer)
    transformers.utils.logging.disable_progress_bar()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _keep_to_words(model: Any, tokenizer: Any) -> None:
    """Make tokens that are only bytes of a character, or none at all, too unlikely to be chosen:
    servers disagree about the text of half a character."""
    vocabulary = tokenizer.get_vocab()
    wordless = [n for token, n in vocabulary.items() if not token.removeprefix("Ġ").isascii()]
    model.lm_head.weight.data[wordless] = 0.0


def _tokenizer(transformers: Any, chat_template: str | None) -> Any:
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
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token=BOS, eos_token=EOS
    )
    tokenizer.chat_template = chat_template
    return tokenizer
