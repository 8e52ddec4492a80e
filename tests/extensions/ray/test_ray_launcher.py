"""Runs with a real Ray cluster of two nodes: what they give is what a run without it gives, also
when workers and a whole node are killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums, write_test
from support.forked import python
from support.packages import needs
from support.server import ModelServer, model_server

from lve.errors import MissingExtraError, UsageError
from lve.extensions.ray.ray_launcher import RayLauncher, _connect
from lve.settings.model_settings import WorkerShape

pytestmark = needs("ray")
CODE = """
import os, time
from lve import Verdict

class C:
    def check(self, context):
        time.sleep(0.02)
        word = context.response
        return Verdict("passed" if len(word) % 2 else "failed", f"{word} has {len(word)}")
"""
INSTANCES = 60
RUNS = range(20) if "LVE_FUZZ_INPUTS" in os.environ else (0, 4)
"""Numbers of the runs in the middle of which something is killed: all of them in `make fuzz`."""
NODES = (4, 9, 14, 19)
"""The runs in which it is a whole node."""
NO_LOGS = {"include_log_monitor": False}
"""Each node would start a process that looks through logs, and the first one a process that looks
for more nodes."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import logging

    from ray.cluster_utils import Cluster

    logging.getLogger("ray").setLevel(logging.ERROR)
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "include_dashboard": False, "no_monitor": True, **NO_LOGS},
    )
    made.add_node(num_cpus=2, **NO_LOGS)
    yield made
    made.shutdown()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return _root_of(tmp_path)


def _root_of(folder: Path) -> Path:
    """Make a workspace with a test of code, and one whose answers a server gives."""
    root = workspace(folder / "w")
    lines = [{"args": {"n": n}, "response": "x" * (n % 7 + 1)} for n in range(INSTANCES)]
    folder = write_test(
        root / "code",
        model="replay",
        prompt=[{"role": "user", "content": "Say {n}."}],
        prompt_parameters=["n"],
        checker_args={"checker_name": "C"},
        instances=lines,
    )
    (folder / "checker").mkdir()
    (folder / "checker" / "checker.py").write_text(CODE, encoding="utf-8")
    write_sums(root / "sums", INSTANCES, model="openai/test")
    return root


def _start(root: Path, *options: str, **variables: str) -> subprocess.Popen[str]:
    words = ("run", ".", "--trust", "--jsonl", "--session-dir", ".lve", *options)
    return subprocess.Popen(
        [*python(), "-m", "lve", *words],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TEAM_KEY": "sk-of-the-run", **variables},
    )


def _use(root: Path, server: ModelServer) -> None:
    (root / "lve.yaml").write_text(
        f"models: {{openai/test: {{base_url: '{server.url}', api_key_env: TEAM_KEY}}}}\n",
        encoding="utf-8",
    )


def _end(process: subprocess.Popen[str]) -> str:
    _, said = process.communicate(timeout=240)
    return said


def _wait_for_results(process: subprocess.Popen[str], number: int) -> None:
    """Wait until so many instances have their results."""
    assert process.stdout is not None
    while number > 0:
        line = process.stdout.readline()
        assert line, process.stderr and process.stderr.read()
        number -= '"verdict"' in line


def _wait_until(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.1)


def _workers(cluster: Any) -> list[int]:
    """Return the processes of workers in a cluster."""
    nodes = cluster.list_all_nodes()
    raylets = [one.process.pid for node in nodes for one in node.all_processes["raylet"]]
    command = ["pgrep", "-P", ",".join(map(str, raylets)), "-f", "^ray::_Actor"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return [int(one) for one in found.stdout.split()]


def _results(root: Path) -> list[tuple[Any, ...]]:
    newest = max((root / ".lve" / "runs").glob("*/results.jsonl"), key=os.path.getmtime)
    rows = [json.loads(line) for line in newest.read_text(encoding="utf-8").splitlines()]
    return sorted((row["test"], row["line"], row["verdict"], row["reason"]) for row in rows)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """What a run without a cluster says."""
    root = _root_of(tmp_path_factory.mktemp("here"))
    with model_server() as server:
        _use(root, server)
        said = _end(_start(root))
    found = _results(root)
    assert len(found) == 2 * INSTANCES, said
    return found


def test_results_are_those_of_a_local_run_and_nothing_of_ray_is_told(
    cluster: Any, root: Path, expected: list[tuple[Any, ...]]
) -> None:
    with model_server() as server:
        _use(root, server)
        said = _end(_start(root, f"--ray={cluster.address}"))
        assert len(server.requests) == INSTANCES
    assert _results(root) == expected, said
    assert "ray" not in said.lower().replace("--ray", ""), said


@pytest.mark.parametrize("number", RUNS)
def test_whatever_is_killed_nothing_is_lost(
    cluster: Any, root: Path, number: int, expected: list[tuple[Any, ...]]
) -> None:
    chance = random.Random(number)
    with model_server(latency_s=0.02) as server:
        _use(root, server)
        process = _start(root, f"--ray={cluster.address}", "--max-connections", "6")
        _wait_for_results(process, chance.randint(1, INSTANCES))
        if number in NODES:
            cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)
            cluster.add_node(num_cpus=2, **NO_LOGS)
        else:
            found = _workers(cluster)
            for one in chance.sample(found, min(len(found), 2)):
                os.kill(one, signal.SIGKILL)
        said = _end(process)
        assert len(server.requests) <= INSTANCES + 6  # what was under way is asked again
    assert _results(root) == expected, said


