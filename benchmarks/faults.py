"""What survives a bad server and a killed process: correctness, not speed.

    python benchmarks/faults.py                    # everything
    python benchmarks/faults.py --kills 10 --n 500

* faults: N sums against a server that fails 20 % of all requests, once with every kind by itself,
  once with all of them: N correct verdicts, no error, nothing twice in the journal.
* kills: the run is killed (SIGKILL) at random moments and resumed until it ends: the results equal
  those of an uninterrupted run; requests beyond N are those that were in flight at the kills.
* budget: 200 connections, faults and streaming against a price: what the server has billed never
  exceeds the cap.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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


def kills(n: int, times: int) -> None:
    """Kill a run at random moments and resume it."""
    rng = random.Random(1)
    with workplace(n) as test, running_server(latency_s=0.02) as server:
        process = start(test, server)
        for _ in range(times):
            time.sleep(0.3 + rng.random() * 0.12)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            resume = ["--resume"] if list((test.parents[2] / ".lve" / "runs").glob("*/*")) else []
            process = start(test, server, *resume)
        process.communicate()
        report = ended(start(test, server, "--resume", "--json"))
        extra = server.stats()["requests"] - n
        is_right = verdicts(report) == correct(n)
        print(
            f"{times} kills: {'results as uninterrupted' if is_right else 'WRONG'}; {extra} "
            f"requests more than {n} (in flight at the kills: at most {times * CONNECTIONS})"
        )


def budget(n: int) -> None:
    """Spend up to a cap, with 200 connections, faults and streaming."""
    options = {"fail_rate": 0.2, "fail_kinds": "429nohdr,500,503"}
    price = "models: {openai/bench: {provider: openai, price: {input: 1000, output: 1000}}}\n"
    with workplace(n) as test, running_server(latency_s=0.02, **options) as server:
        (test.parents[2] / "lve.yaml").write_text(price, encoding="utf-8")
        for cap in (0.5, 5.0):
            more = ["--json", "--no-cache", "--stream", "-j", "200", "--max-cost", str(cap)]
            report = ended(start(test, server, *more))
            cost, done = report["summary"]["cost"], report["summary"]["instances"]["total"]
            state = "within" if cost <= cap else "OVERSHOT"
            print(f"cap ${cap}: ${cost:.4f} spent, {state}; {done} of {n} instances")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    given = parser.parse_args()
    print("| every fifth request fails with | verdicts | failed attempts | requests | s |")
    print("|---|---|---|---|---|")
    for kinds in (*((kind,) for kind in KINDS), KINDS):
        faults(given.n, kinds)
    print()
    kills(given.n, given.kills)
    budget(given.n)


if __name__ == "__main__":
    main()
