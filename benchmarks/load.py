"""How long loading ten thousand tests takes: `python benchmarks/load.py [N]`.

Writes N test folders in each spelling into a temporary folder, then prints microseconds per test of
finding, parsing (`json.loads` of the same bytes is the floor) and loading them.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from lve.spec.discover import discover
from lve.spec.load import load_spec


def document(number: int) -> dict[str, Any]:
    return {
        "description": f"Adds two numbers, variant {number}.",
        "model": "dummy/dummy",
        "prompt": [
            {"role": "system", "content": "You are a calculator."},
            {"role": "user", "content": "What is {a} + {b}? Answer with the number only."},
        ],
        "prompt_parameters": ["a", "b"],
        "checker_args": {
            "checker_name": "LambdaChecker",
            "func": "lambda r, a, b: int(r) == int(a) + int(b)",
        },
        "author": "benchmark",
        "tags": [{"name": "severity", "value": "low"}],
        "examples": [{"response": "3", "verdict": "passed", "args": {"a": 1, "b": 2}}],
    }


def write_tests(root: Path, name: str, spell: Callable[[Any], str], count: int) -> None:
    for number in range(count):
        folder = root / f"group{number // 100}" / f"test{number}"
        folder.mkdir(parents=True)
        (folder / name).write_text(spell(document(number)), encoding="utf-8")


def microseconds(work: Callable[[], Any], count: int) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) / count * 1e6


def exhaust(values: Iterable[Any]) -> None:
    for _ in values:
        pass


def measure(name: str, spell: Callable[[Any], str], count: int) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        write_tests(root, name, spell, count)
        found = list(discover([root], report=print))
        find = microseconds(lambda: exhaust(discover([root], report=print)), count)
        load = microseconds(lambda: exhaust(load_spec(path, root) for path in found), count)
    texts = [json.dumps(document(number)) for number in range(count)]
    floor = microseconds(lambda: exhaust(map(json.loads, texts)), count)
    print(
        f"{name:10} {count} tests: find {find:6.1f} us, load {load:6.1f} us each; "
        f"json.loads {floor:.1f} us, ratio {(find + load) / floor:.0f}; "
        f"10,000 in {(find + load) / 100:.2f} s"
    )


if __name__ == "__main__":
    tests = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    measure("test.json", lambda data: json.dumps(data, indent=2), tests)
    measure("test.yaml", lambda data: str(yaml.safe_dump(data, sort_keys=False)), tests)
