"""Prompt objects: few-shot prompts that can be saved, loaded and translated, as in ragas 0.1."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from pathlib import Path

from lve.errors import PromptNotFoundError, PromptObjectError, UsageError
from lve.escape import listed
from lve.extensions.ragas.few_shot import FewShotPrompt, PromptValue
from lve.extensions.ragas.fields import for_file, from_file
from lve.extensions.ragas.store import prompt_path, store
from lve.extensions.ragas.translate import Completes, translate_examples
from lve.prompts.answers.object_file import read_object

__all__ = ["Prompt", "PromptValue", "read_prompt"]


class Prompt(FewShotPrompt):
    """A named few-shot prompt. All fields are checked when it is created."""

    __slots__ = ()

    def save(self, cache_dir: str | Path | None = None, *, overwrite: bool = False) -> Path:
        """Write `<cache_dir>/<language>/<name>.json`, byte for byte as ragas does.

        Args:
            cache_dir: the default is `$LVE_CACHE_HOME`, `$RAGAS_CACHE_HOME` or `~/.cache/ragas`.
            overwrite: whether a different prompt of that name may be replaced.

        Returns:
            The path of the file.

        Raises:
            PromptExistsError: a different prompt is saved under this name.
            PromptObjectError: the name can't be a file name, or a field has become invalid.
            PromptFileError: (an OSError) the file can't be written.
        """
        path = prompt_path(self.language, self.name, cache_dir)
        content = json.dumps(for_file(Prompt(**self.to_dict()).to_dict()), indent=4)
        store(path, content, overwrite=overwrite)
        return path

    @classmethod
    def load(cls, language: str, name: str, cache_dir: str | Path | None = None) -> Prompt:
        """Read a saved prompt. Fields without effect are logged as a warning.

        Raises:
            PromptNotFoundError: (a FileNotFoundError) nothing is saved under this name.
            PromptFileError: (an OSError) the file can't be read.
            PromptObjectError: the file is not a prompt.
        """
        prompt = read_saved(language, name, cache_dir)
        if prompt.unused:
            logging.getLogger("lve").warning("%s: no effect: %s", name, listed(prompt.unused))
        return prompt

    _load = load

    def adapt(
        self,
        language: str,
        model: Completes | None,
        cache_dir: str | Path | None = None,
        *,
        attempts: int = 3,
    ) -> Prompt:
        """Translate the examples with a model. Inside an event loop, use `aadapt`."""
        import asyncio

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.aadapt(language, model, cache_dir, attempts=attempts))
        raise UsageError(
            "adapt() can't wait inside an event loop: use `await prompt.aadapt(...)`",
            code="event_loop",
        )

    async def aadapt(
        self,
        language: str,
        model: Completes | None,
        cache_dir: str | Path | None = None,
        *,
        attempts: int = 3,
    ) -> Prompt:
        """Translate the examples with a model, check and save the result.

        As in ragas: a prompt that is already in `language` is returned unchanged, and a saved
        translation is loaded and returned. Otherwise this prompt gets the translated examples and
        the language, and is returned.

        Args:
            language: such as `german`.
            model: anything with `async complete(ChatRequest)`.
            cache_dir: as for `save`.
            attempts: requests per text until an answer can be used.

        Raises:
            AdaptError: no answer could be used; has the last one. Nothing has changed.
            ModelError: a request failed.
        """
        if language == self.language:
            return self
        with suppress(PromptNotFoundError):
            return Prompt.load(language, self.name, cache_dir)
        examples = await translate_examples(self, language, model, attempts=attempts)
        translated = Prompt(**{**self.to_dict(), "examples": examples, "language": language})
        if examples:
            translated.save(cache_dir)
        self.examples, self.language = translated.examples, language
        return self


def read_saved(language: str, name: str, cache_dir: str | Path | None = None) -> Prompt:
    """Read a saved prompt; errors as `Prompt.load`."""
    path = prompt_path(language, name, cache_dir)
    try:
        return read_prompt(path)
    except PromptNotFoundError as error:
        message = f"{path}: no prompt is saved here; `lve prompt list` shows what is"
        raise PromptNotFoundError([message]) from error


def read_prompt(path: Path, folder: Path | None = None) -> Prompt:
    """Read a prompt from any JSON file.

    Args:
        path: of the file.
        folder: that the file must be in; None: it may be anywhere.

    Raises:
        PromptNotFoundError: (a FileNotFoundError) there is no such file.
        PromptFileError: (an OSError) it can't be read.
        PromptObjectError: it isn't a prompt; has all its problems.
    """
    data = read_object(path, folder)
    try:
        return Prompt(**from_file(data))
    except PromptObjectError as error:
        raise PromptObjectError([f"{path}: {problem}" for problem in error.problems]) from None
