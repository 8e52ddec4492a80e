"""`lve contrib status`, `commit` and `pr` in clones with hostile contents, and in hostile clones.

Each attack would create `PROOF` by running a program.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from extensions.contributing.contribution import git, write_clone, write_contribution
from support.command_line import call
from support.command_line import lve as command_line

HOME = "repository/courtesy/greeting"
HOOKS = ("pre-commit", "post-commit", "post-index-change", "reference-transaction", "pre-push")


@pytest.fixture
def proof(tmp_path: Path) -> Iterator[Path]:
    """Return the file that an attack makes; afterwards there must be none."""
    made = tmp_path / "proof"
    yield made
    assert not made.exists()


@pytest.fixture
def clone(root: Path) -> Path:
    write_contribution(write_clone(root))
    return root


def config_of(work_tree: Path, proof: Path) -> str:
    """Return a git configuration that runs programs wherever git can run one."""
    touch = f"touch {proof}"
    return f"""\
[core]
    repositoryformatversion = 0
    bare = false
    worktree = {work_tree}
    fsmonitor = "{touch}; false"
    sshCommand = {touch}
    pager = {touch}
    editor = {touch}
    hooksPath = {work_tree}/hooks
[filter "x"]
    clean = {touch}; cat
[diff]
    external = {touch}
[gpg]
    program = {work_tree}/hooks/pre-commit
[commit]
    gpgSign = true
[user]
    name = Eve
    email = eve@example.com
"""


def write_embedded(folder: Path, work_tree: Path, proof: Path) -> None:
    """Make a folder a bare repository, by files that a commit can contain."""
    for name in ("objects", "refs", "hooks"):
        (folder / name).mkdir(parents=True)
        (folder / name / "keep").write_text("")
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(config_of(work_tree, proof))
    (folder / ".gitattributes").write_text("* filter=x\n")
    write_hooks(folder / "hooks", proof)


def write_hooks(folder: Path, proof: Path) -> None:
    for name in HOOKS:
        (folder / name).write_text(f"#!/bin/sh\ntouch {proof}\n")
        (folder / name).chmod(0o755)


@pytest.mark.parametrize("verb", ["status", "commit", "pr"])
@pytest.mark.parametrize("where", ["itself", "the clone"])
def test_a_contributed_folder_is_no_repository(
    clone: Path, monkeypatch: pytest.MonkeyPatch, proof: Path, verb: str, where: str
) -> None:
    folder = clone / HOME / "inner"
    write_contribution(clone, "greeting/inner")
    write_embedded(folder, folder if where == "itself" else clone, proof)
    monkeypatch.chdir(folder)
    if where == "itself":  # as if a file had been staged, so that git compares it
        options = ("--git-dir=.", "-c", "filter.x.clean=cat", "-c", "core.fsmonitor=false")
        git(*options, "-c", "core.hooksPath=none", "add", "--force", "README.md")
        os.utime(folder / "README.md", (1, 1))
    result = command_line(verb, code=5 if verb == "pr" else 2)
    assert "main" not in str(result.exception)
    assert (folder / "HEAD").read_text() == "ref: refs/heads/main\n"


@pytest.mark.parametrize("without", ["SAFE_OPTIONS", "_discovered"])
def test_each_of_two_reasons_is_enough(
    clone: Path, monkeypatch: pytest.MonkeyPatch, proof: Path, without: str
) -> None:
    """Old versions of git don't know `safe.bareRepository`."""
    other = ("--no-optional-locks",) if without == "SAFE_OPTIONS" else (lambda folder: folder)
    monkeypatch.setattr(f"lve.extensions.contributing.git.{without}", other)
    folder = clone / HOME
    write_embedded(folder, folder, proof)
    monkeypatch.chdir(folder)
    result = command_line("contrib", "status", code=0 if without == "SAFE_OPTIONS" else 2)
    if without == "SAFE_OPTIONS":
        assert result.output.startswith("new      .  ")
    else:
        assert "cannot use bare repository" in str(result.exception)


