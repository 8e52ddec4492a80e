"""`lve contrib pr`: makes a pull request for the tests that this branch commits."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from lve.cli.printing import print_line, print_message, print_text, tell
from lve.errors import UsageError
from lve.exit_code import ExitCode
from lve.extensions.contributing.changes import (
    ChangedTest,
    committed,
    is_ready,
    load_changed,
    uncommitted,
)
from lve.extensions.contributing.description import pull_request_body, pull_request_title
from lve.extensions.contributing.git import (
    UPSTREAM,
    branch_name,
    checkout_root,
    git,
    is_installed,
    pull_request_base,
    run_program,
)

GH = "gh"
FORK = (
    "make a fork with `gh repo fork --remote` (it becomes `origin`, and the original "
    f"`{UPSTREAM}`), then run `lve contrib pr` again"
)
FORK_BY_HAND = (
    "(if you may not push to `origin`, fork it on GitHub first, and then",
    f"    git remote rename origin {UPSTREAM}",
    "    git remote add origin https://github.com/YOU/NAME.git)",
)


@click.command()
@click.option("--title", help="Title of the pull request.  [default: Add test NAME]")
@click.option("--dry-run", is_flag=True, help="Push nothing; print the title and the text.")
def pr(title: str | None, dry_run: bool) -> int:
    """Make a pull request for the tests that this branch commits.

    Pushes the branch and uses GitHub's `gh`. The text has each test's description, its
    expectation, the verdicts of recorded answers, an answer that passes and one that fails. Without
    `gh`, prints the text and the steps to take. The tests must be committed, and pass `lve check
    --contribute`.

    \b
    lve contrib pr --dry-run
    lve contrib pr
    """
    root = checkout_root(Path.cwd())
    base = pull_request_base(root)
    if base is None:
        raise UsageError("there is no main or master to compare with: fetch it first", code="git")
    changes = committed(root, base).tests
    if not changes:
        print_message(f"no test is committed that {base} hasn't: `lve contrib commit` first")
        return ExitCode.nothing_selected
    if left := uncommitted(root).tests:
        print_message(f"warning: changes of {left[0].folder} aren't committed, so not included")
    if not is_ready(root, changes):
        print_message("no pull request: fix these errors first")
        return ExitCode.invalid
    specs = [load_changed(root, change) for change in changes if change.kind != "deleted"]
    title, body = title or pull_request_title(changes), pull_request_body(changes, specs)
    tell(title=title, body=body)
    branch = _branch(root, base, changes)
    if dry_run or not is_installed(GH):
        _print(title, body, branch, base, is_new=branch != _current(root), has_gh=dry_run)
        return ExitCode.as_expected
    if branch != _current(root):
        git(root, "switch", "--quiet", "--create", branch, access="write")
        print_message(f"made the branch {branch}")
    _push(root, branch)
    words = [GH, *_gh_words(title, base)]
    address = run_program(root, [*words, "--body-file", "-"], "online", text=body)
    tell(url=address.strip())
    print_line(address.strip())
    return ExitCode.as_expected


def _push(root: Path, branch: str) -> None:
    """Push the branch.

    Raises:
        UsageError: git refuses; the message explains how to use a fork.
    """
    # A whole reference: the name of a branch may begin with `-`.
    reference = f"refs/heads/{branch}:refs/heads/{branch}"
    try:
        git(root, "push", "--quiet", "--set-upstream", "origin", reference, access="online")
    except UsageError as error:
        raise UsageError(f"{error}; if you may not push to `origin`, {FORK}", code="git") from None


def _gh_words(title: str, base: str) -> list[str]:
    return ["pr", "create", "--title", title, "--base", branch_name(base)]


def _current(root: Path) -> str:
    return git(root, "branch", "--show-current").strip()


def _branch(root: Path, base: str, changes: Sequence[ChangedTest]) -> str:
    """Return the branch to push: the current one, or the name of a new one on the main branch."""
    current = _current(root)
    if current and current != branch_name(base):
        return current
    name = changes[0].folder.rpartition("/")[2]
    plain = "".join(
        letter if letter.isalnum() and letter.isascii() else "-" for letter in name
    ).strip("-")
    return f"test-{plain or 'new'}"


def _print(title: str, body: str, branch: str, base: str, *, is_new: bool, has_gh: bool) -> None:
    """Print the text of the pull request, and the steps to make it by hand."""
    print_text(f"{title}\n\n{body}", newline=False)
    if not has_gh:
        print_message("`gh` isn't installed, so do this, with the text above:")
    if not base.startswith(f"{UPSTREAM}/"):
        for line in FORK_BY_HAND:
            print_message(line)
    switch = [["git", "switch", "-c", branch]] if is_new else []
    for words in (*switch, ["git", "push", "-u", "origin", branch]):
        print_message(f"    {shlex.join(words)}")
    print_message(f"    {shlex.join([GH, *_gh_words(title, base)])}  (or open it on GitHub)")
