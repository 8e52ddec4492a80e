"""Makes scripted models from the settings, whose answers may be in a file beside them."""

from __future__ import annotations

from pathlib import Path

from lve.documents.position_types import TextError
from lve.documents.read import parser_for
from lve.errors import SettingsError
from lve.files.inside import read_inside
from lve.models.config import ModelConfig
from lve.models.scripted import ScriptedModel, script_from_data

MAX_ANSWERS_BYTES = 100_000_000
"""Maximum size of a scripted model's file."""


def scripted_model(config: ModelConfig) -> ScriptedModel:
    """Return a model that gives the answers of its settings.

    Raises:
        SettingsError: the answers can't be read, or have another form.
    """
    answers = config.entry.options["answers"]
    where = f"model {config.name!r}: answers"
    if isinstance(answers, str):
        where = answers
        answers = _read_answers(answers, config)
    script, default = script_from_data(answers, where)
    return ScriptedModel(script, default=default, name=config.name)


def _read_answers(file: str, config: ModelConfig) -> object:
    """Return the parsed answers in `file`, a path relative to the settings."""
    folder = config.settings.file.parent if config.settings.file else Path()
    path = folder / file
    try:
        text = read_inside(folder, file, MAX_ANSWERS_BYTES).decode("utf-8")
        return parser_for(path.suffix)(text)
    except OSError as error:
        raise SettingsError(
            f"model {config.name!r}: can't read its answers: {path}: {error.strerror}",
            code="script",
        ) from None
    except (TextError, UnicodeDecodeError) as error:
        problem = " ".join(str(error).split())
        raise SettingsError(
            f"model {config.name!r}: {path} is not YAML or JSON: {problem}", code="script"
        ) from None
