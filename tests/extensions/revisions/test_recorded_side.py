"""Instances that were recorded at a git revision."""

from __future__ import annotations

import gc
import json
import os
import random
import stat
import subprocess
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import workspace, write_test

from lve.errors import UsageError
from lve.extensions.revisions.recorded_side import RecordedSide
from lve.spec.settings_file import load_workspace

pytest.importorskip("dulwich")
NAMES = "ABCDEFGH"


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)


def recorded(name: str, *, passed: bool = True, **said: Any) -> dict[str, Any]:
    return {
        "args": {"name": name},
        "response": f"Hello, {name}!" if passed else "Go away!",
        "passed": passed,
        "run_info": {"source": "model", "model": "good", **said},
    }


def write(root: Path, instances: list[dict[str, Any]], **document: Any) -> None:
    write_test(
        root / "deep" / "t",
        model=None,
        prompt=[{"content": "Greet {name}."}],
        prompt_parameters=["name"],
        instances=instances,
        **document,
    )


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in a checkout, with eight recorded instances."""
    answers = {"good": "Hello!", "bad": "Go away!"}
    models = {
        name: {"provider": "scripted", "options": {"answers": {"default": text}}}
        for name, text in answers.items()
    }
    root = workspace(tmp_path / "checkout" / "inner", json.dumps({"models": models}))
    write(root, [recorded(name) for name in NAMES])
    git(root.parent, "init", "-b", "main")
    git(root.parent, "add", ".")
    git(root.parent, "commit", "-m", "one")
    monkeypatch.chdir(root)
    return root


def side(root: Path, revision: str = "HEAD") -> RecordedSide:
    return RecordedSide(revision, load_workspace(root), warn=print)


def test_recorded_verdicts_are_compared_with_a_session(root: Path) -> None:
    lve("run", "deep", "--model", "good")
    result = lve("compare", "git:HEAD", "last", "--gate")
    assert "before: recorded answers at HEAD (" in result.stdout
    lve("run", "deep", "--model", "bad", code=1)
    result = lve("compare", "git:main", "last", "--gate", "--models", "good", "bad", code=1)
    assert "answer: [-Hello, A-]{+Go away+}!" in result.stdout
    assert "changed: model (good → bad)" in result.stdout


def test_two_revisions_are_compared(root: Path) -> None:
    write(root, [recorded(name, passed=name > "F") for name in NAMES], description="new")
    git(root, "commit", "-am", "two")
    result = lve("compare", "git:HEAD~1", "git:HEAD")
    assert "8 pairs: 6 broken, 0 fixed" in result.stdout
    assert "changed: document" in result.stdout
    for name in ("HEAD^", "main~1", "HEAD~1^0"):
        assert "8 pairs: 6 broken" in lve("compare", f"git:{name}", "git:HEAD").stdout


def test_what_people_wrote_is_no_earlier_result(root: Path) -> None:
    mixed = [recorded(name, **({"source": "handwritten"} if name < "F" else {})) for name in NAMES]
    write(root, mixed)
    git(root, "commit", "-am", "two")
    lve("run", "deep", "--model", "bad", code=1)
    result = lve("compare", "git:HEAD", "last", "--models", "good", "bad", "--gate", code=1)
    assert "left out: 5 answers that people wrote, not a model" in result.stdout
    assert "3 pairs: 3 broken, 0 fixed" in result.stdout


def test_recorded_verdicts_are_compared_with_their_replay(root: Path) -> None:
    checker = {"checker_name": "RegexChecker", "pattern": "Bye", "match_safe": True}
    write(root, [recorded(name) for name in NAMES], checker_args=checker)
    lve("run", "deep", "--model", "replay", code=1)
    result = lve("compare", "git:HEAD", "last", "--gate", code=1)
    assert "the same answer: Hello, A!" in result.stdout


def test_recorded_repeats_are_of_one_row_at_both_sides(root: Path) -> None:
    by_hand = recorded("A", source="handwritten")
    write(root, [by_hand, *(recorded(name) for name in "AABA")])
    git(root, "commit", "-am", "two")
    lve("run", "deep", "--model", "replay", "--json")
    result = lve("compare", "git:HEAD", "last")
    assert "with 2 rows" in result.stdout, result.stdout
    assert "1 new" in result.stdout, "what people wrote"
    assert {row.repeat for row in side(root).rows()} == {0, 1, 2, 3}


def test_instances_without_a_verdict_and_damaged_ones_are_left_out(root: Path) -> None:
    place = root / "deep" / "t" / "instances" / "main.jsonl"
    lines = [{"args": {"name": "Z"}}, {"args": 1}, recorded("A")]
    place.write_text("".join(json.dumps(line) + "\n" for line in lines) + "{broken\n")
    git(root, "commit", "-am", "two")
    told: list[str] = []
    found = RecordedSide("HEAD", load_workspace(root), warn=told.append)
    assert [(row.line, row.model) for row in found.rows()] == [(3, "good")]
    assert told == ["git:HEAD: 2 recorded answers can't be read [left_out]"]


@pytest.mark.parametrize("revision", ["nothing", "HEAD~9", "HEAD^7", "HEAD~99999", "", "~1", "\0"])
def test_a_revision_that_is_none_is_one_sentence(root: Path, revision: str) -> None:
    with pytest.raises(UsageError, match="git has no revision"):
        side(root, revision)


def test_a_folder_that_is_no_checkout_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is in no git repository"):
        side(workspace(tmp_path / "plain"))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("suffix", ["idx", "pack", "packed-refs", "HEAD"])
def test_a_damaged_repository_is_one_sentence(root: Path, suffix: str) -> None:
    folder = root.parent / ".git"
    git(root.parent, "gc", "--quiet")
    places = [*folder.glob("*"), *(folder / "objects" / "pack").glob("*")]
    (file,) = (one for one in places if one.name.endswith(suffix) and "ORIG" not in one.name)
    file.chmod(0o644)
    content = file.read_bytes()
    chance = random.Random(0)
    errors = 0
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(3):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        file.write_bytes(damaged)
        try:
            list(side(root).rows())
        except UsageError:
            errors += 1
    assert errors
    gc.collect()  # dulwich warns of the files that it couldn't close


def test_the_time_of_a_commit_may_be_anything(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "@9999999999999 +0000")
    git(root.parent, "commit", "--allow-empty", "-m", "two")
    assert side(root).facts.started.startswith("9999-12-31")


def test_only_files_are_read(root: Path) -> None:
    """Links, folders and submodules with the names of files are none."""
    folder = root / "deep" / "t" / "instances"
    (folder / "link.jsonl").symlink_to("main.jsonl")
    (folder / "folder.jsonl").mkdir()
    (folder / "folder.jsonl" / "a").touch()
    git(root, "add", ".")
    submodule = f"160000,{'1' * 40},inner/deep/t/instances/submodule.jsonl"
    git(root.parent, "update-index", "--add", "--cacheinfo", submodule)
    git(root, "commit", "-m", "two")
    assert {row.source for row in side(root).rows()} == {"instances/main.jsonl"}


@pytest.mark.parametrize("is_packed", [False, True], ids=["loose", "packed"])
def test_a_file_that_is_too_large_is_refused_before_it_is_read(
    root: Path, monkeypatch: pytest.MonkeyPatch, is_packed: bool
) -> None:
    file = root / "deep" / "t" / "instances" / "main.jsonl"
    with file.open("a") as content:
        content.truncate(150_000_000)
    git(root, "commit", "-am", "two")
    if is_packed:
        git(root, "gc", "--quiet")
    tracemalloc.start()
    try:
        with pytest.raises(UsageError) as refused:
            side(root)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
    assert str(refused.value) == (
        "inner/deep/t/instances/main.jsonl is too large: 150,000,000 bytes (at most 100,000,000)"
    )
    for module in ("recorded_side", "revision_files"):
        monkeypatch.setattr(f"lve.extensions.revisions.{module}.MAX_FILE_BYTES", 150_000_000)
    side(root)


def test_whatever_is_too_large_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.revisions.recorded_side.MAX_FILE_BYTES", 5_000)
    git(root, "commit", "--allow-empty", "-m", "x" * 5_000)
    with pytest.raises(UsageError, match=r"object [0-9a-f]{40} is too large: 5,\d\d\d bytes"):
        side(root)


def test_folders_that_stand_for_many_are_looked_through_once(root: Path) -> None:
    """Ten folders, each with the next one ten times, stand for 10,000 million."""
    from dulwich.objects import Commit, Tree
    from dulwich.repo import Repo

    with closing(Repo(root.parent)) as repository:
        inner = Tree()
        for _ in range(10):
            repository.object_store.add_object(inner)
            outer = Tree()
            for number in range(10):
                outer.add(b"%d" % number, stat.S_IFDIR, inner.id)
            inner = outer
        repository.object_store.add_object(inner)
        commit = Commit()
        commit.tree, commit.message = inner.id, b"bomb"
        commit.author = commit.committer = b"x <x@x>"
        commit.author_time = commit.commit_time = 0
        commit.author_timezone = commit.commit_timezone = 0
        repository.object_store.add_object(commit)
    assert not list(side(root, commit.id.decode()).rows())


@pytest.mark.parametrize(
    "file",
    ["HEAD", "config", "packed-refs", "commondir", "refs/heads/main", "objects/info/alternates"],
)
def test_a_pipe_in_a_repository_is_not_waited_for(root: Path, file: str) -> None:
    path = root.parent / ".git" / file
    path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    with pytest.raises(UsageError, match="repository"):
        side(root, "main")


def test_repositories_that_name_each_other_are_not_read(root: Path) -> None:
    path = root.parent / ".git" / "objects" / "info" / "alternates"
    path.parent.mkdir(exist_ok=True)
    path.write_text("../objects\n" * 2)
    with pytest.raises(UsageError, match="alternates isn't as git makes it"):
        side(root, "main")


def test_no_program_of_the_repository_runs(root: Path) -> None:
    """A filter and a hook that its configuration names would leave a file."""
    (root.parent / ".gitattributes").write_text("* filter=evil\n")
    config = root.parent / ".git" / "config"
    evil = f"touch {root / 'ran'}"
    config.write_text(
        config.read_text()
        + f'[filter "evil"]\n\tsmudge = {evil}\n\tclean = {evil}\n[core]\n\tfsmonitor = {evil}\n'
    )
    assert len(list(side(root).rows())) == len(NAMES)
    assert not (root / "ran").exists()


def test_where_people_wrote_all_answers_nothing_is_compared(root: Path) -> None:
    write(root, [recorded(name, source="handwritten") for name in NAMES])
    git(root, "commit", "-am", "two")
    lve("run", "deep", "--model", "bad", code=1)
    result = lve("compare", "git:HEAD", "last", "--gate", code=2)
    said = "recorded answers at HEAD: there is no result of a model: people wrote 8 answers"
    assert isinstance(result.exception, UsageError)
    assert str(result.exception) == said


def test_answers_of_variants_are_results_of_variants(root: Path) -> None:
    answers = recorded("Ana"), recorded("Ana", passed=False)
    write(root, [{**one, "variant": name} for one, name in zip(answers, "ab", strict=True)])
    git(root, "commit", "-qam", "variants")
    rows = {(row.test, row.repeat): row.verdict for row in side(root).rows()}
    (test,) = {name.rpartition("@")[0] for name, _ in rows}
    assert rows == {(f"{test}@a", 0): 1, (f"{test}@b", 0): 0}
    assert {f"{test}@a", f"{test}@b"} <= side(root).facts.sums.keys()
