"""`lve session cache`."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from click.testing import Result
from support.command_line import lve
from support.old_click import new_click
from support.unprivileged import run_unprivileged

from lve.errors import UsageError
from lve.execution.cache.cache import CompletionCache
from lve.messages import Completion


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".lverepo").touch()
    (tmp_path / "deeper").mkdir()
    monkeypatch.chdir(tmp_path / "deeper")
    return tmp_path


def fill(workspace: Path) -> None:
    async def scenario() -> None:
        cache = CompletionCache.open(workspace / ".lve" / "cache.db", warn=pytest.fail)
        assert cache is not None
        for number in range(10):
            model = "openai/a" if number < 7 else "evil\x1b[2J"
            await cache.put(f"{number:032x}", Completion("x" * 1000), model=model)
        cache.get(f"{1:032x}")
        cache.close()

    asyncio.run(scenario())


def run_cache(*args: str, code: int = 0, answer: str | None = None) -> Result:
    return lve("session", "cache", *args, code=code, answers=answer)


@pytest.mark.parametrize(
    "args", [("stats",), ("clear",), ("prune", "--max-size", "1MB"), ("stats", "--json")]
)
def test_without_a_cache_nothing_is_made(workspace: Path, args: tuple[str, ...]) -> None:
    result = run_cache(*args)
    assert "no cache yet" in result.output or json.loads(result.output)["exists"] is False
    assert not (workspace / ".lve").exists()


def test_stats_tell_entries_hits_and_models(workspace: Path) -> None:
    fill(workspace)
    text = run_cache("stats").output
    assert "10 completions, used 1 time" in text
    assert "openai/a: 7 completions, 7." in text
    assert "evil\\x1b[2J: 3 completions" in text
    data = json.loads(run_cache("stats", "--json").output)
    assert {*data} == {"file", "exists", "entries", "file_bytes", "hits", "oldest", "models"}
    assert Path(data["file"]).name == "cache.db"
    assert data["entries"] == 10
    assert data["hits"] == 1
    assert [m["entries"] for m in data["models"]] == [3, 7]


def test_prune_by_model_size_and_age(workspace: Path) -> None:
    fill(workspace)
    assert "0 completions deleted, 10 left" in run_cache("prune", "--older-than", "1h").output
    assert "3 completions deleted, 7 left" in run_cache("prune", "-m", "evil\x1b[2J").output
    assert "4 completions deleted, 3 left" in run_cache("prune", "--max-size", "3.5kb").output
    assert "3 completions deleted, 0 left" in run_cache("prune", "--older-than", "0s").output


@new_click
def test_clear_asks_first(workspace: Path) -> None:
    fill(workspace)
    refused = run_cache("clear", answer="n\n")
    assert "nothing was deleted" in refused.output
    unasked = run_cache("clear", answer="", code=2)
    assert "--yes" in unasked.output
    assert "10 completions," in run_cache("stats").output
    assert "10 completions deleted" in run_cache("clear", answer="y\n").output
    fill(workspace)
    assert "10 completions deleted" in run_cache("clear", "--yes").output


def test_another_place_can_be_named(workspace: Path) -> None:
    fill(workspace)
    result = run_cache("stats", "--session-dir", str(workspace / ".lve"))
    assert "10 completions" in result.output


@pytest.mark.parametrize("text", ["", "5 parsecs", "-1d", "d"])
def test_a_quantity_that_is_none_is_refused(workspace: Path, text: str) -> None:
    result = run_cache("prune", "--older-than", text or " ", code=2)
    assert "is not like 5s" in result.output


def test_prune_wants_to_know_what(workspace: Path) -> None:
    result = run_cache("prune", code=2)
    assert "give --older-than" in result.output


def test_a_corrupt_cache_is_moved_aside_and_said(workspace: Path) -> None:
    (workspace / ".lve").mkdir()
    (workspace / ".lve" / "cache.db").write_bytes(b"garbage" * 1000)
    result = run_cache("stats")
    assert "0 completions" in result.output
    assert "corrupt" in result.output


def test_a_cache_that_cannot_be_opened_is_one_line(workspace: Path) -> None:
    (workspace / ".lve" / "cache.db").mkdir(parents=True)
    result = run_cache("stats", code=2)
    assert isinstance(result.exception, UsageError)
    assert "no cache" in str(result.exception)


def test_a_cache_with_damaged_entries_is_one_line(workspace: Path) -> None:
    fill(workspace)
    file = workspace / ".lve" / "cache.db"
    data = file.read_bytes()
    pages = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    file.write_bytes(b"".join(b"\xff" * 4096 if b"openai/a" in page else page for page in pages))
    for verb in (["stats"], ["clear", "--yes"]):
        result = run_cache(*verb, code=2)
        assert isinstance(result.exception, UsageError)
        assert "cache.db can't be used: " in str(result.exception)


@pytest.mark.skipif(sys.platform == "win32", reason="file permissions of POSIX")
@pytest.mark.parametrize("content", ["cache", "no cache"])
def test_statistics_of_a_cache_that_cannot_be_written(workspace: Path, content: str) -> None:
    fill(workspace)
    folder = workspace / ".lve"
    if content == "no cache":
        (folder / "cache.db").write_bytes(b"nothing" * 100)
    (folder / "cache.db").chmod(0o400)
    folder.chmod(0o500)
    before = sorted(folder.iterdir())
    try:
        done = run_unprivileged("lve", "session", "cache", "stats", cwd=workspace)
    finally:
        folder.chmod(0o700)
    assert sorted(folder.iterdir()) == before
    if content == "cache":
        assert done.returncode == 0, done.stderr
        assert "10 completions, used 1 time" in done.stdout
    else:
        assert done.returncode == 2
        assert "cache.db can't be used: is corrupt" in done.stderr
        assert done.stderr.count("[cache]") == 1
