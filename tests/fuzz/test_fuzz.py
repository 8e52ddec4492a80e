"""Hostile inputs by the thousand: no traceback, and none takes long.

LVE_FUZZ_INPUTS says how many inputs there are in all (100,000 in CI), LVE_FUZZ_SEED which.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from lve.documents.position_types import TextError
from lve.errors import LveError

from .hostile_inputs import SEEDS, inputs
from .targets import targets

INPUTS = int(os.environ.get("LVE_FUZZ_INPUTS", "3300"))
SEED = int(os.environ.get("LVE_FUZZ_SEED", "1"))
LONGEST_S = 2.0
"""Of the processor, for one input."""
HANGS_S = 60
NAMES = (
    "test.json", "test.yaml", "places", "toml", "prompt file", "instances", "session", "journal",
    "schema", "answer", "server",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """Turn an input that never ends into a failure that shows where."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(_: int, __: FrameType | None) -> Any:
        raise TimeoutError(f"an input takes more than {HANGS_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_every_kind_is_eaten(tmp_path: Path) -> None:
    found = targets(tmp_path)
    assert tuple(found) == NAMES
    assert {kind for kind, _ in found.values()} == set(SEEDS)


@pytest.mark.parametrize("kind", SEEDS)
def test_a_seed_gives_the_same_inputs_again(kind: str) -> None:
    first, again, other = (list(islice(inputs(kind, seed), 50)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("name", NAMES)
def test_hostile_inputs_end_in_time_without_a_traceback(name: str, tmp_path: Path) -> None:
    kind, eat = targets(tmp_path)[name]
    wrong: list[str] = []
    for data in islice(inputs(kind, SEED), INPUTS // len(NAMES)):
        signal.alarm(HANGS_S) if hasattr(signal, "alarm") else None
        started = time.process_time()
        try:
            eat(data)
        except (LveError, TextError) as error:
            if len(str(error)) > 100_000:
                wrong.append(f"a message of {len(str(error))} characters: {data[:300]!r}")
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {error!s:.200}: {data[:300]!r}")
        taken = time.process_time() - started
        if taken > LONGEST_S:
            wrong.append(f"{taken:.1f} s: {data[:300]!r}")
    assert not wrong, f"{len(wrong)} inputs:\n" + "\n".join(wrong[:10])
