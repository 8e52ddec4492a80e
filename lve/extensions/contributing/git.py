"""Runs git and gh for a contributor, each with the environment variables that it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from threading import Thread
from typing import Literal

from lve.child.child_command import child_environment
from lve.errors import UsageError
from lve.escape import excerpt
from lve.files.git import checkout_around
from lve.files.inside import WHOLE_BYTES
from lve.secrets.secret_values import is_secret_name

if sys.platform == "linux":
    import resource

Access = Literal["read", "write", "online"]
"""What a command does: it only reads the clone, changes it too, or also uses the network."""
_READ = ("GIT_", "XDG_")
_WRITE = (*_READ, "GPG_", "GNUPGHOME", "SSH_", "EMAIL", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
_ONLINE = (*_WRITE, "GH_", "GITHUB_TOKEN", "GITHUB_ENTERPRISE_TOKEN", *_PROXIES)
_PREFIXES: Mapping[Access, tuple[str, ...]] = {"read": _READ, "write": _WRITE, "online": _ONLINE}
"""Prefixes of the variables that a command gets, beside those that every program needs. Keys of
models have other names; case doesn't matter for proxies."""
_NO_SECRETS = ("GIT_CONFIG_KEY_",)
"""Prefixes of names that only look like those of secrets."""
MAX_SAID = 10_000
"""Bytes of a command's error that are read."""
MEMORY_BYTES = 2_000_000_000
"""Memory of a command that only reads, without the files that it maps."""
SECONDS: Mapping[Access, float] = {"read": 60, "write": 60, "online": 300}
"""Time limits of commands."""


def variables(access: Access) -> dict[str, str]:
    """Return the environment variables of a command.

    Only commands that use the network get tokens, passwords and proxies. The hooks, filters and
    credential helpers that the user has configured get what git gets.
    """
    return child_environment(os.environ, _names(access))


def run_program(
    folder: Path,
    command: Sequence[str],
    access: Access,
    *,
    text: str | None = None,
    more: Mapping[str, str] | None = None,
) -> str:
    """Run a program and return its standard output.

    Args:
        folder: the program's current folder.
        command: its name and arguments.
        access: what it does.
        text: its standard input.
        more: further environment variables.

    Raises:
        UsageError: it isn't installed, failed (with its message), took too long or wrote too much.
    """
    name, seconds = command[0], SECONDS[access]
    with TemporaryFile() as sent, TemporaryFile() as errors:
        sent.write((text or "").encode("utf-8", "surrogateescape"))
        sent.seek(0)
        try:
            process = subprocess.Popen(
                [_program(name), *command[1:]],
                cwd=folder,
                stdin=sent,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**variables(access), **(more or {})},
            )
        except FileNotFoundError:
            raise _missing(name) from None
        if access == "read":
            _limit_memory(process.pid)
        output = _output(process, name, seconds)
        if process.returncode:
            errors.seek(0)
            why = (errors.read(MAX_SAID) or output).decode(errors="replace").strip()
            why = excerpt(why, 500) or f"ended with {process.returncode}"
            raise UsageError(f"{name}: {why}", code="git")
    return output.decode("utf-8", "surrogateescape")


def _output(process: subprocess.Popen[bytes], name: str, seconds: float) -> bytes:
    """Wait for a program and return its standard output.

    Raises:
        UsageError: it took too long, or wrote too much.
    """
    pieces: list[bytes] = []

    def read() -> None:
        assert process.stdout is not None
        with process.stdout as output:
            pieces.append(output.read(WHOLE_BYTES + 1))

    # In a thread, because a program of its own may outlive it and hold the pipe.
    reader = Thread(target=read, daemon=True)
    reader.start()
    end = time.monotonic() + seconds
    try:
        reader.join(seconds)
        if not reader.is_alive() and len(pieces[0]) > WHOLE_BYTES:
            raise UsageError(f"{name} wrote more than {WHOLE_BYTES:,} bytes", code="git")
        process.wait(max(0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise UsageError(f"{name} took more than {seconds:.0f} seconds", code="git") from None
    finally:
        process.kill()
        process.wait()
    return pieces[0]


def _limit_memory(pid: int) -> None:
    """Limit the memory of a program that reads what somebody has contributed."""
    if sys.platform == "linux":
        with suppress(OSError):  # it has ended
            resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


def is_installed(name: str) -> bool:
    """Return whether a program is on the PATH."""
    try:
        return bool(_program(name))
    except UsageError:
        return False


def _program(name: str) -> str:
    """Return the path of a program.

    A relative entry of the PATH doesn't count, nor does Windows' search of the current folder:
    there may be a `git` that somebody has contributed.
    """
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    there = os.pathsep.join(entry for entry in entries if Path(entry).is_absolute())
    path = shutil.which(name, path=there) if there else None
    if path is None or not Path(path).is_absolute():
        raise _missing(name)
    return path


def _missing(name: str) -> UsageError:
    return UsageError(f"{name} isn't installed, or not on the PATH", code="git")


def _names(access: Access) -> Iterator[str]:
    for name in os.environ:
        is_proxy = name.lower() in _PROXIES
        if not (name.startswith(_PREFIXES[access]) or (is_proxy and access == "online")):
            continue
        is_secret = is_secret_name(name) and not name.startswith(_NO_SECRETS)
        if access == "online" or not is_secret:
            yield name


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
