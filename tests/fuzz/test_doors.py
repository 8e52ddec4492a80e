"""Hostile inputs through every door: no traceback, no hang, and nothing is left behind.

LVE_FUZZ_INPUTS   how many inputs there are in all (set by `make fuzz`)
LVE_FUZZ_SECONDS  instead: how long each door is tried, for long runs
LVE_FUZZ_SEED     which inputs
LVE_FUZZ_AGAIN    a file of build/fuzz, which an earlier run has written: that input only
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from .attempts import Door, Parts, attempt, footprint, left_behind
from .doors import DOORS
from .reproducers import load, save, smaller

INPUTS = int(os.environ.get("LVE_FUZZ_INPUTS", "3300"))
SECONDS = float(os.environ.get("LVE_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("LVE_FUZZ_SEED", "1"))
AGAIN = os.environ.get("LVE_FUZZ_AGAIN")
FINDS = Path(__file__).parents[2] / "build" / "fuzz"
MS_PER_INPUT = 0.1
"""Of each door, for each of `LVE_FUZZ_INPUTS`: 10 s in CI."""
MOST_FINDS = 10
CASES = sorted((Path(__file__).parents[1] / "cases" / "fuzz").glob("*.json"))


def inputs(door: Door, name: str) -> Iterator[Parts]:
    """Yield the inputs of a run."""
    draw = random.Random(f"{name} {SEED}")
    until = time.monotonic() + SECONDS
    count = max(20, int(INPUTS * MS_PER_INPUT / door.cost))
    tried = 0
    while time.monotonic() < until if SECONDS else tried < count:
        yield door.draw(draw)
        tried += 1


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Door]]:
    """Give what opens a door, in an empty folder that one stands in: in memory, where the system
    has such a folder, since thousands of files are written."""
    memory = Path("/dev/shm")
    with (
        TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        monkeypatch.chdir(folder)
        yield lambda name: DOORS[name](Path(folder), patch)
        monkeypatch.undo()


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.timeout(0)
def test_hostile_inputs_achieve_nothing(name: str, opened: Callable[[str], Door]) -> None:
    door = opened(name)
    finds: dict[str, str] = {}
    tried, warm = 0, None
    for parts in inputs(door, name):
        tried += 1
        if tried == 50:
            warm = footprint()
        wrong = attempt(door, parts)
        if wrong is not None and wrong.kind not in finds:
            finds[wrong.kind] = f"{kept(door, name, parts, wrong.kind)}\n{wrong.text}"
            if len(finds) >= MOST_FINDS:
                break
    print(f"{name}: {tried} inputs, {len(finds)} finds")
    assert not finds, "\n\n".join(f"{kind}: {text}" for kind, text in finds.items())
    assert warm is None or not left_behind(warm, footprint())


def kept(door: Door, name: str, parts: Parts, kind: str) -> Path:
    """Make an input smaller, and write it to a file."""

    def fails(candidate: Parts) -> bool:
        wrong = attempt(door, candidate)
        return wrong is not None and wrong.kind == kind

    is_slow = kind in ("slow", "memory")
    return save(FINDS, name, parts if is_slow else smaller(parts, fails))


@pytest.mark.parametrize("file", [Path(AGAIN)] if AGAIN else CASES, ids=lambda file: file.stem)
def test_inputs_that_once_did_harm_do_none(file: Path, opened: Callable[[str], Door]) -> None:
    name, parts = load(file)
    wrong = attempt(opened(name), parts)
    assert wrong is None, wrong.text


@pytest.mark.parametrize("name", DOORS)
def test_a_seed_gives_the_same_inputs_again(name: str, opened: Callable[[str], Door]) -> None:
    door = opened(name)
    first, again, other = (
        [door.draw(draw) for _ in range(20)] for draw in map(random.Random, (1, 1, 2))
    )
    assert first == again
    assert first != other
