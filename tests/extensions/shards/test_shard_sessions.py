"""Which sessions are the shards of one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extensions.shards.shards import change, refusal, run, three_shards
from support.folders import workspace, write_sums

from lve.extensions.shards.verb import merge_shards
from lve.sessions.session_folder import SessionFolder


@pytest.fixture
def parts(tmp_path: Path) -> list[SessionFolder]:
    return three_shards(tmp_path)


def test_a_missing_shard_is_named(parts: list[SessionFolder], tmp_path: Path) -> None:
    assert "missing: shard 2/3. Run it with" in refusal([parts[0], parts[2]], tmp_path / "merged")


def test_a_shard_that_is_there_twice_is_named(parts: list[SessionFolder], tmp_path: Path) -> None:
    told = refusal([*parts, parts[1]], tmp_path / "merged")
    assert "shard 2/3 occurs twice" in told


def test_no_session_is_no_run(tmp_path: Path) -> None:
    assert "which sessions" in refusal([], tmp_path / "merged")


def test_what_is_no_shard_is_refused(parts: list[SessionFolder], tmp_path: Path) -> None:
    single = run(tmp_path / "tests", tmp_path / "single")
    assert "isn't a shard" in refusal([*parts[:2], single], tmp_path / "merged")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"models": ["other"]}, "differ in models"),
        ({"tests": {}}, "differ in tests"),
        ({"roles": {"judge": "x/y"}}, "differ in roles"),
        ({"versions": {"lve": "0.0.1"}}, "differ in the version of lve"),
        ({"options": {"shard": "2/4"}}, "differ in the number of shards"),
        ({"options": {"shard": "2/3", "limit": 4}}, "the option limit"),
        ({"status": "running"}, "hasn't ended"),
        ({"version": 7}, "has format 7"),
    ],
)
def test_sessions_of_different_runs_are_refused(
    parts: list[SessionFolder], tmp_path: Path, fields: dict[str, Any], told: str
) -> None:
    change(parts[1], **fields)
    assert told in refusal(parts, tmp_path / "merged")


def test_a_changed_test_is_another_run(parts: list[SessionFolder], tmp_path: Path) -> None:
    write_sums(tmp_path / "tests" / "sums", 31)
    again = run(tmp_path / "tests", tmp_path / "state", "2/3")
    told = refusal([parts[0], again, parts[2]], tmp_path / "merged")
    assert "aren't parts of one run: they differ in tests" in told


def test_results_that_two_shards_have_are_refused(
    parts: list[SessionFolder], tmp_path: Path
) -> None:
    parts[1].results_file.write_bytes(parts[0].results_file.read_bytes())
    assert "both have sums, instances/main.jsonl:" in refusal(parts, tmp_path / "merged")


def test_damaged_results_are_refused(parts: list[SessionFolder], tmp_path: Path) -> None:
    with parts[1].results_file.open("ab") as file:
        file.write(b"nonsense\n")
    told = refusal(parts, tmp_path / "merged")
    assert "1 damaged line" in told
    assert "run shard 2/3 again" in told


def test_a_part_of_a_shard_is_refused(parts: list[SessionFolder], tmp_path: Path) -> None:
    lines = parts[1].results_file.read_bytes().splitlines(keepends=True)
    parts[1].results_file.write_bytes(b"".join(lines[:-2]))
    told = refusal(parts, tmp_path / "merged")
    assert f"has {len(lines) - 2} of its {len(lines)} results; " in told
    assert "copy the whole folder, or run shard 2/3 again" in told


@pytest.mark.parametrize(
    ("settings", "is_refused"),
    [
        ("models: {adds: {args: {temperature: 1}}}", True),
        ("caps: {repeats: 3}", True),
        ("models: {adds: {base_url: 'http://localhost:1', max_connections: 3}}", False),
    ],
)
def test_settings_that_decide_results_are_the_same_for_all_shards(
    tmp_path: Path, settings: str, is_refused: bool
) -> None:
    root = workspace(tmp_path / "tests")
    write_sums(root / "sums", 30)
    (root / "lve.yaml").write_text("models: {adds: {args: {}}}")
    first = run(root, tmp_path / "state", "1/2")
    (root / "lve.yaml").write_text(settings)
    parts = [first, run(root, tmp_path / "state", "2/2")]
    if is_refused:
        assert "what the settings say of models" in refusal(parts, tmp_path / "merged")
    else:
        assert "settings" not in merge_shards(parts, tmp_path / "merged").info()


def test_damaged_tests_are_refused(parts: list[SessionFolder], tmp_path: Path) -> None:
    with (parts[1].path / "tests.jsonl").open("ab") as file:
        file.write(b"nonsense\n")
    assert "1 damaged line" in refusal(parts, tmp_path / "merged")


def test_what_a_session_knows_of_its_tests_must_be_there(
    parts: list[SessionFolder], tmp_path: Path
) -> None:
    (parts[1].path / "tests.jsonl").unlink()
    told = refusal(parts, tmp_path / "merged")
    assert "tests.jsonl doesn't say what sums expects" in told


def test_a_link_in_the_place_of_a_journal_is_refused(
    parts: list[SessionFolder], tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    parts[1].results_file.unlink()
    parts[1].results_file.symlink_to(secret)
    refusal(parts, tmp_path / "merged")


def test_a_model_of_several_versions_is_told(parts: list[SessionFolder], tmp_path: Path) -> None:
    summary = {**parts[1].info()["summary"], "served_models": {"adds": ["adds-2"]}}
    change(parts[1], summary=summary)
    told: list[str] = []
    merge_shards(parts, tmp_path / "merged", warn=told.append)
    assert told == [
        "adds was served as adds in shard 1/3, adds-2 in shard 2/3: "
        "the merged rates are those of a mixture"
    ]


@pytest.mark.parametrize(
    "summary",
    [
        None,
        {},
        {"instances": [], "served_models": "x"},
        {"instances": {"total": "many"}, "served_models": {"adds": 3}},
    ],
)
def test_a_forged_summary_is_no_crash(
    parts: list[SessionFolder], tmp_path: Path, summary: Any
) -> None:
    change(parts[1], summary=summary)
    told: list[str] = []
    merge_shards(parts, tmp_path / "merged", warn=told.append)
    assert told == []
