"""The entry points of the local models, which are made the same way as those of plugins, and of
their tokenizers."""

from __future__ import annotations

from pathlib import Path

from lve.errors import LveError, UsageError
from lve.extensions.hf.loading import load_tokenizer
from lve.extensions.hf.model import HFModel
from lve.extensions.hf.model_files.files import find_files, require_packages
from lve.extensions.hf.sampling import hf_options
from lve.extensions.hf.torch_types import Tokenizer
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings


def make_model(config: ModelConfig) -> ChatModel:
    """Return a model that runs on this machine.

    Raises:
        UnknownModelError: the model's files aren't on this machine.
        MissingExtraError: `lve[hf]` is not installed.
        UsageError: an option is invalid.
    """
    require_packages()
    entry, file = config.entry, config.settings.file
    options = hf_options(entry.options, config.name)
    in_settings = config.name in config.settings.models
    # A path in the settings is relative to their file, any other path to the current folder.
    folder = file.parent if file and in_settings else Path()
    files = find_files(
        entry.model or config.name.partition("/")[2],
        folder=folder,
        revision=options.revision,
        download=config.settings.allow_downloads,
        from_test=config.from_test,
    )
    return HFModel(
        config.name,
        files,
        options,
        write=config.write,
        meta_template=entry.meta_template if config.write else None,
        timeout_s=entry.timeout_s,
    )


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
