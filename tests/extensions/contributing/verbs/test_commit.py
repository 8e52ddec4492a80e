"""`lve contrib commit` and `lve contrib pr`, with a real git and a `gh` that notes its calls."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from shutil import rmtree, which
from subprocess import CalledProcessError

import pytest
from extensions.contributing.contribution import (
    TABLE,
    git,
    write_clone,
    write_contribution,
    write_repository,
)
from support.command_line import call
from support.command_line import lve as command_line

from lve.errors import UsageError

HOME = "repository/courtesy/greeting"


@pytest.fixture
def clone(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with a new test, on a machine without `gh`."""
    tools = root / ".git" / "tools"
    write_clone(root)
    tools.mkdir()
    real = which("git")
    assert real is not None
    (tools / "git").symlink_to(real)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}/bin")
    assert which("gh") is None
    write_contribution(root)
    return root


@pytest.fixture
def gh(clone: Path) -> Path:
    """Put a `gh` on the PATH that notes what it is told; return the note."""
    note = clone / ".git" / "gh.txt"
    program = clone / ".git" / "tools" / "gh"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > "{note}"\n/bin/cat >> "{note}"\n'
        "echo https://example.com/pull/1\n"
    )
    program.chmod(0o755)
    return note


def last_commit() -> tuple[str, list[str]]:
    """Return the first line of the last commit, and its files."""
    title, *files = git("log", "-1", "--format=%s", "--name-only", "HEAD").split("\n")
    return title, [file for file in files if file]


def test_without_a_change_nothing_is_committed(clone: Path) -> None:
    call("contrib", "commit")
    before = last_commit()
    assert call("contrib", "commit") == (5, "", "lve: no test has changed\n")
    assert call("contrib", "commit", HOME) == (5, "", f"lve: no test in {HOME} has changed\n")
    assert last_commit() == before


def test_a_test_is_committed_with_its_readme(clone: Path) -> None:
    code, out, err = call("contrib", "commit")
    assert (code, out) == (0, f"committed {HOME}: Add test courtesy/greeting\n")
    assert f"{HOME}/README.md: written" in err
    title, files = last_commit()
    assert title == "Add test courtesy/greeting"
    assert len(files) == 3
    assert all(file.startswith(f"{HOME}/") for file in files)
    assert "The model greets back." in git("log", "-1", "--format=%b")
    assert "lve readme: end" in git("show", f"HEAD:{HOME}/README.md")
    assert git("status", "--porcelain") == ""
    assert f"commit   {HOME}  new, not in origin/main yet" in call("contrib", "status")[1]
    assert call("contrib", "commit")[0] == 5


def test_each_test_gets_a_commit(clone: Path) -> None:
    write_contribution(clone, "other")
    with pytest.raises(UsageError) as refused:
        call("contrib", "commit")
    assert str(refused.value) == (
        "2 tests have changed, and each gets a commit:\n"
        f"    lve contrib commit {HOME}\n    lve contrib commit repository/courtesy/other"
    )
    assert call("contrib", "commit", f"{HOME}/test.yaml")[0] == 0
    assert last_commit()[0] == "Add test courtesy/greeting"
    assert call("contrib", "commit", "-m", "Another one")[0] == 0
    assert last_commit()[0] == "Another one"


def test_the_line_of_the_category_goes_along_and_nothing_else(clone: Path) -> None:
    (clone / "repository" / "README.md").write_text(f"{TABLE}| [other](other) | more |\n")
    (clone / "notes.md").write_text("")
    assert call("contrib", "commit")[0] == 0
    assert "repository/README.md" in last_commit()[1]
    assert git("status", "--porcelain") == "?? notes.md\n"


def test_what_else_is_staged_is_not_taken(clone: Path) -> None:
    (clone / "notes.md").write_text("")
    git("add", "notes.md")
    with pytest.raises(UsageError, match=r"notes.md is staged, too.*git restore --staged notes"):
        call("contrib", "commit")
    assert last_commit()[0] == "begin"


def test_a_test_in_a_folder_of_another_is_not_taken(clone: Path) -> None:
    inner = clone / HOME / "inner"
    write_contribution(clone, "greeting/inner")
    (inner / "instances" / "main.jsonl").unlink()
    assert call("contrib", "commit", f"{HOME}/test.yaml")[0] == 0
    assert not [file for file in last_commit()[1] if "/inner/" in file]
    assert f"?? {HOME}/inner/" in git("status", "--porcelain")


