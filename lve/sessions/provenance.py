"""Describes what a session ran so that it can be repeated: versions, hashes of files."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lve.documents.json_lines import canonical_json
from lve.file_names import DOCUMENT_NAMES
from lve.files.inside import open_inside
from lve.json_types import JsonValue
from lve.prompts.plan import foreign_dialect
from lve.spec.location import names_in_app
from lve.spec.spec import PromptSource, Spec
from lve.version import __version__

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

CODE_SUFFIXES = (".py",)
DATA_SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".yaml", ".yml", ".parquet")
PROMPT_SUFFIXES = (".prompt",)
FILE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".wav", ".mp3", ".pdf", ".txt")
PARTS_OF_DOCUMENT = ("messages", "checks", "model_args", "inputs")
"""Hashes of parts of the document."""
ASKED_PARTS = ("prompts", "data", "files", "messages", "model_args", "inputs", "prompt_object")
"""Hashes of what decides what a model is asked, and of the rows that its answers are judged by."""
BLOCK_BYTES = 1 << 20


def versions() -> dict[str, str]:
    """Return the versions of lve, Python and the platform."""
    return {
        "lve": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}".strip(),
    }


def hashes_of(spec: Spec) -> dict[str, str]:
    """Return SHA-256 sums of the parts of a test, by name.

    `document`, `prompts`, `data`, `checkers` and `files` (images and the like) cover names and
    contents of files: those in its folder, and of the application those that it names. A part
    without files is left out. `messages`, `checks`,
    `model_args` and `inputs` cover parts of the document: its prompts, its checkers with their
    arguments, its model args, and its data set, tools, simulated
    user and output schema. `prompt_object` changes
    if and only if the prompt object of the test does, whether it is in the document or in a file.
    """
    in_app = names_in_app(spec)
    files = [*sorted(files_below(spec.folder)), *sorted(in_app)]
    document, prompts = spec.file.name, {prompt.written for prompt in spec.prompts}
    groups: dict[str, list[str]] = {
        "document": [document],
        "prompts": [n for n in files if n.endswith(PROMPT_SUFFIXES) or n in prompts],
        "data": [n for n in files if n.endswith(DATA_SUFFIXES) and n != document],
        "checkers": [name for name in files if name.endswith(CODE_SUFFIXES)],
        "files": [n for n in files if n.lower().endswith(FILE_SUFFIXES) and n not in prompts],
    }
    places = {**{name: (spec.folder, name) for name in files}, **in_app}
    sums = {
        group: _sum((name, *places[name]) for name in names)
        for group, names in groups.items()
        if names
    }
    sums["messages"] = _text_sum(canonical_json([[*map(_written, spec.prompts)], spec.infer_cfg]))
    checks = [[checker.name, checker.args] for checker in spec.checkers]
    sums["checks"] = _text_sum(canonical_json([checks, spec.pass_when, spec.output_schema]))
    sums["model_args"] = _text_sum(canonical_json(_model_args(spec)))
    inputs = [spec.dataset, spec.reader_cfg, spec.braces, spec.tools, spec.simulated_user]
    schema = [] if spec.output_schema is None else [spec.output_schema]
    sums["inputs"] = _text_sum(canonical_json([*inputs, *schema]))
    if spec.suites:
        sums["suites"] = _suites_sum(spec)
    dialect = foreign_dialect(spec)
    return sums if dialect is None else {**sums, **dialect.hashes(spec)}


def _model_args(spec: Spec) -> JsonValue:
    """Return the model args of a test, and those for single models if there are any."""
    own = {model: changes.args for model, changes in spec.for_models.items() if changes.args}
    return [spec.model_args, own] if own else spec.model_args


def _written(prompt: PromptSource) -> list[JsonValue]:
    """Return a prompt as in the document, without the content of a file, which has its own sum."""
    messages = [message.to_json() for message in prompt.messages or ()]
    file = prompt.file.name if prompt.file else None
    return [messages, file, prompt.name, prompt.repetitions]


def _suites_sum(spec: Spec) -> str:
    names = {file.relative_to(spec.root).as_posix() for file in spec.suites.values()}
    return _sum((name, spec.root, name) for name in sorted(names))


def _text_sum(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def files_below(folder: Path) -> Iterator[str]:
    """Yield the files below `folder` as relative paths with `/`, without those of other tests in
    subfolders."""
    documents = DOCUMENT_NAMES
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            with os.scandir(folder / prefix) as entries:
                visible = [e for e in entries if not e.name.startswith((".", "__pycache__"))]
        except OSError:
            continue  # An unreadable folder must not prevent the run.
        if prefix and any(entry.name in documents for entry in visible):
            continue
        for entry in visible:
            if entry.is_dir(follow_symlinks=False):
                pending.append(f"{prefix}{entry.name}/")
            elif _is_file(entry):
                yield f"{prefix}{entry.name}"


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link to itself
        return False


def _sum(places: Iterable[tuple[str, Path, str]]) -> str:
    """Return the hash of files: of each the name in the hash, its folder, and its name there."""
    total = sha256()
    for shown, folder, name in places:
        total.update(shown.encode("utf-8", "surrogateescape") + b"\0")
        try:
            with open_inside(folder, name) as file:
                _add(total, file)
        except OSError as error:
            total.update(f"unreadable: {error.strerror}".encode())
        total.update(b"\0")
    return total.hexdigest()


def _add(total: Hash, file: BinaryIO) -> None:
    """Add a file's content to a hash. Holes of sparse files are counted instead of read, because
    reading a terabyte of zeros would take an hour."""
    position = zeros = 0
    while block := file.read(BLOCK_BYTES):
        position += len(block)
        if block.count(0) < len(block):
            total.update(f"{zeros} zeros".encode() if zeros else b"")
            total.update(block)
            zeros = 0
        else:
            beyond = _end_of_hole(file, position)
            zeros += len(block) + beyond - position
            position = file.seek(beyond)
    total.update(f"{zeros} zeros".encode() if zeros else b"")


def _end_of_hole(file: BinaryIO, position: int) -> int:
    """Return the position of the next block that has data on the disk."""
    if not hasattr(os, "SEEK_DATA"):
        return position
    try:
        data = os.lseek(file.fileno(), position, os.SEEK_DATA)
    except OSError:  # There is none, or the file system doesn't know.
        return max(position, os.fstat(file.fileno()).st_size)
    return max(position, data - data % BLOCK_BYTES)
