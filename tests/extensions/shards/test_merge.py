"""One session of the sessions of all shards."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from extensions.shards.shards import change, run, shards, three_shards
from support.command_line import lve as command
from support.folders import workspace, write_sums, write_test
from support.forked import python
from support.same_reports import timeless_report

from lve.extensions.shards.verb import merge_shards
from lve.sessions.session_file import session_ids
from lve.sessions.session_folder import SessionFolder
from lve.verdicts.recorded_session import RecordedSession


def sample_tree(root: Path, chance: random.Random) -> Path:
    """Write tests with all kinds of expectations, and one that can't be used."""
    workspace(root)
    kinds: Sequence[Any] = (
        "pass",
        "fail",
        {"pass_rate": ">= 0.5", "max_repeats": 20},
        {"pass_rate": ">= 0.9", "max_repeats": 20},
        {"pass_rate": "<= 0.9", "claim": "population"},
    )
    for number in range(chance.randint(1, 5)):
        args = {"temperature": chance.choice([0, 1])}
        write_sums(
            root / f"t{number}",
            chance.randint(1, 40),
            expect=chance.choice(kinds),
            repeats=chance.choice([None, None, 2]),
            default_model_args=args,
        )
    if chance.random() < 0.5:
        write_test(root / "skipped", skip="not now")
    if chance.random() < 0.5:
        write_test(root / "wrong", checker_args={"checker_name": "Nonsense"})
    return root


def said(folder: SessionFolder) -> dict[str, Any]:
    """Return what a session says that doesn't depend on time."""
    info = folder.info()
    with RecordedSession.of(folder) as recorded:
        verdicts = {pair: tally.verdict() for pair, tally in recorded.summary.tallies.items()}
        results = [
            (one.test, one.source, one.line, one.repeat, one.verdict, one.reason)
            for one in recorded.results()
        ]
        now = recorded.summary.to_json()
    kept = {
        name: info.get(name)
        for name in ("summary", "spent", "spent_unrecorded", "options", "tests", "models", "status")
    }
    kept["options"] = {name: one for name, one in kept["options"].items() if name != "state"}
    return {**kept, "now": now, "verdicts": verdicts, "results": results}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(12))
def test_merged_shards_are_what_a_single_run_is(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = sample_tree(tmp_path / "tests", chance)
    total = chance.randint(1, 5)
    options = {} if chance.random() < 0.7 else {"limit": 7}
    single = run(root, tmp_path / "single", **options)
    parts = shards(root, tmp_path / "parts", total, **options)
    chance.shuffle(parts)
    merged = merge_shards(parts, tmp_path / "merged")
    assert said(merged) == said(single)
    assert timeless_report(merged.id, tmp_path / "merged") == timeless_report(
        single.id, tmp_path / "single"
    )


@pytest.fixture
def parts(tmp_path: Path) -> list[SessionFolder]:
    return three_shards(tmp_path)


def test_what_a_killed_merge_has_left_is_removed(
    parts: list[SessionFolder], tmp_path: Path
) -> None:
    place = tmp_path / "merged"
    left, fresh = place / "merging-20250101-000000-000-abcd", place / "merging-2"
    for folder in (left, fresh):
        folder.mkdir(parents=True, mode=0o700)
    place.chmod(0o700)
    os.utime(left, (0, 0))
    merge_shards(parts, place)
    assert not left.exists()
    assert fresh.exists(), "another merge may be under way"


def test_a_session_that_doesnt_say_when_it_ended_can_be_merged(
    parts: list[SessionFolder], tmp_path: Path
) -> None:
    ended = max(part.info()["ended"] for part in parts[:2])
    change(parts[2], ended=None, started="2020-01-01T00:00:00.000+00:00")
    info = merge_shards(parts, tmp_path / "merged").info()
    assert (info["started"][:4], info["ended"]) == ("2020", ended)


def test_a_shard_that_its_budget_stopped_is_merged_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path / "tests")
    write_sums(root / "sums", 30)
    state, args = tmp_path / "state", ("--model", "dummy/dummy", "--session-dir", "state")
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path)
    command("run", "tests", *args, "--shard", "1/2", "--max-requests", "3", code=6)
    command("run", "tests", *args, "--shard", "2/2", code=3)
    folders = [SessionFolder.find(state, name) for name in ("last", "last~1")]
    merged = merge_shards(folders, state)
    info = merged.info()
    assert info["status"] == "budget"
    assert info["unfinished"] == [{"test": "tests/sums", "model": "dummy/dummy"}]
    before = len([*merged.results()])
    assert before < 30
    done = command(
        "run", "--resume", merged.id, "--session-dir", "state", "--max-requests", "100", code=3
    )
    assert "30 rows" in done.stdout, done.output
    assert merged.info()["status"] == "complete"
    assert len([*merged.results()]) == 30


@pytest.mark.filterwarnings("ignore")
def test_shards_together_spend_no_more_than_the_budget_of_the_run(tmp_path: Path) -> None:
    root = workspace(tmp_path / "tests")
    write_sums(root / "sums", 60)
    (root / "lve.yaml").write_text("models: {adds: {price: {input: 1, output: 1}}}")
    most = 0.00039  # 60 instances of 8 tokens cost 0.00048
    parts = shards(root, tmp_path / "parts", 3, max_cost=most, model_args={"max_tokens": 1})
    merged = merge_shards(parts, tmp_path / "merged").info()
    assert merged["status"] == "budget"
    assert merged["options"]["max_cost"] == most
    costs = [part.info()["spent"]["cost"] for part in parts]
    assert merged["spent"]["cost"] == pytest.approx(sum(costs))
    assert all(0 < cost <= most / 3 for cost in costs)


_KILLED = """
import os, signal, sys
from pathlib import Path
from lve.extensions.shards.verb import merge_shards
from lve.sessions.session_folder import SessionFolder

calls = 0
WATCHED = ("shards/merge", "sessions/join_", "sessions/session_", "verdicts/recorded", "removal")
def merge_until(last):
    def count(frame, event, _):
        global calls
        calls += event == "call" and any(part in frame.f_code.co_filename for part in WATCHED)
        if calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(count)
    parts = [SessionFolder(Path(name)) for name in sys.argv[3:]]
    merge_shards(parts, Path(f"{sys.argv[1]}-{last}"))

for last in map(int, sys.argv[2].split(",")):
    child = os.fork()
    if not child:
        merge_until(last)
        os._exit(0)
    print(os.waitpid(child, 0)[1])
"""
"""Each merge in a process of its own, which begins with all that is imported."""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL")
def test_a_killed_merge_leaves_no_session_or_a_whole_one(
    parts: list[SessionFolder], tmp_path: Path
) -> None:
    whole = said(merge_shards(parts, tmp_path / "whole"))
    calls = ("30", "86", "144", "146", "150", "164", "185", "201", "236", "243", "244", "246")
    names = [str(part.path) for part in parts]
    script = [*python(), "-c", _KILLED, str(tmp_path / "killed"), ",".join(calls), *names]
    ended = subprocess.run(script, check=True, capture_output=True, text=True)
    codes = [os.waitstatus_to_exitcode(int(one)) for one in ended.stdout.split()]
    assert set(codes) <= {0, -signal.SIGKILL}
    assert codes[0] == -signal.SIGKILL
    for call in calls:
        place = tmp_path / f"killed-{call}"
        for name in session_ids(place):
            assert said(SessionFolder.find(place, name)) == whole
