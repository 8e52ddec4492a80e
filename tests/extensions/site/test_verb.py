"""`lve site`."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_sums, write_test
from support.forked import python

from lve.errors import NoSessionError, UsageError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = workspace(tmp_path / "w")
    write_sums(root / "repository" / "numbers" / "sums", 4)
    monkeypatch.chdir(root)
    return root


def test_it_says_what_it_built_and_where(root: Path) -> None:
    code, out, err = call("site", "build", "repository", "-o", "site")
    assert (code, err) == (0, "")
    assert out.startswith("1 test in 3 files, 0.")
    assert out.endswith("MB: open site/index.html\n")
    assert (root / "site" / "tests" / "repository" / "numbers" / "sums.html").is_file()


def test_problems_are_told_and_the_site_is_built(root: Path) -> None:
    for number in range(12):
        write_test(root / "repository" / "a" / f"broken{number}", promt="?")
    code, out, err = call("site", "build", "repository", "-o", "site")
    assert code == 0
    assert out.startswith("1 test in")
    assert "repository/a/broken0/test.json:" in err
    assert "more problem" in err
    assert "12 tests without a page: `lve check` says what to do" in err


def test_results_of_a_session_are_shown(root: Path) -> None:
    write_test(root / "repository" / "hello")
    lve("run", "repository/hello", "--model", "dummy/dummy")
    assert call("site", "build", "repository", "-o", "site", "--session", "last")[0] == 0
    page = root / "site" / "tests" / "repository" / "hello.html"
    assert "dummy/dummy</th>" in page.read_text()
    with pytest.raises(NoSessionError):
        call("site", "build", "repository", "-o", "site", "--session", "20200101")
    assert page.is_file()


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_build_that_is_ended_leaves_nothing(root: Path, kind: signal.Signals) -> None:
    for number in range(300):
        write_test(root / "repository" / "many" / f"t{number}")
    command = [*python(), "-m", "lve", "site", "build", "repository", "-o", "site"]
    building = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not any(root.glob(".site-draft-*/tests/**/*.html")):
            assert building.poll() is None
        building.send_signal(kind)
        assert building.wait(20) == 128 + kind
    finally:
        building.kill()
        building.wait(20)
    assert not [*root.glob(".site-*"), *root.glob("site")]


def test_without_tests_nothing_is_made(root: Path) -> None:
    (root / "empty").mkdir()
    code, _, err = call("site", "build", "empty", "-o", "site")
    assert code == 5
    assert "no tests in empty" in err
    assert not (root / "site").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "repository/site"], "where tests are"),
        (["-o", "repository"], "has tests in it"),
        (["-o", "."], "has tests in it"),
        (["-o", "lve.yaml"], "is not a folder"),
        (["-o", "site", "--source-url", "javascript:alert(1)"], "is not an address like"),
        (["-o", "site", "--source-url", "https://"], "is not an address like"),
        (["-o", "site", "--source-url", "https://u:p@example.org"], "is not an address like"),
        (["-o", "site", "--source-url", "https://["], "is not an address like"),
    ],
)
def test_mistakes_are_one_sentence_and_leave_everything(
    root: Path, arguments: list[str], said: str
) -> None:
    before = sorted(root.rglob("*"))
    with pytest.raises(UsageError, match=said):
        call("site", "build", ".", *arguments)
    assert sorted(root.rglob("*")) == before


def test_it_can_be_built_again_and_its_own_pages_are_no_tests(root: Path) -> None:
    for _ in range(2):
        code, out, _ = call("site", "build", "-o", "site")
        assert code == 0
        assert out.startswith("1 test in 3 files")


def test_a_secret_of_the_environment_is_not_published(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    write_test(root / "repository" / "b" / "leaky", description="uses sk-very-secret-0123456789")
    (root / "repository" / "b" / "leaky" / "README.md").write_text("sk-very-secret-0123456789")
    call("site", "build", "repository", "-o", "site")
    for file in (root / "site").rglob("*.html"):
        assert "very-secret" not in file.read_text()
