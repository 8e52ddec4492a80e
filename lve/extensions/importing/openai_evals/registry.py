"""Reads the files of a registry: which evals there are, their samples, their templates."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from lve.data_classes import dataclass, field
from lve.documents.read import DocumentPosition, read_document, read_text
from lve.errors import Problem, SpecError, UsageError
from lve.escape import PlacedWarning, excerpt
from lve.files.inside import list_inside, reason_of
from lve.json_types import JsonObject
from lve.workspace import display_path

EVALS, DATA, MODELGRADED = "evals", "data", "modelgraded"
"""Folders of a registry."""
MAX_FILES = 5_000
MAX_SAMPLES_BYTES = 100_000_000
MAX_LINES = 100_000
_LFS = "version https://git-lfs.github.com/"
_ANSWER_PROMPTS = "ANSWER_PROMPTS"
_CLASSIFY = Path("elsuite", "modelgraded", "classify_utils.py")


class NoCounterpartError(ValueError):
    """An eval, or one of its samples, can't be imported. The message says why."""


@dataclass(frozen=True, slots=True)
class Eval:
    """An entry of the registry that names a class."""

    name: str
    shown_name: str
    """The name that people give to `oaieval`."""
    description: str
    class_name: str
    """Without its module: `Match`."""
    args: JsonObject
    position: DocumentPosition


@dataclass(slots=True)
class Registry:
    """A registry's folder, and what can't be imported of it."""

    folder: Path
    files: tuple[Path, ...]
    """The files of `evals/` that are read."""
    left_out: list[str] = field(default_factory=list)

    def leave_out(self, position: DocumentPosition, why: object) -> None:
        """Remember that the part at a position is left out, and why."""
        problem = position.problem(f"left out: {why}", code="importer")
        self.left_out.append(PlacedWarning(replace(problem, severity="warning")))

    def leave_out_line(self, file: Path, line: int, why: object) -> None:
        """Remember that a sample is left out, and why."""
        problem = Problem(
            f"left out: {why}", display_path(file), line, severity="warning", code="importer"
        )
        self.left_out.append(PlacedWarning(problem))

    def evals(self) -> Iterator[Eval]:
        """Yield the evals of all files; a file that can't be read is left out."""
        for file in self.files:
            try:
                entries = read_document(file, self.folder).data
            except SpecError as error:
                self.left_out.extend(f"left out: {problem}" for problem in error.problems)
                continue
            if isinstance(entries, dict):
                yield from self._evals(entries, DocumentPosition(file, ()))

    def _evals(self, entries: JsonObject, at: DocumentPosition) -> Iterator[Eval]:
        parents = {
            str(entry["id"]): (str(name), entry)
            for name, entry in entries.items()
            if isinstance(entry, dict) and "class" not in entry and "id" in entry
        }
        for name, entry in entries.items():
            if not isinstance(entry, dict) or "class" not in entry:
                continue
            shown_name, parent = parents.get(str(name), (str(name), entry))
            args = entry.get("args")
            yield Eval(
                str(name),
                shown_name,
                " ".join(str(parent.get("description") or "").split()),
                str(entry["class"]).rpartition(":")[2],
                args if isinstance(args, dict) else {},
                at.below((name,)),
            )

    def samples(self, name: object) -> Iterator[tuple[Path, int, JsonObject]]:
        """Yield the samples that an eval names, with their file and line.

        Raises:
            NoCounterpartError: they can't be read.
        """
        if not isinstance(name, str) or "://" in name or not name:
            raise NoCounterpartError(f"its samples are {excerpt(repr(name))}, no file of data/")
        for file in self._sample_files(name):
            yield from self._lines(file)

    def _sample_files(self, name: str) -> list[Path]:
        path = self.folder / DATA / name
        if not path.is_dir():
            return [path]
        try:
            names = sorted(list_inside(self.folder / DATA, name))
        except OSError as error:
            why = f"{display_path(path)} can't be read: {reason_of(error)}"
            raise NoCounterpartError(why) from None
        return [path / file for file in names if file.endswith(".jsonl")]

    def _lines(self, file: Path) -> Iterator[tuple[Path, int, JsonObject]]:
        hint = "split it"
        folder = self.folder / DATA
        try:
            text = read_text(file, folder=folder, max_bytes=MAX_SAMPLES_BYTES, hint=hint)
        except SpecError as error:
            raise NoCounterpartError(str(error)) from None
        if text.startswith(_LFS):
            raise NoCounterpartError(
                f"{display_path(file)} only points at Git LFS: run `git lfs pull` there"
            )
        lines = text.split("\n")
        if len(lines) > MAX_LINES:
            raise NoCounterpartError(f"it has more than {MAX_LINES:,} samples")
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    sample = json.loads(line)
                    json.dumps(sample, ensure_ascii=False).encode()  # no half of a character
                except (ValueError, RecursionError) as error:
                    self.leave_out_line(file, number, f"not JSON: {error}")
                    continue
                if isinstance(sample, dict):
                    yield file, number, sample
                else:
                    self.leave_out_line(file, number, "it is no object")

    def graded_spec(self, name: object) -> JsonObject:
        """Return the entry of `modelgraded/` with a name.

        Raises:
            NoCounterpartError: there is none.
        """
        folder = self.folder / MODELGRADED
        for file in islice(sorted(folder.glob("*.yaml")), MAX_FILES):
            try:
                entries = read_document(file, self.folder).data
            except SpecError:
                continue
            if isinstance(entries, dict) and isinstance(entries.get(name), dict):
                spec: JsonObject = entries[name]
                return spec
        raise NoCounterpartError(f"modelgraded/ has no {excerpt(repr(name))}")

    def answer_prompts(self) -> Mapping[str, str]:
        """Return how the package asks for a choice, by `eval_type`: read as data from the file of
        the package beside the registry; empty without one."""
        package = self.folder.parent
        try:
            text = read_text(
                package / _CLASSIFY, folder=package, max_bytes=1_000_000, hint="make it smaller"
            )
            body = ast.parse(text).body
        except (SpecError, SyntaxError, ValueError, RecursionError, MemoryError):
            return {}
        return next(filter(None, map(_texts_of, body)), {})


