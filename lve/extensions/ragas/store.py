"""Saved prompt objects: `<cache>/<language>/<name>.json`, shared with ragas."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from lve.errors import (
    LveError,
    PromptExistsError,
    PromptFileError,
    PromptNotFoundError,
    PromptObjectError,
)
from lve.escape import excerpt
from lve.extensions.ragas.fields import DEFAULTS
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
