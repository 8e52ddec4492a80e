"""Runs git and gh for a contributor, without the keys of models."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from lve.child.child_command import child_environment
from lve.errors import UsageError
from lve.escape import excerpt

SECONDS = 60
"""Time limit of a local command."""
SECONDS_ONLINE = 300
"""Time limit of a command that uses the network."""
PASSED_VARIABLES = (
    "GIT_",
    "SSH_",
    "GPG_",
    "GH_",
    "GITHUB_TOKEN",
    "EMAIL",
    "DISPLAY",
    "XDG_",
    "http",
)
"""Prefixes of environment variables that git and gh get. Keys of models have other names."""
SAFE_OPTIONS = ("-c", "core.fsmonitor=false", "--no-optional-locks", "--literal-pathspecs")
"""Options so that git starts no fsmonitor program of the repository and takes names literally."""
UPSTREAM = "upstream"
REMOTES = (UPSTREAM, "origin")
"""Remotes that a pull request may go to. In the clone of a fork, `gh repo fork --remote` names the
original repository `upstream`."""
BASES = (
    *(f"{remote}/{name}" for remote in REMOTES for name in ("main", "master")),
    "main",
    "master",
)


def git(folder: Path, *words: str, text: str | None = None, seconds: float = SECONDS) -> str:
    """Run git and return its output.

    Args:
        folder: the current folder for git.
        words: git's arguments.
        text: standard input.
        seconds: the time limit.

    Raises:
        UsageError: git isn't installed, failed (with its message) or took too long.
    """
    return run_program(folder, ["git", *SAFE_OPTIONS, *words], text=text, seconds=seconds)


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
    git(root, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", text=listed)
    with NamedTemporaryFile(prefix="lve-commit-") as file:  # names may be too many for options
        file.write(os.fsencode(listed))
        file.flush()
        paths = (f"--pathspec-from-file={file.name}", "--pathspec-file-nul")
        git(root, "commit", "--quiet", "--file", "-", *paths, text=message)


def run_program(folder: Path, command: Sequence[str], *, text: str | None, seconds: float) -> str:
    """Run a program and return its standard output. Arguments as for `git`.

    Raises:
        UsageError: it isn't installed, failed or took too long.
    """
    name = command[0]
    own = [one for one in os.environ if one.startswith(PASSED_VARIABLES)]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            input=(text or "").encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=seconds,
            env=child_environment(os.environ, own),
            check=False,
        )
    except FileNotFoundError:
        raise UsageError(f"{name} isn't installed, or not on the PATH", code="git") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"{name} took more than {seconds:.0f} seconds", code="git") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise UsageError(
            f"{name}: {excerpt(said, 500) or f'ended with {done.returncode}'}", code="git"
        )
    return done.stdout.decode("utf-8", "surrogateescape")


def names(listed: str) -> list[str]:
    """Return the names in a NUL-separated list."""
    return [name for name in listed.split("\0") if name]


def checkout_root(folder: Path) -> Path:
    """Return the root of the checkout that `folder` is in.

    Raises:
        UsageError: `folder` isn't in a checkout, or git isn't installed.
    """
    try:
        return Path(git(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))
    except UsageError as error:
        raise UsageError(f"{error}: stand in your clone of the repository", code="git") from None


def has_commit(root: Path, name: str) -> bool:
    """Return whether a name refers to a commit."""
    try:
        git(root, "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
    except UsageError:
        return False
    return True


def pull_request_base(root: Path) -> str | None:
    """Return the branch that a pull request goes to, such as `origin/main`; None if unknown."""
    named = [_head_of(root, remote) for remote in REMOTES]
    return next((base for base in (*named, *BASES) if base and has_commit(root, base)), None)


def branch_name(base: str) -> str:
    """Return the name of a base branch at its remote: `main` for `origin/main`."""
    remote, slash, branch = base.partition("/")
    return branch if slash and remote in REMOTES else base


def _head_of(root: Path, remote: str) -> str:
    try:
        return git(root, "symbolic-ref", "--short", f"refs/remotes/{remote}/HEAD").strip()
    except UsageError:
        return ""
