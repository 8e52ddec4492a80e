"""The tokenizer of a local model, to count tokens."""

from __future__ import annotations

from pathlib import Path

from lve.errors import LveError, UsageError
from lve.extensions.hf.loading import load_tokenizer
from lve.extensions.hf.model_files.files import find_files
from lve.extensions.hf.torch_types import Tokenizer
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings


def local_tokenizer(model: str, settings: Settings, from_test: bool) -> Tokenizer:
    """Return the tokenizer of a local model.

    Args:
        model: its name (`hf/...`).
        settings: the workspace's settings.
        from_test: whether only a test names it.

    Raises:
        UsageError: the model can't be found or loaded.
    """

    entry, file = settings.models.get(model) or ModelSettings(), settings.file
    folder = file.parent if file and model in settings.models else Path()
    try:
        name = entry.model or model.partition("/")[2]
        files = find_files(name, folder=folder, from_test=from_test)
        return load_tokenizer(files)
    except LveError as error:
        raise UsageError(str(error), code="unknown_model") from error
