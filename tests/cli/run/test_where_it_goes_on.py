"""The command that continues a session names what finds the session again, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.folders import workspace, write_sums
from support.run_command import Run, at
from support.server import ModelServer

from lve.cli.run import session
from lve.cli.run.command_options import RunRequest


@pytest.mark.parametrize(
    ("place", "typed", "again"),
    [
        (".", ["t"], []),
        (".", [], []),
        ("t", [], []),
        (".", ["t", "../far/u"], ["t", "../far/u"]),
        (".", ["t", "u"], []),
        ("..", ["w/t"], ["w/t"]),
        ("..", ["w/t", "w/u"], ["w/t"]),
        ("..", ["w/t", "far/u"], ["w/t", "far/u"]),
        ("../far", ["../w/t", "../w/u"], ["../w/t"]),
    ],
)
@pytest.mark.parametrize("session_dir", [None, "kept"])
def test_paths_are_named_where_the_session_is_not_found_without_them(
    tmp_path: Path,
    run: Run,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    typed: list[str],
    again: list[str],
    session_dir: str | None,
) -> None:
    (tmp_path / "lve.yaml").unlink()
    root = workspace(tmp_path / "w")
    for folder in (root / "t", root / "u", tmp_path / "far" / "u"):
        write_sums(folder, 3)
    monkeypatch.chdir(root / place)
    kept = [] if session_dir is None else ["--session-dir", str(tmp_path / session_dir)]
    result = run(*typed, *at(server), *kept, "--max-requests", "2", "--no-cache", code=6)
    [hint] = [line for line in result.stdout.splitlines() if "go on with a higher" in line]
    words = hint.partition("lve run --resume ")[2].partition(" --base-url")[0].split()[1:]
    assert words[: len(again)] == again
    option, *shown = words[len(again) :] or [None]
    assert option == (kept[0] if kept else None)
    assert [Path(path).resolve() for path in shown] == [Path(path) for path in kept[1:]]


@pytest.mark.parametrize(
    ("form", "detail", "shows"),
    [
        ("text", "verbose", True),
        ("text", "normal", False),
        ("text", "quiet", False),
        ("jsonl", "normal", True),
        ("jsonl", "quiet", True),
        ("json", "normal", False),
        ("json", "verbose", False),
    ],
)
def test_what_prints_instances_meanwhile(form: str, detail: str, shows: bool) -> None:
    request = RunRequest(("t",), {}, format=form, detail=detail)  # type: ignore[arg-type]
    assert session._has_instances(request) is shows
