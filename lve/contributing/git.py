"""Starts git and gh for a contributor, without the keys of models."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from lve.child.child_process import child_environment
from lve.errors import UsageError
from lve.escape import excerpt

SECONDS = 60
"""For a command on this machine."""
SECONDS_ONLINE = 300
OWN_VARIABLES = ("GIT_", "SSH_", "GPG_", "GH_", "GITHUB_TOKEN", "EMAIL", "DISPLAY", "XDG_", "http")
"""Beginnings of names of variables that git and gh read. Keys of models aren't among them."""
SAFE = ("-c", "core.fsmonitor=false", "--no-optional-locks", "--literal-pathspecs")
"""Reading starts no program that a repository's configuration names, and a name is no pattern."""
UPSTREAM = "upstream"
REMOTES = (UPSTREAM, "origin")
"""Where pull requests go to, first that of a fork's clone (`gh repo fork --remote` calls it so)."""
BASES = (
    *(f"{remote}/{name}" for remote in REMOTES for name in ("main", "master")),
    "main",
    "master",
)


def git(folder: Path, *words: str, text: str | None = None, seconds: float = SECONDS) -> str:
    """Return what git says.

    Args:
        folder: where.
        words: the command.
        text: what it reads.
        seconds: until it is given up.

    Raises:
        UsageError: there is no git, or it says no; with its words.
    """
    return run_program(folder, ["git", *SAFE, *words], text=text, seconds=seconds)


def commit_files(root: Path, files: Iterable[str], message: str) -> None:
    """Commit these files and nothing else, whether they are new, changed or gone.

    Args:
        root: of the checkout.
        files: relative to it.
        message: of the commit.

    Raises:
        UsageError: git says no.
    """
    listed = "".join(f"{file}\0" for file in sorted(files))
    git(root, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", text=listed)
    with NamedTemporaryFile(prefix="lve-commit-") as file:  # names may be too many for options
        file.write(os.fsencode(listed))
        file.flush()
        paths = (f"--pathspec-from-file={file.name}", "--pathspec-file-nul")
        git(root, "commit", "--quiet", "--file", "-", *paths, text=message)


def run_program(folder: Path, command: Sequence[str], *, text: str | None, seconds: float) -> str:
    """Return what a program writes to stdout.

    Raises:
        UsageError: it isn't there, fails or takes too long.
    """
    name = command[0]
    own = [one for one in os.environ if one.startswith(OWN_VARIABLES)]
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
    """Return the names of a list that git ended with zeros."""
    return [name for name in listed.split("\0") if name]


def checkout_root(folder: Path) -> Path:
    """Return the top folder of the checkout.

    Raises:
        UsageError: there is none, or no git.
    """
    try:
        return Path(git(folder, "rev-parse", "--show-toplevel").removesuffix("\n"))
    except UsageError as error:
        raise UsageError(f"{error}: stand in your clone of the repository", code="git") from None


def has_commit(root: Path, name: str) -> bool:
    """Whether a name stands for a commit."""
    try:
        git(root, "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
    except UsageError:
        return False
    return True


def pull_request_base(root: Path) -> str | None:
    """Return what a pull request goes to (`origin/main`); None if that isn't known."""
    named = [_head_of(root, remote) for remote in REMOTES]
    return next((base for base in (*named, *BASES) if base and has_commit(root, base)), None)


def branch_name(base: str) -> str:
    """Return the name that the branch of `pull_request_base` has at its remote: `main`."""
    remote, slash, branch = base.partition("/")
    return branch if slash and remote in REMOTES else base


def _head_of(root: Path, remote: str) -> str:
    try:
        return git(root, "symbolic-ref", "--short", f"refs/remotes/{remote}/HEAD").strip()
    except UsageError:
        return ""
