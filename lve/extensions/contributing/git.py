"""Runs git for a contributor.

The user's own hooks, filters and credential helpers run as when he calls git himself. Nothing that
a pull request contains can start a program.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile

from lve.errors import UsageError
from lve.extensions.contributing.programs import Access, run_program
from lve.files.git import checkout_around

SAFE_OPTIONS = (
    *("-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"),
    *("--no-optional-locks", "--literal-pathspecs"),
)
"""Options so that git doesn't take a contributed folder for a repository, starts no fsmonitor
program and takes names literally."""
_NO_NETWORK = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
"""Variables so that git requests no missing objects, as in a partial clone."""
UPSTREAM = "upstream"
REMOTES = (UPSTREAM, "origin")
"""Remotes that a pull request may go to. In the clone of a fork, `gh repo fork --remote` names the
original repository `upstream`."""
BASES = (
    *(f"{remote}/{name}" for remote in REMOTES for name in ("main", "master")),
    "main",
    "master",
)


def git(folder: Path, *words: str, access: Access = "read", text: str | None = None) -> str:
    """Run git and return its output.

    Args:
        folder: the current folder for git: the root of a checkout.
        words: git's arguments.
        access: what the command does. If it only reads, it sends nothing.
        text: standard input.

    Raises:
        UsageError: git isn't installed, failed (with its message) or took too long.
    """
    more = _NO_NETWORK if access == "read" else None
    return run_program(folder, ["git", *SAFE_OPTIONS, *words], access, text=text, more=more)


def commit_files(root: Path, files: Iterable[str], message: str) -> None:
    """Commit exactly these files, whether they are new, changed or deleted.

    Args:
        root: the root of the checkout.
        files: their paths, relative to `root`.
        message: the commit message.

    Raises:
        UsageError: git failed.
    """
    listed = "".join(f"{file}\0" for file in sorted(files))
    words = ("--add", "--remove", "--replace", "-z", "--stdin")
    git(root, "update-index", *words, access="write", text=listed)
    with NamedTemporaryFile(prefix="lve-commit-") as file:  # names may be too many for options
        file.write(os.fsencode(listed))
        file.flush()
        paths = (f"--pathspec-from-file={file.name}", "--pathspec-file-nul")
        git(root, "commit", "--quiet", "--file", "-", *paths, access="write", text=message)


def names(listed: str) -> list[str]:
    """Return the names in a NUL-separated list."""
    return [name for name in listed.split("\0") if name]


def checkout_root(folder: Path) -> Path:
    """Return the root of the checkout that `folder` is in.

    Raises:
        UsageError: `folder` isn't in a checkout, or git isn't installed.
    """
    try:
        return Path(git(_discovered(folder), "rev-parse", "--show-toplevel").removesuffix("\n"))
    except UsageError as error:
        raise UsageError(f"{error}: stand in your clone of the repository", code="git") from None


def _discovered(folder: Path) -> Path:
    """Return the folder around `folder` that has `.git`, which no commit can contain.

    In others that it takes for repositories, git would run programs that their file `config` names.
    Old versions don't know `safe.bareRepository`.
    """
    if "GIT_DIR" in os.environ:
        return folder
    if (place := checkout_around(folder)) is None:
        raise UsageError("this isn't a git repository", code="git")
    return place


def has_commit(root: Path, name: str) -> bool:
    """Return whether a name refers to a commit."""
    try:
        git(root, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}")
    except UsageError:
        return False
    return True


def pull_request_base(root: Path) -> str | None:
    """Return the branch that a pull request goes to, such as `origin/main`; None if unknown."""
    heads = [_head_of(root, remote) for remote in REMOTES]
    return next((base for base in (*heads, *BASES) if base and has_commit(root, base)), None)


def branch_name(base: str) -> str:
    """Return the name of a base branch at its remote: `main` for `origin/main`."""
    remote, slash, branch = base.partition("/")
    return branch if slash and remote in REMOTES else base


def _head_of(root: Path, remote: str) -> str:
    try:
        return git(root, "symbolic-ref", "--short", f"refs/remotes/{remote}/HEAD").strip()
    except UsageError:
        return ""