def test_ctrl_c_leaves_what_resume_completes_and_no_worker(
    cluster: Any, root: Path, expected: list[tuple[Any, ...]]
) -> None:
    with model_server(latency_s=0.02) as server:
        _use(root, server)
        process = _start(root, f"--ray={cluster.address}")
        _wait_for_results(process, 3)
        os.kill(process.pid, signal.SIGINT)
        said = _end(process)
        assert process.returncode == 130, said
        before = _results(root)
        assert len(before) < 2 * INSTANCES
        assert set(before) <= set(expected)
        _wait_until(lambda: not _workers(cluster))
        more = ["run", "--resume", "last", "--trust", "--session-dir", ".lve"]
        resumed = subprocess.run(
            [*python(), "-m", "lve", *more, f"--ray={cluster.address}"],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            env={**os.environ, "TEAM_KEY": "sk-of-the-run"},
        )
    assert _results(root) == expected, resumed.stderr


def test_the_engine_of_the_settings_is_a_cluster_of_this_machine_without_keys(
    root: Path, expected: list[tuple[Any, ...]]
) -> None:
    secret = "sk-that-nobody-needs"
    with model_server(latency_s=0.3) as server:
        _use(root, server)
        with (root / "lve.yaml").open("a", encoding="utf-8") as file:
            file.write("engine: ray\nray: {worker: {num_cpus: 0.5, replicas: 2}}\n")
        process = _start(root, ANTHROPIC_API_KEY=secret)
        _wait_for_results(process, 10)
        seen = _environments("ray::|raylet|gcs_server")
        said = _end(process)
    assert _results(root) == expected, said
    assert seen
    assert not any(secret in one for one in seen)
    assert not any("sk-of-the-run" in one for one in seen)


OWN = """
import asyncio, ray
from lve.extensions.ray.ray_launcher import RayLauncher
launcher = RayLauncher("local")
print(ray.get_runtime_context().gcs_address, launcher._folder, flush=True)
input()
asyncio.run(launcher.close(hurried=False))
"""
ATTACK = """
import sys, ray
ray.init(sys.argv[1], log_to_driver=False, configure_logging=False)
ray.get(ray.remote(num_cpus=0)(lambda: open(sys.argv[2], "w").close()).remote(), timeout=60)
"""


def test_nobody_else_can_use_a_run_s_own_cluster(tmp_path: Path) -> None:
    """Whoever can, runs programs as its user; its ports are open to the network."""
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    with subprocess.Popen(
        [*python(), "-c", OWN], stdin=-1, stdout=-1, stderr=-1, text=True, env=home
    ) as own:
        assert own.stdout is not None
        address, folder = own.stdout.readline().split()
        attack = subprocess.run(
            [*python(), "-c", ATTACK, address, str(tmp_path / "proof")],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=home,
        )
        mode = Path(folder).stat().st_mode & 0o777
        is_used = any(Path(folder).rglob("raylet"))
        own.communicate("\n", timeout=60)
    assert attack.returncode != 0
    assert "ConnectionError" in attack.stderr
    assert not (tmp_path / "proof").exists()
    assert not (tmp_path / ".ray").exists(), "the token is in no file"
    assert (mode, is_used) == (0o700, True)
    assert not Path(folder).exists()


def _environments(pattern: str) -> list[str]:
    """Return what the processes began with whose command matches."""
    found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True, check=False)
    texts = []
    for process in found.stdout.split():
        try:
            texts.append(Path(f"/proc/{process}/environ").read_text("utf-8", errors="replace"))
        except OSError:  # it has ended
            continue
    return texts


def test_where_there_is_no_cluster_the_message_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for address in ("127.0.0.1:1", "127.0.0.1:port"):
        with pytest.raises(UsageError, match="nothing answers there"):
            RayLauncher(address)
    with pytest.raises(UsageError, match="Ray's client"):
        RayLauncher("ray://127.0.0.1:10001")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lve\[ray\]'"):
        RayLauncher("local")


class _Ray:
    """Has resources; notes the environment that it starts processes with."""

    def __init__(self, **resources: float) -> None:
        self._resources = resources

    def cluster_resources(self) -> dict[str, float]:
        return self._resources

    def init(self, address: str, **options: Any) -> None:
        self.seen = dict(os.environ)


@pytest.mark.parametrize(
    ("shape", "workers"),
    [
        (WorkerShape(), 16),
        (WorkerShape(num_cpus=0.5), 32),
        (WorkerShape(num_gpus=1, num_cpus=2), 8),
        (WorkerShape(num_gpus=0.5, num_cpus=1), 16),
        (WorkerShape(num_gpus=1, num_cpus=8), 2),
        (WorkerShape(num_cpus=64), 1),
        (WorkerShape(replicas=3, num_gpus=1), 3),
    ],
)
def test_eight_gpus_hold_eight_replicas(shape: WorkerShape, workers: int) -> None:
    launcher = RayLauncher.__new__(RayLauncher)
    launcher._ray = _Ray(CPU=16, GPU=8)
    assert launcher.count(shape) == workers


def test_processes_that_ray_starts_get_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    ray = _Ray()
    _connect(ray, "auto")
    assert "OPENAI_API_KEY" not in ray.seen
    assert {"PATH", "HTTPS_PROXY"} <= set(ray.seen)
    assert os.environ["OPENAI_API_KEY"] == "sk-1"
