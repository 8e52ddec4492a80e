"""Counts the tokens of prompts, for `lve render --tokens`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lve.errors import MissingExtraError, UsageError
from lve.extension_table import extension_part
from lve.settings.settings import Settings

CountTokens = Callable[[str], int]
DEFAULT_ENCODING = "o200k_base"
"""The tiktoken encoding for models that tiktoken doesn't know: that of OpenAI since 2024."""


def token_counter(model: str, settings: Settings, *, from_test: bool = False) -> CountTokens:
    """Return a function that counts the tokens of a text: with the model's own tokenizer for
    `hf/PATH-OR-NAME`, else with tiktoken.

    Args:
        model: the model's name.
        settings: may describe it.
        from_test: whether only a test names it; then no folder elsewhere is read.

    Raises:
        UsageError: the package isn't installed, or the model or its encoding can't be found.
    """
    if model.startswith("hf/"):
        tokenizer = extension_part("local tokenizer")(model, settings, from_test)
        return partial(_count, tokenizer)
    return _tiktoken(model.rpartition("/")[2])


def _count(tokenizer: Any, text: str) -> int:
    try:
        return len(tokenizer(text, add_special_tokens=False)["input_ids"])
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # a panic of tokenizers (Rust) is no Exception
        raise UsageError(f"--tokens: the tokenizer fails: {error}", code="unknown_model") from error


def _tiktoken(model: str) -> CountTokens:
    try:
        import tiktoken
    except ImportError as error:
        raise MissingExtraError("--tokens needs: pip install tiktoken") from error
    try:
        encoding = tiktoken.encoding_for_model(model)
    except KeyError:
        encoding = _table(tiktoken)
    # tiktoken downloads its tables with `requests`, whose errors are OSErrors.
    except OSError as error:
        raise UsageError(_UNREACHABLE, code="download") from error
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def _table(tiktoken: Any) -> Any:
    try:
        return tiktoken.get_encoding(DEFAULT_ENCODING)
    except OSError as error:
        raise UsageError(_UNREACHABLE, code="download") from error


_UNREACHABLE = (
    "--tokens: tiktoken has no table of tokens here and can't fetch it; set TIKTOKEN_CACHE_DIR to "
    "a folder that has it"
)
