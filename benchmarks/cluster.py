"""Compares a run on a Ray cluster of this machine with a run in one process.

    python benchmarks/cluster.py checker|models|latency [--turns N]

`checker`: recorded answers whose checker computes for 50 ms. `models`: a model of 30 million
parameters on one thread, then two replicas of it. `latency`: a server that takes 50 ms, 64
connections. Runs alternate. A run's time is that between its first and its last result, since the
start of Ray (3 to 4 s) is paid once; the time of the whole command stands beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from server import running_server

HERE = Path(__file__).parent
CHECKER = """
import time
from lve import Verdict

class Busy:
    def check(self, context):
        until = time.thread_time() + 0.05
        n = 0
        while time.thread_time() < until:
            for _ in range(1000):
                n += 1
        return Verdict("passed", str(len(context.response)))
"""


class Timed(NamedTuple):
    """How long a run took."""

    results_s: float
    """From its first result to its last one."""
    whole_s: float
    instances: int


def write_tests(root: Path, what: str, number: int) -> None:
    """Write a workspace with one test."""
    folder = root / "t"
    (folder / "instances").mkdir(parents=True)
    (root / ".lverepo").touch()
    checker = {"checker_name": "Busy"} if what == "checker" else {"contains": ""}
    document: dict[str, Any] = {
        "description": "d",
        "model": "replay",
        "prompt": [{"role": "user", "content": "Count from {n}."}],
        "prompt_parameters": ["n"],
        **({"checker_args": checker} if what == "checker" else {"check": {"min_characters": 0}}),
    }
    (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
    lines = (json.dumps({"args": {"n": n}, "response": "one"}) + "\n" for n in range(number))
    (folder / "instances" / "main.jsonl").write_text("".join(lines), encoding="utf-8")
    if what == "checker":
        (folder / "checker").mkdir()
        (folder / "checker" / "checker.py").write_text(CHECKER, encoding="utf-8")


def timed(root: Path, options: list[str]) -> Timed:
    """Run the test once."""
    command = [sys.executable, "-m", "lve", "run", "t", "--trust", "--jsonl", "--no-cache"]
    variables = {**os.environ, "OMP_NUM_THREADS": "1", "BENCH_KEY": "none"}
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, *options],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=variables,
    )
    assert process.stdout is not None
    lines = [(time.perf_counter(), line) for line in process.stdout]
    _, said = process.communicate()
    times = [when for when, line in lines if '"verdict"' in line]
    if len(times) < 2:
        sys.exit(said + "".join(line for _, line in lines))
    return Timed(times[-1] - times[0], time.perf_counter() - began, len(times) - 1)


def model_options(root: Path) -> list[str]:
    """Write a model and return what runs the test against it."""
    import torch
    import transformers

    sys.path.insert(0, str(HERE.parent / "tests"))
    from extensions.hf.tiny_model import make_tiny_model

    folder = make_tiny_model(root / "model")
    config = transformers.AutoConfig.from_pretrained(folder)
    config.hidden_size, config.intermediate_size, config.num_hidden_layers = 512, 1536, 8
    config.num_attention_heads = config.num_key_value_heads = 8
    config.head_dim = 64
    torch.manual_seed(0)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    (root / "lve.yaml").write_text(
        f"models: {{hf/large: {{model: '{folder}', options: {{batch_size: 8}},"
        " args: {max_tokens: 48}}}\n",
        encoding="utf-8",
    )
    return ["--model", "hf/large"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["checker", "models", "latency"])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--number", type=int)
    given = parser.parse_args()
    number = given.number or {"checker": 600, "models": 256, "latency": 20_000}[given.what]
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        write_tests(root, given.what, number)
        options = ["--model", "replay"]
        if given.what == "models":
            options = model_options(root)
        if given.what == "latency":
            with running_server(latency_s=0.05) as server:
                options = ["--model", "openai/m", "--base-url", server.url]
                compare(root, [*options, "--max-connections", "64"], given.turns)
        else:
            compare(root, options, given.turns)


def compare(root: Path, options: list[str], turns: int) -> None:
    """Print the times of runs, with and without a cluster."""
    here, there = [], []
    for _ in range(turns):
        here.append(timed(root, options))
        there.append(timed(root, [*options, "--ray"]))
        print(here[-1], there[-1], flush=True)
    for field in ("results_s", "whole_s"):
        ratios = [getattr(a, field) / getattr(b, field) for a, b in zip(here, there, strict=True)]
        median = statistics.median(ratios)
        print(f"{field}: {median:.2f} times as fast on the cluster ({sorted(ratios)})")


if __name__ == "__main__":
    main()
