"""What a whole `lve run` makes of bad luck: a full disk, a tight budget, a second process.

Interrupts, kills and faults of the server are in `test_run_interrupts.py`; the big versions of all
of them in `benchmarks/faults.py`.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.command_line import lve
from support.folders import workspace, write_sums
from support.forked import python
from support.server import ModelServer, model_server

from lve.execution.cache.sqlite import CacheStore
from lve.execution.cache.sqlite_file import CACHE_FILE
from lve.extensions.caching.contents import stats_of
from lve.sessions.journal.reading import read_journal

PRICE = "models: {openai/test: {price: {input: 1000, output: 2000}}}\n"
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as a full disk: an error, not a signal
sys.dont_write_bytecode = True  # Python would keep half of a compiled module
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv[:] = ["lve", *sys.argv[2:]]
from lve.cli.main import main
main()
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    return workspace(tmp_path, PRICE)


def run(server: ModelServer, *args: str, code: int = 0) -> Result:
    """Run the command in this process: where it is neither killed nor interrupted."""
    return lve("run", *args, "--base-url", server.url, code=code)


def start(
    root: Path, server: ModelServer, *args: str, file_limit: int | None = None
) -> subprocess.Popen[str]:
    command = ["-m", "lve"] if file_limit is None else ["-c", LIMITED, str(file_limit)]
    more = ["run", *args, "--base-url", server.url]
    return subprocess.Popen(
        [*python(), *command, *more],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_requests(server: ModelServer, count: int) -> None:
    ends = time.monotonic() + 20
    while len(server.requests) < count:
        assert time.monotonic() < ends
        time.sleep(0.002)


def lines_of_session(root: Path) -> list[int]:
    (session,) = (root / ".lve" / "runs").iterdir()
    return [result.line for result in read_journal(session / "results.jsonl")]


@pytest.mark.skipif(sys.platform == "win32", reason="no RLIMIT_FSIZE")
@pytest.mark.parametrize("limit", [20_000, 60_000])
def test_a_full_disk_is_a_clear_error_and_the_run_goes_on_later(root: Path, limit: int) -> None:
    # 20,000 bytes are too few for the journal, 60,000 for the cache.
    write_sums(root / "t", 400)
    with model_server() as server:
        process = start(root, server, "t", "--model", "openai/test", "-j", "8", file_limit=limit)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 3, out + err
        assert "can't be written" in err
        assert "--resume" in err
        assert "Traceback" not in err
        kept = lines_of_session(root)
        asked = len(server.requests)
        assert len(set(kept)) == len(kept) < 400

        resumed = run(server, "--resume", "--json")
        assert not list((root / ".lve").glob("*unusable*"))
        # Asked for again: what was under way, and what couldn't be kept (2 workers per place).
        assert len(server.requests) - 400 <= asked - len(kept) <= 3 * 8
    (test,) = json.loads(resumed.stdout)["tests"]
    assert sorted((one["line"], one["verdict"]) for one in test["instances"]) == [
        (line, "passed") for line in range(1, 401)
    ]


@pytest.mark.parametrize("stream", [[], ["--stream"]], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("cap", "spent"),
    [
        (["--max-cost", "3"], lambda s: s["prompt_tokens"] / 1000 + s["completion_tokens"] / 500),
        (
            ["--max-tokens-total", "3000"],
            lambda s: s["prompt_tokens"] + s["completion_tokens"],
        ),
        (["--max-requests", "150"], lambda s: s["requests"]),
    ],
    ids=["cost", "tokens", "requests"],
)
def test_what_the_server_bills_never_exceeds_a_cap(
    root: Path, cap: list[str], spent: Any, stream: list[str]
) -> None:
    write_sums(root / "t", 300, default_model_args={"max_tokens": 4})
    kinds = ("429nohdr", "500", "reset", "truncated", "null")
    with model_server(fail_rate=0.2, fail_kinds=kinds, latency_s=0.002) as server:
        more = ["-j", "200", "--no-cache", *cap, *stream]
        run(server, "t", "--model", "openai/test", *more, code=6)
        billed = spent(server.stats())
    assert 0 < billed <= float(cap[1])


def test_two_runs_at_once_share_a_cache(root: Path) -> None:
    write_sums(root / "t", 200)
    write_sums(root / "u", 200, prompt=[{"role": "user", "content": "Please: Compute {a} + {b}"}])
    with model_server(latency_s=0.002) as server:
        both = [start(root, server, t, "--model", "openai/test") for t in ("t", "u")]
        for process in both:
            out, err = process.communicate(timeout=30)
            assert process.returncode == 0, out + err
            assert err == ""
        assert len(server.requests) == 400
        for test in ("t", "u"):
            assert run(server, test, "--model", "openai/test").stderr == ""
        assert len(server.requests) == 400, "nothing is asked for twice"
    store = CacheStore(root / ".lve" / CACHE_FILE)
    assert stats_of(store.path).entries == 400
    store.close()


@pytest.mark.parametrize("stop", ["budget", "kill"])
def test_a_budget_is_one_for_the_whole_session(root: Path, stop: str) -> None:
    write_sums(root / "t", 40)
    with model_server(latency_s=0.01) as server:
        process = start(
            root, server, "t", "--model", "openai/test", "-j", "4", "--max-requests", "20"
        )
        if stop == "kill":
            wait_for_requests(server, 12)
            process.kill()
        process.communicate(timeout=30)
        for cap, asked in ((20, 20), (20, 20), (30, 30)):
            resumed = run(server, "--resume", "-j", "4", "--max-requests", str(cap), code=6)
            assert f"of {cap} requests spent" in resumed.stdout
            # Nobody counted what was under way at the kill.
            assert 0 <= len(server.requests) - asked <= (8 if stop == "kill" else 0)


def test_failed_attempts_of_earlier_runs_still_count_when_a_later_one_is_killed(root: Path) -> None:
    write_sums(root / "t", 60)
    with model_server(latency_s=0.01, fail_rate=0.5, fail_kinds=["400"]) as server:
        first = ["t", "--model", "openai/test", "-j", "1", "--max-requests", "20"]
        run(server, *first, code=6)
        assert server.stats()["failures"]["400"] >= 8
        second = start(root, server, "--resume", "-j", "1", "--max-requests", "999")
        server.behaviour.fail_rate = 0
        wait_for_requests(server, 28)
        second.kill()
        second.communicate(timeout=30)
        asked = len(server.requests)
        run(server, "--resume", "-j", "1", "--max-requests", str(asked), code=6)
        # Nobody counted what was under way at the kill.
        assert len(server.requests) - asked <= 2


def test_a_cap_that_comes_later_counts_what_was_spent_without_one(root: Path) -> None:
    write_sums(root / "t", 40)
    with model_server(latency_s=0.01) as server:
        process = start(root, server, "t", "--model", "openai/test", "-j", "4")
        wait_for_requests(server, 20)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        asked = len(server.requests)
        assert asked < 40
        resumed = run(server, "--resume", "--max-requests", "10", code=6)
        assert f"{asked} of 10 requests spent" in resumed.stdout, resumed.output
        assert len(server.requests) == asked
        # A request took about 10 tokens.
        more = ["--resume", "--max-requests", "100", "--max-cost", "0.0001"]
        resumed = run(server, *more, code=6)
        assert "of $0.0001" in resumed.stdout, resumed.output
        assert len(server.requests) == asked


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_third_interrupt_is_as_good_as_two(root: Path) -> None:
    write_sums(root / "t", 40)
    with model_server(latency_s=0.5) as server:
        process = start(root, server, "t", "--model", "openai/test", "-j", "4")
        wait_for_requests(server, 4)
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(0.001)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "lve run --resume" in out


@pytest.mark.parametrize(
    ("limit", "args", "expected"),
    [(70, [], 70), (3, [], 3), (70, ["-j", "9"], 9), (3, ["-j", "9"], 3)],
)
def test_the_settings_say_how_many_connections_a_model_has(
    root: Path, limit: int, args: list[str], expected: int
) -> None:
    settings = f"models: {{openai/test: {{max_connections: {limit}}}}}\n"
    (root / "lve.yaml").write_text(settings, encoding="utf-8")
    write_sums(root / "t", 2 * expected)
    # The latency leaves time for one more than are allowed.
    with model_server(hold_until=expected, latency_s=0.1) as server:
        run(server, "t", "--model", "openai/test", *args)
        assert server.state.max_in_flight == expected


@pytest.mark.parametrize("form", ["--json", "--jsonl", "-q"])
def test_every_report_says_how_to_go_on(root: Path, form: str) -> None:
    write_sums(root / "t", 10)
    with model_server() as server:
        result = run(server, "t", "--model", "openai/test", "--max-requests", "3", form, code=6)
    (session,) = (root / ".lve" / "runs").iterdir()
    hint = f"lve run --resume {session.name} --base-url {server.url} --max-requests N"
    assert hint in (result.stdout if form == "-q" else result.stderr)


def test_a_test_that_changed_before_its_session_was_resumed_is_told(root: Path) -> None:
    write_sums(root / "t", 10)
    write_sums(root / "u", 10)
    with model_server() as server:
        args = ["t", "u", "--model", "openai/test", "--max-requests"]
        run(server, *args, "3", code=6)
        write_sums(root / "t", 10, description="adds numbers")
        err = run(server, "--resume", "--max-requests", "99").stderr
    assert err.count("has changed since the session began") == 1
    assert "t has changed since the session began (document)" in err
