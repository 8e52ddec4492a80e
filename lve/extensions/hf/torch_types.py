"""What lve uses of torch's and transformers' objects. Their own types are in packages of a
gigabyte, which are imported when a model is loaded."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol


class Tensor(Protocol):
    """A tensor of torch."""

    device: object
    dtype: object
    shape: Sequence[int]

    def __len__(self) -> int: ...
    def __int__(self) -> int: ...
    def __float__(self) -> builtins.float: ...
    def __getitem__(self, index: object, /) -> Tensor: ...
    def __mul__(self, other: Tensor, /) -> Tensor: ...
    def __sub__(self, other: int, /) -> Tensor: ...
    def __truediv__(self, other: Tensor, /) -> Tensor: ...
    def argmax(self, *, dim: int) -> Tensor: ...
    def clamp(self, *, min: int) -> Tensor: ...
    def clone(self) -> Tensor: ...
    def float(self) -> Tensor: ...
    def gather(self, dim: int, index: Tensor, /) -> Tensor: ...
    def isnan(self) -> Tensor: ...
    def squeeze(self, dim: int, /) -> Tensor: ...
    def sum(self, dim: int, /) -> Tensor: ...
    def to(self, dtype: object, /) -> Tensor: ...
    def unsqueeze(self, dim: int, /) -> Tensor: ...


class Cache(Protocol):
    """The state of a network after some tokens."""

    def batch_select_indices(self, indices: Tensor, /) -> object: ...


class Output(Protocol):
    """What a network computes."""

    logits: Tensor
    """Row x position x vocabulary, of a network that generates."""
    last_hidden_state: Tensor
    """Row x position x dimension, of an encoder."""


class Config(Protocol):
    """The configuration of a network."""

    def get_text_config(self) -> object: ...


class Network(Protocol):
    """A model of transformers with its weights."""

    device: object
    config: Config
    generation_config: object
    forward: Callable[..., object]

    def __call__(self, **inputs: object) -> Output: ...
    def generate(self, **inputs: object) -> object: ...
    def can_generate(self) -> bool: ...


class Encoding(Protocol):
    """The tokens of a text or of several."""

    def keys(self) -> Iterable[str]: ...
    def __getitem__(self, name: str, /) -> Any: ...  # lists or a tensor, as it was asked
    def to(self, device: object, /) -> Encoding: ...


class Tokenizer(Protocol):
    """A tokenizer of transformers."""

    is_fast: bool
    chat_template: object
    model_max_length: object
    special_tokens_map: Mapping[str, object]
    pad_token: object
    eos_token: object
    pad_token_id: int | None
    eos_token_id: int | None
    bos_token_id: int | None

    def __call__(self, text: str | Sequence[str], **options: object) -> Encoding: ...
    def convert_ids_to_tokens(self, token: int, /) -> str: ...
    def decode(self, tokens: Sequence[int], *, skip_special_tokens: bool) -> str: ...
    def get_chat_template(self) -> str: ...


class Warper(Protocol):
    """Changes scores before a token is drawn."""

    def __call__(self, input_ids: Tensor, scores: Tensor, /) -> Tensor: ...
