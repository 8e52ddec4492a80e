"""What was run, precisely enough to repeat it: versions, commit, hashes of files."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from lve.conventions import DOCUMENT_NAMES, MISSPELT_DOCUMENT
from lve.errors import SpecError
from lve.spec.model import Spec
from lve.version import __version__

GIT_TIMEOUT_S = 5.0
CODE_SUFFIXES = (".py",)
DATA_SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".yaml", ".yml", ".parquet")
PROMPT_SUFFIXES = (".prompt",)


def versions() -> dict[str, str]:
    """Return the versions of lve, Python and the platform."""
    return {
        "lve": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}".strip(),
    }


@dataclass(slots=True)
class GitQuestion:
    """A running `git status`: asked at the start, answered while the session goes on."""

    _process: subprocess.Popen[bytes] | None

    @classmethod
    def ask(cls, root: Path) -> GitQuestion:
        """Ask for the commit of the checkout that `root` lies in."""
        # No prompts, no lock on the index (another git may be at work), nothing of the folder's
        # own configuration that would run a program.
        command = ["git", "-c", "core.fsmonitor=false", "--no-optional-locks", "status"]
        arguments = ["--porcelain=v2", "--branch", "--untracked-files=no", "--", "."]
        try:
            process = subprocess.Popen(
                command + arguments,
                cwd=root,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError:  # no git here
            return cls(None)
        return cls(process)

    def answer(self) -> dict[str, Any] | None:
        """Return `{"commit", "dirty"}`, None outside of a checkout. Waits a few seconds at most."""
        process, self._process = self._process, None
        if process is None:
            return None
        try:
            output, _ = process.communicate(timeout=GIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        lines = output.decode("utf-8", "replace").splitlines()
        commits = [line.split()[-1] for line in lines if line.startswith("# branch.oid ")]
        if process.returncode != 0 or not commits:
            return None
        return {"commit": commits[0], "dirty": any(not line.startswith("#") for line in lines)}


def hashes_of(spec: Spec) -> dict[str, str]:
    """Return SHA-256 sums of what a test consists of: `document`, and, where there are such files
    in its folder, `prompts`, `data` and `checkers`. A sum covers names and contents.

    A test with a prompt object has its sum, too (`prompt_object`), written out or saved: it differs
    between two sessions if and only if the prompt changed.
    """
    files = sorted(_files_below(spec.folder))
    document = spec.file.name
    groups: dict[str, list[str]] = {
        "document": [document],
        "prompts": [name for name in files if name.endswith(PROMPT_SUFFIXES)],
        "data": [n for n in files if n.endswith(DATA_SUFFIXES) and n != document],
        "checkers": [name for name in files if name.endswith(CODE_SUFFIXES)],
    }
    sums = {group: _sum(spec.folder, names) for group, names in groups.items() if names}
    if spec.prompt_object is not None:
        sums.update(_prompt_object_sum(spec))
    return sums


def _prompt_object_sum(spec: Spec) -> dict[str, str]:
    from lve.prompts.prompt_object_plan import build_prompt_object_plan

    try:
        return {"prompt_object": build_prompt_object_plan(spec).content_hash}
    except SpecError:  # the test is reported as invalid; there is nothing to compare
        return {}


def _files_below(folder: Path) -> Iterator[str]:
    """Yield names relative to `folder`, with `/`; not those of tests that lie further below."""
    documents = (*DOCUMENT_NAMES, MISSPELT_DOCUMENT)
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            with os.scandir(folder / prefix) as entries:
                found = [e for e in entries if not e.name.startswith((".", "__pycache__"))]
        except OSError:
            # Like a file that can't be read: no reason not to run the test.
            continue
        if prefix and any(entry.name in documents for entry in found):
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                pending.append(f"{prefix}{entry.name}/")
            elif entry.is_file():
                yield f"{prefix}{entry.name}"


def _sum(folder: Path, names: Iterable[str]) -> str:
    total = sha256()
    for name in names:
        total.update(name.encode("utf-8", "surrogateescape") + b"\0")
        try:
            with (folder / name).open("rb") as file:
                for block in iter(lambda: file.read(1 << 20), b""):
                    total.update(block)
        except OSError as error:
            total.update(f"unreadable: {error.strerror}".encode())
        total.update(b"\0")
    return total.hexdigest()