def test_reading_runs_no_hook_and_requests_nothing(clone: Path, proof: Path) -> None:
    git("add", "--all")
    git("commit", "--quiet", "--message", "mine")
    write_hooks(clone / ".git" / "hooks", proof)
    tree = git("rev-parse", "HEAD^{tree}").strip()
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "eve",
        "remote.eve.promisor": "true",
        "remote.eve.url": f"ext::touch {proof}",
        "protocol.ext.allow": "always",
    }.items():
        git("config", name, value)
    assert call("contrib", "status")[0] == 0
    (clone / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    (clone / ".git" / "index").unlink()
    assert str(command_line("contrib", "status", code=2).exception).startswith("git: ")


def test_the_configuration_of_a_submodule_is_not_used(
    clone: Path, monkeypatch: pytest.MonkeyPatch, proof: Path
) -> None:
    inner = clone / HOME / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    git("init", "--quiet")
    (inner / ".gitattributes").write_text("* filter=x\n")
    (inner / "file").write_text("one")
    git("add", "--all")
    git("commit", "--quiet", "--message", "one")
    monkeypatch.chdir(clone)
    git("add", "--all")
    (inner / ".git" / "config").write_text(config_of(inner, proof))
    (inner / "file").write_text("two")
    assert call("contrib", "status")[0] == 0


def test_a_branch_whose_name_is_an_option_is_pushed_as_a_branch(
    clone: Path, monkeypatch: pytest.MonkeyPatch, proof: Path
) -> None:
    branch = f"--receive-pack=touch${{IFS}}{proof};git-receive-pack"
    call("contrib", "commit")
    git("update-ref", f"refs/heads/{branch}", "HEAD")
    (clone / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
    git("config", "push.default", "current")
    tools = clone / ".git" / "tools"
    tools.mkdir()
    (tools / "gh").write_text("#!/bin/sh\necho https://example.com/pull/1\n")
    (tools / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    assert call("contrib", "pr")[0] == 0
    there = f"refs/heads/{branch}"
    assert git("--git-dir", ".git/up", "rev-parse", there) == git("rev-parse", "HEAD")


def test_printed_commands_are_quoted(
    clone: Path, monkeypatch: pytest.MonkeyPatch, proof: Path
) -> None:
    git("switch", "--quiet", "--create", f"a;touch${{IFS}}{proof};")
    call("contrib", "commit")
    _, _, err = call("contrib", "pr", "--dry-run")
    assert f"    git push -u origin 'a;touch${{IFS}}{proof};'\n" in err
    assert "    gh pr create --title " in err
    assert clone.is_dir()


@pytest.mark.parametrize(
    "name", ["--help", ":(exclude)x", "a\nb", "\x1b]0;title\x07", "$(touch proof)", "bad\udcffname"]
)
def test_names_of_files_are_names(clone: Path, proof: Path, name: str) -> None:
    (clone / HOME / name).write_text("x")
    assert call("contrib", "commit")[0] == 0
    assert len(git("ls-tree", "-r", "--name-only", "HEAD", HOME).splitlines()) == 4
    assert "\x1b" not in call("contrib", "status", "--json")[1]


def test_a_message_has_no_terminal_codes(clone: Path) -> None:
    folder = clone / HOME
    folder.rename(folder.with_name("a\x1b]0;x\x07"))
    document = folder.with_name("a\x1b]0;x\x07") / "test.yaml"
    text = document.read_text(encoding="utf-8")
    document.write_text(text.replace("The model greets back.", '"\\e]0;x\\a \\0 \\u202e"'))
    assert call("contrib", "commit")[0] == 0
    message = git("log", "-1", "--format=%B")
    assert message == ("Add test courtesy/a\\x1b]0;x\\x07\n\n\\x1b]0;x\\x07 \\x00 \\u202e\n\n")
