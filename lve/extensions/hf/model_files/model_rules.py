"""What the JSON files of a model's folder may say, whoever names the folder.

A library loads what these files name, and as much as they say. So they name files by their plain
names, weights only as safetensors, no other model, and nothing that takes all memory or time: a
tokenizer may replace each character of a prompt by a million others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

CONFIG = "config.json"
ADAPTER = "adapter_config.json"
TOKENIZER = "tokenizer.json"
WEIGHTS_INDEX = ".safetensors.index.json"
_INDEX = ".index.json"
_WEIGHTS = "transformers_weights"
"""The key that names the file of weights."""
_UNUSED = "special_tokens_map_file"
"""Many models have this key, but no library opens the file that it names."""
MAX_CONFIG_BYTES = 10_000_000
"""Maximum size of a JSON file, other than `tokenizer.json`."""
MAX_TOKENIZER_BYTES = 100_000_000
"""Maximum size of `tokenizer.json`. It isn't parsed here, because it may be large, and names no
files; `tokenizer_problem` counts its objects, and `steps_problem` looks at it when it is loaded."""
MAX_COUNT = 10_000
"""Maximum number of layers, heads, experts or the like (lists as long are made of it), of values
and of a text's characters in a tokenizer's steps, and of entries of a list or an object in its
configuration: tokens are added one after the other, each compared with all before: 600,000 take
minutes."""
MAX_LABELS = 1_000_000
"""Maximum number of labels that a configuration names by their number."""
MAX_GROWTH = 1000
"""How many times longer a tokenizer's steps may make a text."""
MAX_ADDED = 100_000
"""Maximum number of tokens that are added to a vocabulary, and of `{` in `tokenizer.json`: objects
are added tokens and steps, not tokens."""
_ADDED = ("added_tokens_decoder", "added_tokens.json")
_TOKENS = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
"""Files of a tokenizer's configuration."""
_COUNT = re.compile(
    r"(?:layers?|blocks?|experts?|heads?|depths?|groups?|stages?|passes|replace|labels)$"
)
_STEPS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
_CHARACTERS = "precompiled_charsmap"
"""A table of SentencePiece's models, which is long."""


def problem_of(file: str, content: object) -> str | None:
    """Return why a model with this file isn't loaded; None if the file is harmless.

    Args:
        file: its name or path.
        content: what it says, as JSON.
    """
    base = _base(file)
    if base == ADAPTER:
        return f"`{file}` names another model: merge the adapter into its model"
    if base.endswith(_INDEX):
        return _wrong_name(file, _shards(content), weights=base.endswith(WEIGHTS_INDEX))
    wrong = _wrong_name(file, _named_files(content))
    if base in _TOKENS:
        return wrong or _too_many_tokens(file, content)
    if wrong or base != CONFIG:  # in a vocabulary, a token may be called `layers`
        return wrong
    return _wrong_name(file, _named_weights(content), weights=True) or _too_many(file, content)


def _base(file: str) -> str:
    return file.rpartition("/")[2]


def _wrong_name(
    file: str, file_names: Iterator[tuple[str, str]], *, weights: bool = False
) -> str | None:
    for where, name in file_names:
        if not name or name in (".", "..") or "/" in name or "\\" in name:
            return f"`{file}` names a file elsewhere in `{where}`: only names are allowed"
        if weights and not name.endswith(".safetensors"):
            return f"`{file}` names weights in `{where}` that aren't safetensors"
    return None


def _shards(config: object) -> Iterator[tuple[str, str]]:
    """Yield the file names in an index of weights."""
    weights = config.get("weight_map") if isinstance(config, dict) else None
    for name in weights.values() if isinstance(weights, dict) else ():
        yield "weight_map", str(name)


def _named_files(config: object) -> Iterator[tuple[str, str]]:
    """Yield key and file name for each file that a configuration names."""
    for key, value in _items(config):
        if key.endswith(("_file", "_files")) and key != _UNUSED:
            names = value if isinstance(value, list) else [value]
            yield from ((key, name) for name in names if isinstance(name, str))


def _named_weights(config: object) -> Iterator[tuple[str, str]]:
    return ((key, str(value)) for key, value in _items(config) if key == _WEIGHTS and value)


def _too_many(file: str, content: object) -> str | None:
    for key, value in _items(content):
        limit = MAX_LABELS if key.endswith("labels") else MAX_COUNT
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, int | float) and number > limit and _COUNT.search(key):
                return f"`{file}` says {key}: {number:,}, and no model has more than {limit:,}"
    return None


def _too_many_tokens(file: str, content: object) -> str | None:
    for key, value in ((_base(file), content), *_items(content)):
        limit = MAX_ADDED if key in _ADDED else MAX_COUNT
        if isinstance(value, dict | list) and len(value) > limit:
            return f"`{file}` has {len(value):,} entries in `{key}`, and may have {limit:,}"
    return None


def tokenizer_problem(file: str, stream: BinaryIO) -> str | None:
    """Return why no tokenizer is loaded from a `tokenizer.json`; None if one may be.

    It isn't parsed, because it may be large. Its steps and added tokens are objects, of which
    loading a million takes gigabytes; the tokens of its vocabulary are none.

    Args:
        file: its name or path.
        stream: its content.
    """
    size = objects = 0
    for piece in iter(partial(stream.read, 1 << 20), b""):
        size += len(piece)
        objects += piece.count(b"{")
        if size > MAX_TOKENIZER_BYTES:
            return f"`{file}` is larger than {MAX_TOKENIZER_BYTES // 1_000_000} MB"
    if objects > MAX_ADDED:
        return f"`{file}` has {objects:,} objects, and may have {MAX_ADDED:,}"
    return None


def _items(config: object) -> Iterator[tuple[str, object]]:
    """Yield key and value of everything in a configuration, nested objects included."""
    waiting = [config]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield from value.items()
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def steps_problem(tokenizer: object) -> str | None:
    """Return why a tokenizer isn't used; None if its steps are harmless.

    Args:
        tokenizer: of transformers, loaded from a folder.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    parts = [getattr(backend, name, None) for name in _STEPS]
    steps = [json.loads(part.__getstate__()) for part in parts if part is not None]
    count, growth = [0], 1
    for key, text in _texts(steps, count):
        if len(text) > MAX_COUNT:
            return f"its tokenizer has a step with a text of more than {MAX_COUNT:,} characters"
        if key == "content":
            growth *= max(1, len(text))
    if count[0] > MAX_COUNT:
        return f"its tokenizer has more than {MAX_COUNT:,} values in its steps"
    if growth > MAX_GROWTH:
        return f"its tokenizer may make a text more than {MAX_GROWTH:,} times longer"
    return None


def _texts(value: object, count: list[int]) -> Iterator[tuple[str, str]]:
    """Yield key and text of all texts in a value, and count its values."""
    waiting = [("", value)]
    while waiting:
        key, inner = waiting.pop()
        count[0] += 1
        if isinstance(inner, str):
            if key != _CHARACTERS:
                yield key, inner
        elif isinstance(inner, dict):
            waiting += inner.items()
        elif isinstance(inner, list):
            waiting += [(key, item) for item in inner]
