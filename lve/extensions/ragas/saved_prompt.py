"""Prompt objects: few-shot prompts that can be saved, loaded and translated, as in ragas 0.1. Saved
ones are `<cache>/<language>/<name>.json`, shared with ragas.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lve.errors import (
    LveError,
    PromptExistsError,
    PromptFileError,
    PromptNotFoundError,
    PromptObjectError,
    UsageError,
)
from lve.escape import excerpt, listed
from lve.extensions.ragas.few_shot import FewShotPrompt, PromptValue
from lve.extensions.ragas.fields import DEFAULTS, for_file, from_file
from lve.extensions.ragas.translate import Completes, translate_examples
from lve.files.atomic_file import draft_of
from lve.prompts.answers.object_file import MAX_BYTES, read_object

MAX_NAME_BYTES = 255
"""Length of a file's name on all usual file systems."""


def prompt_folder(cache_dir: str | Path | None = None) -> Path:
    """Return the folder of saved prompts, the same as in ragas.

    `cache_dir` if given, else `$LVE_CACHE_HOME`, else `$RAGAS_CACHE_HOME`, else `ragas` in the
    user's cache folder (`$XDG_CACHE_HOME` or `~/.cache`).
    """
    if cache_dir:
        return Path(cache_dir)
    chosen = os.environ.get("LVE_CACHE_HOME") or os.environ.get("RAGAS_CACHE_HOME")
    if chosen:
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "ragas"


def prompt_path(language: str, name: str, cache_dir: str | Path | None = None) -> Path:
    """Return the path of a saved prompt, which need not exist.

    Raises:
        PromptObjectError: the name or language can't be part of a path.
    """
    folder = _safe(language, "language")
    return prompt_folder(cache_dir) / folder / f"{_safe(name, 'name', '.json')}.json"


def saved_prompts(cache_dir: str | Path | None = None) -> Iterator[Path]:
    """Yield the paths of all saved prompts, sorted by language and name."""
    yield from sorted(prompt_folder(cache_dir).glob("*/*.json"))


def store(path: Path, content: str, *, overwrite: bool) -> None:
    """Write a prompt's file atomically: a crash leaves the old file or the new one.

    Args:
        path: of the file. Its folder is created.
        content: JSON, ASCII only.
        overwrite: whether a different prompt may be replaced.

    Raises:
        PromptExistsError: a different prompt is saved there, maybe by another process just now.
        PromptFileError: (an OSError) it can't be written.
    """
    if len(content) > MAX_BYTES:
        raise PromptFileError([f"{path}: the prompt is larger than {MAX_BYTES} bytes"])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(path, content.encode("ascii")) as draft:
            if overwrite or not _create(draft, path):
                if not overwrite:
                    _refuse_to_replace(path, content)
                draft.replace(path)
    except LveError:  # some are OSErrors
        raise
    except OSError as error:
        raise PromptFileError([f"{path}: can't be written ({error.strerror})"]) from error


def _create(draft: Path, path: Path) -> bool:
    """Link the draft to `path` unless that exists; of several processes, one succeeds."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        return False
    return True


def _refuse_to_replace(path: Path, content: str) -> None:
    try:
        saved = read_object(path)
    except PromptNotFoundError:
        return
    except PromptFileError:
        raise
    except PromptObjectError:  # The file isn't a prompt, so nothing is lost.
        return
    if _compared(saved) != _compared(json.loads(content)):
        raise PromptExistsError(
            f"{path}: a different prompt is saved under this name; "
            "give it another name, or pass overwrite=True (`--overwrite`)"
        )


def _compared(saved: dict[str, object]) -> str:
    """Return a text that is equal for equal prompts. The order of an example's keys matters,
    because the prompt has the same order."""
    return json.dumps(sorted({**DEFAULTS, **saved}.items()))


def _safe(part: str, what: str, suffix: str = "") -> str:
    """Return a part of a path if it is a valid file name on all systems, else raise
    PromptObjectError."""
    problem = _name_problem(part, suffix)
    if problem is not None:
        raise PromptObjectError([f"{what}: {excerpt(repr(part))} can't name a file ({problem})"])
    return part


def _name_problem(part: str, suffix: str) -> str | None:
    if not isinstance(part, str) or not part.strip():
        return "it must not be empty"
    forbidden = "/\\:" if os.name == "nt" else "/\\"
    if part == "." or ".." in part or any(c in forbidden or c < " " for c in part):
        return f"it must not have {', '.join(forbidden)}, .. or control characters"
    try:
        size = len(f"{part}{suffix}".encode())
    except UnicodeEncodeError:
        return "it has half a surrogate pair"
    return None if size <= MAX_NAME_BYTES else f"it is longer than {MAX_NAME_BYTES} bytes"


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
