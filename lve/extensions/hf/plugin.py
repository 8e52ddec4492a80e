"""The entry point of the local models, which are made the same way as those of plugins."""

from __future__ import annotations

from pathlib import Path

from lve.extensions.hf.model import HFModel
from lve.extensions.hf.model_files.files import find_files, require_packages
from lve.extensions.hf.sampling import hf_options
from lve.models.chat_model import ChatModel
from lve.models.config import ModelConfig


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
