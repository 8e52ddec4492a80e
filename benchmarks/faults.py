"""What survives a bad server and a killed process: correctness, not speed.

    python benchmarks/faults.py                    # everything
    python benchmarks/faults.py --kills 10 --n 500

* faults: N sums against a server that fails 20 % of all requests, once with every kind by itself,
  once with all of them: N correct verdicts, no error, nothing twice in the journal.
* kills: the run is killed (SIGKILL) at random moments and resumed until it ends: the results equal
  those of an uninterrupted run; none that was committed is asked for again. Each is said with the
  number of requests that the server had seen; one before the first request would test nothing. On
  Linux also where every request beyond N was (`killed.py`): with the server, not read, or read and
  not committed.
* interrupts: the same with Ctrl-C (SIGINT), which lets what is in flight finish: no request twice.
* full disk: the same with a disk (tmpfs) that is too small, made larger each time.
* budget: 200 connections, faults and streaming against a price: what the server has billed, torn
  answers included, never exceeds the cap.
* two processes: two runs on one cache at the same time, then both again without a request.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from killed import CAN_COUNT, Lost, kill
from run import workplace
from server import RunningServer, running_server

KINDS = ("429", "429nohdr", "500", "503", "reset", "hang", "truncated", "html", "empty", "null")
LVE = str(Path(sys.executable).with_name("lve"))
CONNECTIONS = 64


def start(test: Path, server: RunningServer, *options: str) -> subprocess.Popen[str]:
    """Start a run."""
    environment = {**os.environ, "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url}
    command = [LVE, "run", str(test), "-j", str(CONNECTIONS), *options]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the summary of a run that was started with `--json`, and its instances' lines."""
    out, err = process.communicate()
    if process.returncode not in (0, 6):
        raise SystemExit(f"exit code {process.returncode}: {err}")
    report: dict[str, Any] = json.loads(out)
    return report


def verdicts(report: dict[str, Any]) -> list[tuple[int, str]]:
    """Return line and verdict of every instance."""
    return sorted(
        (one["line"], one["verdict"]) for test in report["tests"] for one in test["instances"]
    )


def correct(n: int) -> list[tuple[int, str]]:
    """What comes out of an uninterrupted run."""
    return [(line, "passed") for line in range(1, n + 1)]


def faults(n: int, kinds: Sequence[str]) -> None:
    """Run against a server that fails every fifth request in these ways."""
    options = {"fail_rate": 0.2, "fail_kinds": ",".join(kinds)}
    with workplace(n) as test, running_server(latency_s=0.01, **options) as server:
        began = time.perf_counter()
        report = ended(start(test, server, "--json", "--timeout", "1"))
        seconds = time.perf_counter() - began
        is_right = verdicts(report) == correct(n)
        failed = sum(report["summary"]["failed_attempts"].values())
        print(
            f"| {', '.join(kinds)} | {'all correct' if is_right else 'WRONG'} | {failed} "
            f"| {server.stats()['requests']} | {seconds:.1f} |"
        )


def stops(n: int, times: int, signal_number: int) -> None:
    """Stop runs with a signal at random moments, and resume them, until so many have been hit."""
    rng = random.Random(1)
    runs = extra = 0
    hits: list[int] = []
    is_right = True
    lost = Lost()
    while len(hits) < times:
        with workplace(n) as test, running_server(latency_s=0.1) as server:
            here = Lost()
            most = times - len(hits)
            found = stop_until_ended(test, server, most, rng, signal_number, here)
            if not found:
                raise SystemExit(f"{n} instances are done before the first signal: use more (--n)")
            hits += found
            report = ended(start(test, server, *resumption(test), "--json"))
            is_right &= verdicts(report) == correct(n)
            extra += server.stats()["requests"] - n
            lost.add(here)
        runs += 1
    name = signal.Signals(signal_number).name
    state = "results as uninterrupted" if is_right else "WRONG"
    print(f"{times} x {name} in {runs} runs: {state}; {extra} requests more than {n} each")
    print(f"  after so many requests: {', '.join(map(str, hits))}")
    if signal_number == signal.SIGKILL and CAN_COUNT:
        print(where(lost, extra))


def stop_until_ended(
    test: Path,
    server: RunningServer,
    most: int,
    rng: random.Random,
    signal_number: int,
    lost: Lost,
) -> list[int]:
    """Stop and resume a run until it ends before its signal, or so many signals have hit it.

    Returns:
        For each signal that hit, how many requests the server had seen by then.
    """
    hits: list[int] = []
    while len(hits) < most:
        before = server.stats()["requests"]
        process = start(test, server, *resumption(test))
        if not has_asked(process, server, before):
            break
        time.sleep(rng.random() * 0.25)
        seen = server.stats()["requests"]
        if signal_number == signal.SIGKILL and CAN_COUNT:
            kill(process, server, sessions(test).with_name("cache.db"), lost)
        else:
            process.send_signal(signal_number)
            process.communicate()
        if process.returncode == 0:
            break
        hits.append(seen)
    return hits


