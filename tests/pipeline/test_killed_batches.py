"""`lve run --batch`, killed at any moment: no batch is submitted twice, no answer is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from extensions.batch.openai_batches import batch_server, says
from support.command_line import call
from support.folders import write_test
from support.forked import python
from support.killing import KilledRun
from support.server import Raw, Received

ROWS = [{"args": {"n": n}} for n in range(3)]
PROMPT = [
    {"role": "user", "content": "One {n}"},
    {"role": "assistant", "variable": "first"},
    {"role": "user", "content": "Two {n}"},
]


class Killer:
    """Kills lve when it asks for something for the n-th time."""

    def __init__(self, moment: str, number: int) -> None:
        self.moment = moment
        self.left = number
        self.run: KilledRun | None = None

    def __call__(self, what: str, request: Received) -> Raw | None:
        if what != self.moment or self.left == 0:
            return None
        self.left -= 1
        if self.left:
            return None
        assert self.run is not None
        self.run.kill()
        return Raw(b"", close=True)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
@pytest.mark.parametrize(
    ("moment", "number"),
    [("upload", 1), ("create", 1), ("created", 1), ("poll", 1), ("download", 1), ("created", 2)],
)
def test_a_batch_is_submitted_once_whenever_lve_is_killed(
    moment: str, number: int, root: Path
) -> None:
    write_test(root / "t", prompt=PROMPT, prompt_parameters=["n"], instances=ROWS)
    hook = Killer(moment, number)
    with batch_server(says(lambda prompt: f"Hello {prompt}"), hook=hook) as (server, batches):
        at = ["-m", "openai/x", "--base-url", server.url]
        hook.run = KilledRun("t", *at, "--batch", "--no-cache")
        hook.run.wait()
        code, out, err = call("run", "--resume", "last", "--base-url", server.url)
        assert code == 0, out + err
    assert len(batches.batches) == 2, "one for each turn"
    asked = [one["body"]["messages"] for n in (0, 1) for one in batches.requests(n)]
    assert [len(messages) for messages in asked] == [1, 1, 1, 3, 3, 3]
    expected = [[f"Hello One {n}", f"Hello Two {n}"] for n in range(3)]
    assert answers(root) == expected


def answers(root: Path) -> list[list[str]]:
    (folder,) = (root / ".lve" / "runs").iterdir()
    lines = (folder / "results.jsonl").read_text().splitlines()
    found: list[dict[str, Any]] = sorted(map(json.loads, lines), key=lambda one: one["line"])
    return [
        [
            message["content"]
            for message in one["transcripts"][0]["messages"]
            if message["role"] == "assistant"
        ]
        for one in found
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_leaves_the_batch_running_and_says_how_to_go_on(root: Path) -> None:
    write_test(root / "t")

    def hook(what: str, request: Received) -> None:
        if what == "poll" and batches.seen.count("poll") == 1:
            process.send_signal(signal.SIGINT)

    with batch_server("Hello", polls=10**6) as (server, batches):
        at = ["-m", "openai/x", "--base-url", server.url]
        process = subprocess.Popen(
            [*python(), "-m", "lve", "run", "t", *at, "--batch"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        batches.hook = hook
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "batch batch_0 with 1 request is submitted" in err
        assert "go on with: lve run --resume" in out
        assert "Traceback" not in err
        batches.polls = 0
        assert call("run", "--resume", "last", "--base-url", server.url)[0] == 0
    assert batches.seen.count("create") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_session_that_was_killed_keeps_its_budget(root: Path) -> None:
    price = {"input": 0.0, "output": 1000.0}
    (root / "lve.yaml").write_text(json.dumps({"models": {"m": {"model": "x", "price": price}}}))
    write_test(root / "t", prompt=PROMPT, prompt_parameters=["n"], instances=ROWS)
    hook = Killer("poll", 1)
    with batch_server("Hello", hook=hook) as (server, batches):
        at = ["-m", "m", "--base-url", server.url, "--model-arg", "max_tokens=10"]
        hook.run = KilledRun("t", *at, "--batch", "--max-cost", "0.045")
        hook.run.wait()
        code, _, _ = call("run", "--resume", "last", "--base-url", server.url)
    sizes = [len(batches.requests(n)) for n in range(len(batches.batches))]
    assert code == 0
    # The killed run may have spent three cents, so only one more cent can be reserved at a time.
    assert sizes == [3, 1, 1, 1]
