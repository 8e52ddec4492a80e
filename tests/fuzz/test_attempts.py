"""Whatever an input does that it must not is noticed, made smaller, and done again from a file."""

from __future__ import annotations

import logging
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from lve.error_boundary import error_boundary
from lve.errors import UsageError

from . import attempts
from .attempts import Door, Footprint, Parts, Wrong, attempt, left_behind
from .json_mutations import ATOMS, mutated_json, schema_value
from .places import no_network
from .reproducers import load, save, smaller

KEPT: list[bytearray] = []


def tried(act: Callable[[], object], **limits: float) -> Wrong | None:
    return attempt(Door(lambda _: {}, lambda _: act(), **limits), {})


def _raise(error: Exception) -> None:
    raise error


def _bug() -> None:
    with error_boundary("counting"):
        _raise(KeyError("a"))


def _log() -> None:
    try:
        _raise(ValueError("x"))
    except ValueError:
        logging.getLogger("some.library").exception("it failed")


def _thread() -> None:
    thread = threading.Thread(target=_raise, args=(ValueError("in a thread"),))
    thread.start()
    thread.join()


def _work() -> None:
    ends = time.process_time() + 0.3
    while time.process_time() < ends:
        pass


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (lambda: _raise(KeyError("a")), "KeyError"),
        (_bug, "KeyError"),
        (lambda: print("this is a bug in lve, please report it"), "printed"),
        (lambda: print("Traceback (most recent call last):", file=sys.stderr), "printed"),
        (_log, "printed"),
        (_thread, "in a thread"),
        (lambda: _raise(UsageError("x" * 200_000)), "a long message"),
    ],
)
def test_what_must_not_be_is_noticed(act: Callable[[], object], kind: str) -> None:
    wrong = tried(act)
    assert wrong is not None
    assert wrong.kind.startswith(kind)


@pytest.mark.parametrize("error", [UsageError("no"), click.UsageError("no")])
def test_errors_on_purpose_are_none(error: Exception) -> None:
    assert tried(lambda: _raise(error)) is None


def test_too_much_work_is_noticed() -> None:
    assert tried(_work, longest_s=10) is None
    wrong = tried(_work, longest_s=0.1)
    assert wrong is not None
    assert wrong.kind == "slow"


def test_what_never_ends_is_noticed_behind_any_except(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "HANGS_S", 1)

    def hang() -> None:
        while True:
            try:
                time.sleep(30)
            except Exception:
                continue

    wrong = tried(hang)
    assert wrong is not None
    assert wrong.kind.startswith("HangsError")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted on Linux")
def test_much_memory_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "MOST_MEMORY", 20_000_000)
    wrong = tried(lambda: KEPT.append(bytearray(b"x" * 60_000_000)))
    KEPT.clear()
    assert wrong is not None
    assert wrong.kind == "memory"


def test_what_is_left_behind_is_told() -> None:
    before = Footprint(100_000_000, 10, 2, 0)
    assert left_behind(before, Footprint(120_000_000, 15, 4, 1)) == []
    assert len(left_behind(before, Footprint(900_000_000, 99, 99, 9))) == 4


def test_an_input_is_made_smaller_and_does_the_same_from_a_file(tmp_path: Path) -> None:
    parts = {"a": b"x" * 500 + b"bad\xff" + b"y" * 500, "b": b"more"}
    least = smaller(parts, lambda one: b"bad" in one.get("a", b""))
    assert least == {"a": b"bad"}
    assert load(save(tmp_path, "settings", parts)) == ("settings", parts)


def test_a_value_is_changed_and_the_original_stays() -> None:
    original = {"a": [1, {"b": "c"}], "d": None}
    changed = [mutated_json(random.Random(seed), original, (["z"],)) for seed in range(50)]
    assert original == {"a": [1, {"b": "c"}], "d": None}
    assert sum(one != original for one in changed) > 40


def test_most_values_of_a_schema_fit_it() -> None:
    from jsonschema import Draft202012Validator

    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"enum": [1, 2]}, "c": {"type": "boolean"}},
        "$defs": {"n": {"type": "array", "items": {"type": "string"}}},
    }
    validator = Draft202012Validator(schema)
    values = [schema_value(random.Random(seed), schema, schema) for seed in range(100)]
    assert 80 < sum(validator.is_valid(one) for one in values) <= 100
    assert ATOMS


def test_nobody_reaches_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    no_network(monkeypatch)
    with pytest.raises(OSError, match="network"):
        socket.getaddrinfo("localhost", 80)
    with socket.socket() as one, pytest.raises(OSError, match="unreachable"):
        one.connect(("127.0.0.1", 9))


def test_parts_are_bytes_by_name() -> None:
    seen: list[Parts] = []
    door = Door(lambda _: {}, seen.append)
    assert attempt(door, {"a": b"b"}) is None
    assert seen == [{"a": b"b"}]