def has_asked(process: subprocess.Popen[str], server: RunningServer, before: int) -> bool:
    """Wait for the first request of a process; return False if it ends without one."""
    while server.stats()["requests"] == before:
        if process.poll() is not None:
            process.communicate()
            return False
        time.sleep(0.002)
    return True


def resumption(test: Path) -> list[str]:
    """Return the option that goes on with a test's session, if it has one."""
    return ["--resume"] if list(sessions(test).glob("*/results.jsonl")) else []


def where(lost: Lost, extra: int) -> str:
    """Say where the requests beyond N were; what is left had been kept and was asked for again."""
    again = extra - lost.total()
    return (
        f"  at the kills {lost.in_flight} were with the server, {lost.unread} in sockets' buffers, "
        f"{lost.uncommitted} read and not committed; {again} unexplained{', WRONG' * bool(again)}"
    )


def sessions(test: Path) -> Path:
    """Return the folder of sessions of a test's workspace."""
    return test.parents[2] / ".lve" / "runs"


def full_disk(n: int) -> None:
    """Run on a disk that is too small, make it larger, resume, until it is large enough."""
    with workplace(n) as test, running_server() as server:
        disk = test.parents[2] / ".lve"
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)]
        if subprocess.run(mount, check=False, capture_output=True).returncode:
            print("full disk: not measured, no right to mount a tmpfs")
            return
        try:
            _fill_disk(n, test, server, disk)
        finally:
            subprocess.run(["umount", str(disk)], check=True)


def _fill_disk(n: int, test: Path, server: RunningServer, disk: Path) -> None:
    failures, said = 0, ""
    for size_k in (*range(200, 8000, 200), 64_000):
        grow = ["mount", "-o", f"remount,size={size_k}k", str(disk)]
        subprocess.run(grow, check=True)
        process = start(test, server, *resumption(test), "--json")
        out, err = process.communicate()
        if process.returncode == 0:
            break
        failures, said = failures + 1, err
        if "Traceback" in err or "unusable" in " ".join(path.name for path in disk.iterdir()):
            raise SystemExit(f"full disk: {err}")
    state = "results as on a large disk" if verdicts(json.loads(out)) == correct(n) else "WRONG"
    extra = server.stats()["requests"] - n
    print(
        f"full disk: {failures} runs ended with it; {state}; {extra} requests more than {n} "
        f"(under way: at most {failures * 2 * CONNECTIONS})\n  {said.strip()}"
    )


def budget(n: int) -> None:
    """Spend up to a cap, with 200 connections, faults and streaming."""
    options = {"fail_rate": 0.2, "fail_kinds": "429nohdr,500,503,reset,truncated,null"}
    price = "models: {openai/bench: {provider: openai, price: {input: 1000, output: 1000}}}\n"
    with workplace(n) as test, running_server(latency_s=0.02, **options) as server:
        (test.parents[2] / "lve.yaml").write_text(price, encoding="utf-8")
        for cap in (0.5, 5.0):
            more = ["--json", "--no-cache", "--stream", "-j", "200", "--max-cost", str(cap)]
            report = ended(start(test, server, *more))
            stats, done = server.stats(), report["summary"]["instances"]["total"]
            billed = (stats["prompt_tokens"] + stats["completion_tokens"]) / 1000
            server.reset()
            state = "within" if billed <= cap else "OVERSHOT"
            print(f"cap ${cap}: the server bills ${billed:.3f}, {state}; {done} of {n} instances")


def two_processes(n: int) -> None:
    """Run two processes on one cache, then both again."""
    with workplace(n) as test, running_server() as server:
        other = test.with_name("other")
        shutil.copytree(test, other)
        document = json.loads((other / "test.json").read_text(encoding="utf-8"))
        document["prompt"][0]["content"] = f"Please: {document['prompt'][0]['content']}"
        (other / "test.json").write_text(json.dumps(document), encoding="utf-8")
        for expected in (2 * n, 0):
            server.reset()
            both = [start(one, server, "--json") for one in (test, other)]
            is_right = all(verdicts(ended(process)) == correct(n) for process in both)
            requests = server.stats()["requests"]
            state = "all correct" if is_right and requests == expected else "WRONG"
            print(f"two processes on one cache: {state}, {requests} requests")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--skip-faults", action="store_true", help="Only what comes after them.")
    given = parser.parse_args()
    if not given.skip_faults:
        print("| every fifth request fails with | verdicts | failed attempts | requests | s |")
        print("|---|---|---|---|---|")
        for kinds in (*((kind,) for kind in KINDS), KINDS):
            faults(given.n, kinds)
        print()
    stops(given.n, given.kills, signal.SIGKILL)
    stops(given.n, given.kills, signal.SIGINT)
    full_disk(given.n)
    budget(given.n)
    two_processes(given.n)


if __name__ == "__main__":
    main()
