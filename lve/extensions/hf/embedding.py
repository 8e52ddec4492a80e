"""Turns texts into vectors with a local model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from lve.extensions.hf.loading import load_encoder, load_tokenizer
from lve.extensions.hf.model_files.files import ModelFiles
from lve.extensions.hf.sampling import HFOptions
from lve.extensions.hf.torch_types import Network, Tensor, Tokenizer

VERY_LARGE = 1 << 30
"""From here on, a tokenizer's limit means that it knows none (transformers: 1e30)."""


class LocalEncoder:
    """Computes embeddings of length 1 with a model that is loaded on first use."""

    def __init__(self, files: ModelFiles, options: HFOptions) -> None:
        self._files = files
        self._options = options

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = load_tokenizer(self._files)
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token or tokenizer.convert_ids_to_tokens(0)
        return tokenizer

    @cached_property
    def _network(self) -> Network:
        return load_encoder(self._files, self._options)

    @cached_property
    def _max_length(self) -> int | None:
        """Maximum number of tokens of a text, None if it is unknown. The tokenizer's limit counts,
        too: RoBERTa's models have two more position embeddings than usable positions."""
        limits = (
            getattr(self._network.config, "max_position_embeddings", None),
            self._tokenizer.model_max_length,
        )
        numbers = [limit for limit in limits if isinstance(limit, int) and limit < VERY_LARGE]
        return min(numbers, default=None)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text, in the order of `texts`. Long texts are truncated."""
        import torch

        vectors: list[list[float]] = []
        with torch.inference_mode():
            for start in range(0, len(texts), self._options.batch_size):
                vectors += self._batch(list(texts[start : start + self._options.batch_size]))
        return vectors

    def _batch(self, texts: list[str]) -> list[list[float]]:
        import torch

        inputs = self._tokenizer(
            texts, padding=True, padding_side="right", truncation=self._max_length is not None,
            max_length=self._max_length, return_tensors="pt",
        ).to(self._network.device)  # fmt: skip
        hidden = self._network(**inputs).last_hidden_state.float()
        pooled = _pooled(hidden, inputs["attention_mask"], self._options.pooling)
        vectors: list[list[float]] = torch.nn.functional.normalize(pooled, dim=1).tolist()
        return vectors


def _pooled(hidden: Tensor, mask: Tensor, how: str) -> Tensor:
    """Return one vector per row of `hidden` (row x position x dimension), padded on the right.

    Args:
        hidden: the last hidden states.
        mask: 1 for tokens, 0 for padding.
        how: `mean`, `cls` (the first token's) or `last` (the last token's).
    """
    if how == "cls":
        return hidden[:, 0]
    if how == "last":
        return hidden[range(len(hidden)), mask.sum(1) - 1]
    weights = mask[:, :, None].to(hidden.dtype)
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)