def test_a_staged_test_in_a_folder_of_another_is_refused(clone: Path) -> None:
    write_contribution(clone, "greeting/inner")
    git("add", f"{HOME}/inner")
    with pytest.raises(UsageError, match=r"inner/README.md is staged, too"):
        call("contrib", "commit", f"{HOME}/test.yaml")
    assert last_commit()[0] == "begin"


def test_removed_and_renamed_files_go_along_however_they_are_staged(clone: Path) -> None:
    call("contrib", "commit")
    git("mv", f"{HOME}/instances/main.jsonl", f"{HOME}/instances/ünï [x]*.jsonl")
    assert call("contrib", "commit")[0] == 0
    assert git("status", "--porcelain") == ""
    git("rm", "-r", "--quiet", HOME)
    assert call("contrib", "commit", HOME)[0] == 0
    assert last_commit()[0] == "Remove test courtesy/greeting"
    assert git("status", "--porcelain") == ""


def test_the_line_of_the_category_in_a_folder_of_the_clone(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (clone / "lve.yaml").unlink()
    workspace = write_repository(clone / "sub")
    git("add", "--all", "sub", "lve.yaml")
    git("commit", "--quiet", "--message", "a workspace in a folder")
    write_contribution(workspace)
    for root in (clone, workspace):
        (root / "repository" / "README.md").write_text(f"{TABLE}| [other](other) | more |\n")
    monkeypatch.chdir(workspace)
    code, _, err = call("contrib", "commit", HOME)
    assert code == 0, err
    files = last_commit()[1]
    assert "sub/repository/README.md" in files
    assert "repository/README.md" not in files


def test_what_lacks_something_is_not_committed(clone: Path) -> None:
    (clone / HOME / "instances" / "main.jsonl").unlink()
    code, _, err = call("contrib", "commit")
    assert code == 2
    assert "has no recorded answers" in err
    assert "not committed: fix these errors first" in err
    assert last_commit()[0] == "begin"


def test_updated_and_removed_tests(clone: Path) -> None:
    call("contrib", "commit")
    document = clone / HOME / "test.yaml"
    document.write_text(document.read_text().replace("greets back", "greets you back"))
    assert call("contrib", "commit")[0] == 0
    assert last_commit()[0] == "Update test courtesy/greeting"
    rmtree(clone / HOME)
    assert "deleted" in call("contrib", "status")[1]
    assert call("contrib", "commit", HOME)[0] == 0
    assert last_commit()[0] == "Remove test courtesy/greeting"


def test_from_a_folder_of_the_clone(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone / "repository" / "courtesy")
    assert "new      greeting  3 files  ok" in call("contrib", "status")[1]
    assert call("contrib", "commit", "greeting")[0] == 0


def test_a_path_without_changes(clone: Path) -> None:
    code, _, err = call("contrib", "commit", "schemas")
    assert (code, err) == (5, "lve: no test in schemas has changed\n")
    assert clone.is_dir()


def test_a_pull_request_by_gh(clone: Path, gh: Path) -> None:
    call("contrib", "commit")
    code, out, err = call("contrib", "pr")
    assert (code, out) == (0, "https://example.com/pull/1\n")
    assert "made the branch test-greeting" in err
    told = gh.read_text()
    words, _, body = told.partition("--body-file\n-\n")
    expected = ["pr", "create", "--title", "Add test courtesy/greeting", "--base", "main"]
    assert words.split("\n")[:-1] == expected
    assert "The model greets back." in body
    assert "| recorded | written by hand: 2 of 2 passed |" in body
    assert "An answer that passes:\n\n```text\nHello, Ana!\n```" in body
    assert "One that fails:\n\n```text\nGo away.\n```" in body
    pushed = git("--git-dir", ".git/up", "rev-parse", "test-greeting")
    assert pushed == git("rev-parse", "HEAD")


@pytest.mark.usefixtures("clone")
def test_without_gh_it_says_what_to_do() -> None:
    call("contrib", "commit")
    code, out, err = call("contrib", "pr")
    assert code == 0
    assert out.startswith("Add test courtesy/greeting\n\n## greeting\n")
    assert "`gh` isn't installed" in err
    assert "git remote rename origin upstream" in err
    assert "    git switch -c test-greeting\n" in err
    assert "    git push -u origin test-greeting\n" in err
    assert git("branch", "--show-current") == "main\n"


def test_a_dry_run_does_nothing(clone: Path, gh: Path) -> None:
    git("switch", "--quiet", "--create", "mine")
    call("contrib", "commit")
    write_contribution(clone, "other")
    code, out, err = call("contrib", "pr", "--dry-run", "--title", "My title")
    assert (code, out.startswith("My title\n\n## greeting")) == (0, True)
    assert "changes of repository/courtesy/other aren't committed" in err
    assert "git switch" not in err
    assert not gh.exists()


def test_no_pull_request_of_nothing_or_of_what_lacks_something(clone: Path, gh: Path) -> None:
    code, _, err = call("contrib", "pr")
    assert code == 5
    assert "no test is committed that origin/main hasn't: `lve contrib commit` first" in err
    call("contrib", "commit")
    (clone / HOME / "README.md").write_text("no title")
    git("commit", "--quiet", "--all", "--message", "worse")
    code, _, err = call("contrib", "pr")
    assert code == 2
    assert "doesn't begin with a title" in err
    assert not gh.exists()


def test_what_gh_says_against_it_is_told(clone: Path, gh: Path) -> None:
    call("contrib", "commit")
    program = clone / ".git" / "tools" / "gh"
    program.write_text("#!/bin/sh\necho not logged in >&2\nexit 4\n")
    result = command_line("pr", code=2)
    assert str(result.exception) == "gh: not logged in"
    assert not gh.exists()


def test_where_origin_cant_be_written_a_fork_is_the_way(clone: Path, gh: Path) -> None:
    hook = clone / ".git" / "up" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho permission denied >&2\nexit 1\n")
    hook.chmod(0o755)
    call("contrib", "commit")
    said = str(command_line("pr", code=2).exception)
    assert "permission denied" in said
    assert "then run `lve contrib pr` again" in said
    assert not gh.exists()
    # What `gh repo fork --remote` does to the clone.
    git("init", "--quiet", "--bare", ".git/fork")
    git("remote", "rename", "origin", "upstream")
    git("remote", "add", "origin", str(clone / ".git" / "fork"))
    assert call("contrib", "pr")[0] == 0
    assert "--base\nmain\n" in gh.read_text()
    assert git("--git-dir", ".git/fork", "rev-parse", "test-greeting") == git("rev-parse", "HEAD")


def test_a_commit_on_main_of_a_forks_clone_gets_a_branch(clone: Path, gh: Path) -> None:
    """Which `origin/main` has already: the pull request goes to `upstream`."""
    git("init", "--quiet", "--bare", ".git/fork")
    git("remote", "rename", "origin", "upstream")
    git("remote", "add", "origin", str(clone / ".git" / "fork"))
    call("contrib", "commit")
    git("push", "--quiet", "origin", "main")
    code, _, err = call("contrib", "pr", "--dry-run")
    assert code == 0
    assert "git switch -c test-greeting" in err
    assert "--base main" in err
    assert "may not push" not in err
    assert not gh.exists()


def test_outside_of_a_clone(root: Path) -> None:
    for verb in ("status", "commit", "pr"):
        assert "stand in your clone" in str(command_line(verb, code=2).exception)
    assert root.is_dir()


def test_a_merge_conflict_stays_one_until_it_is_resolved(clone: Path) -> None:
    file = clone / HOME / "README.md"
    git("add", "-A")
    git("commit", "-qm", "one")
    git("switch", "-qc", "other", "HEAD~1")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# Another\n")
    git("add", "-A")
    git("commit", "-qm", "other")
    with suppress(CalledProcessError):  # git ends with 1
        git("merge", "-")
    before = git("status", "--porcelain")
    assert f"AA {HOME}/README.md" in before
    with pytest.raises(UsageError, match=r"README.md has a merge conflict: resolve it"):
        call("contrib", "commit")
    assert git("status", "--porcelain") == before