def _texts_of(statement: ast.stmt) -> Mapping[str, str]:
    """Return the texts of `ANSWER_PROMPTS = {"name": "text".strip()}`; empty for others."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Dict):
        return {}
    if [getattr(target, "id", None) for target in statement.targets] != [_ANSWER_PROMPTS]:
        return {}
    pairs = zip(statement.value.keys, statement.value.values, strict=True)
    texts = [(_constant(key), _constant(value)) for key, value in pairs if key is not None]
    return {key: value.strip() for key, value in texts if key and value}


def _constant(node: ast.expr) -> str | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value  # "text".strip()
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if is_text and isinstance(node, ast.Constant) else None


def open_registry(source: Path) -> Registry:
    """Return the registry of a path.

    Args:
        source: a registry's folder, a checkout or package of `evals`, or a file of `evals/`.

    Raises:
        UsageError: it is none of these.
    """
    source = source.absolute()
    if source.is_file():
        folder = source.parent.parent
        if source.parent.name == EVALS:
            return Registry(folder, (source,))
    for folder in (source, source / "registry", source / "evals" / "registry"):
        files = sorted((folder / EVALS).glob("*.y*ml")) if (folder / DATA).is_dir() else []
        if len(files) > MAX_FILES:
            raise UsageError(f"it has more than {MAX_FILES:,} files", code="over_limit")
        if files:
            return Registry(folder, tuple(files))
    raise UsageError(
        f"{display_path(source)} is no registry of OpenAI's evals: name the folder that has evals/ "
        "and data/, or a file of its evals/",
        code="importer",
    )
