"""What sessions leave behind, damaged or forged: through every command that reads it."""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from support import caches

from lve.errors import LveError
from lve.execution.cache.cache import CompletionCache
from lve.execution.cache.sqlite_file import CACHE_FILE
from lve.execution.cache.value import with_checksum
from lve.extensions.view.sessions import ViewedSessions
from lve.pipeline.merging import merge_parts
from lve.sessions.session_folder import SessionFolder

from . import commands
from .attempts import Door, Parts
from .door_streams import keeps
from .hostile_inputs import MUTATIONS
from .json_mutations import ATOMS, mutated_json, written
from .places import fill, no_network
from .real_sessions import IDS, LABELLED, real_files

CACHE = f".lve/{CACHE_FILE}"
CACHED = "a cached answer"
"""Part of an input: a value that the cache gets with the right checksum."""
PLACES = (
    "last",
    "last~1",
    "last~2",
    IDS[0],
    IDS[1],
    IDS[2],
    f".lve/runs/{IDS[0]}",
    "sums",
    "greets",
    "lve.baseline.json",
    "labels.jsonl",
)
VERBS: tuple[tuple[str, ...], ...] = (
    ("show", "last"),
    ("show", "last~1", "--json"),
    ("show", IDS[0], "--failures"),
    ("show", "sums"),
    ("sessions",),
    ("sessions", "--all", "--json"),
    (
        "report",
        "last~1",
        "-o",
        "r.html",
        "-o",
        "r.md",
        "-o",
        "r.json",
        "-o",
        "r.csv",
        "-o",
        "r.xml",
    ),
    ("report", "last", "-o", "r.jsonl"),
    ("compare", "last~2", "last~1"),
    ("compare", "last~1", "last", "--json"),
    ("compare", "lve.baseline.json", "last~1", "--gate"),
    ("compare", "last~2", "last~1", "-o", "c.md", "-o", "c.json", "-o", "c.html"),
    ("score", "last~1"),
    ("score", IDS[2], "--json"),
    ("show", "lve.baseline.json"),
    ("compare", "last~1", "--save", "--update"),
    ("compare", "last", "--save", "--force"),
    ("run", "--resume", "last~1"),
    ("run", "--resume", IDS[2]),
    ("run", "--retry-errors", "last~1"),
    ("run", "--last-failed"),
    ("run", "--failed-in", "last~1"),
    ("run", "sums", "--baseline", "lve.baseline.json"),
    ("run", "greets", "-q"),
    ("check", "--failed-in", "last~1"),
    ("merge", "last~2", "last~1"),
    ("calibrate", "sums", "labels.jsonl"),
    ("calibrate", "sums", f".lve/runs/{IDS[0]}"),
    ("calibrate", "sums", "last~1"),
    ("site", "build", "sums", "-o", "site", "--session", "last~1"),
    ("cache", "stats"),
    ("cache", "prune", "--older-than", "1d"),
    ("cache", "prune", "--max-size", "1KB"),
    ("!view", IDS[0]),
    ("!view", IDS[1], IDS[2]),
    ("!merge parts", IDS[2]),
    ("!cache",),
    ("!cache",),
    ("list",),
    ("doctor", "--offline"),
)


def sessions(folder: Path, patch: pytest.MonkeyPatch) -> Door:
    """Return the door of sessions, in an empty folder."""
    no_network(patch)
    patch.setenv("HOME", str(folder / "home"))
    work, made = folder / "work", folder / "made"
    made.mkdir()
    files = real_files(made)

    def eat(parts: Parts) -> None:
        fill(work, {**files, **{name: data for name, data in parts.items() if "." in name}})
        os.chdir(work)
        if CACHED in parts:
            _store(work / CACHE, parts[CACHED])
        words = commands.split(parts.get("words", b""))
        if words and words[0] in OTHERS:
            OTHERS[words[0]](work, words[1:])
        elif words:
            commands.run(words)

    return Door(lambda draw: _draw(draw, files), eat, cost=30.0, longest_s=10.0)


def _draw(draw: random.Random, files: Mapping[str, bytes]) -> Parts:
    names = [
        name
        for name in files
        if name.startswith((".lve/", "lve.")) and name not in ("lve.yaml", ".lve/.gitignore")
    ]
    weights = [0.3 if name == CACHE else 1.0 for name in names]
    chosen = set(
        draw.choices([*names, "labels.jsonl"], [*weights, 1.0], k=draw.choice((1, 1, 2, 4)))
    )
    parts = {name: _mutated(draw, name, files) for name in sorted(chosen)}
    words = draw.choice(VERBS)
    if CACHE in parts or draw.random() < 0.03:
        words = draw.choice(
            (
                ("!cache",),
                ("cache", "stats"),
                ("cache", "prune", "--max-size", "1KB"),
                ("run", "greets", "-q"),
            )
        )
    if words == ("!cache",) and draw.random() < 0.6:
        parts.pop(CACHE, None)
        parts[CACHED] = written(mutated_json(draw, _cached()), draw)
    elif draw.random() < 0.1:
        words = tuple(commands.command_line(draw, _known(words), PLACES))
    return {**parts, "words": commands.joined(list(words))}


def _known(words: tuple[str, ...]) -> tuple[str, ...]:
    known = commands.commands()
    return next((words[:count] for count in (1, 2) if words[:count] in known), ("show",))


def _cached() -> Any:
    from lve.execution.cache.value import completion_to_value

    return json.loads(json.dumps(completion_to_value(caches.FULL)))


def _mutated(draw: random.Random, name: str, files: Mapping[str, bytes]) -> bytes:
    data = files[name]
    if name == CACHE:
        return _damaged_database(draw, data)
    if draw.random() < 0.3:
        return draw.choice(MUTATIONS)(draw, data)
    lines = data.split(b"\n") if name.endswith(".jsonl") else [data]
    at = draw.randrange(len(lines))
    with suppress(ValueError):
        lines[at] = written(
            mutated_json(draw, json.loads(lines[at]), (json.loads(data.split(b"\n")[0]),)), draw
        )
    if name.endswith(".jsonl") and draw.random() < 0.2:
        lines.insert(
            at, draw.choice((lines[at], b"", b"null", b"[]", b"\xff", written(draw.choice(ATOMS))))
        )
    return b"\n".join(lines)


def _damaged_database(draw: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 4, 64))):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    whole = bytes(changed)
    return whole[: draw.randrange(len(whole))] if draw.random() < 0.2 else whole


def _store(file: Path, value: bytes) -> None:
    """Put a value into the cache as a forger would, with the right checksum."""
    key = caches.key_of(0)
    text = with_checksum(value.decode("utf-8", "replace"), key)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE completions SET value=? WHERE key=?", (text, bytes.fromhex(key)))


def _view(work: Path, ids: list[str]) -> None:
    """Ask `lve view` for everything that it gives, and give it a label."""
    folders = [SessionFolder(work / ".lve" / "runs" / name) for name in ids or [IDS[0]]]
    with suppress(LveError):
        viewed = ViewedSessions(folders, "ana", lambda _: None)
        for ask in (viewed.page, viewed.state, viewed.labels, lambda: _texts(viewed)):
            with suppress(LveError):
                json.dumps(ask(), default=lambda _: "")
        viewed.label({**LABELLED, "session": folders[0].id, "label": "wrong"})


def _texts(viewed: ViewedSessions) -> str | None:
    page = re.search(rb'"number": ?(\d+)', viewed.page())
    assert page is not None
    return viewed.part(f"texts/{page[1].decode()}/0/99")


def _merge_parts(work: Path, ids: list[str]) -> None:
    merge_parts(SessionFolder(work / ".lve" / "runs" / (ids or [IDS[2]])[0]), is_interrupted=False)


def _read_cache(work: Path, _: list[str]) -> None:
    cache = CompletionCache.open(work / CACHE, warn=lambda _: None)
    if cache is not None:
        with closing(cache):
            for number in range(4):
                completion = caches.found_in(cache, number)
                if completion is not None:
                    keeps(completion)


OTHERS: dict[str, Callable[[Path, list[str]], None]] = {
    "!view": _view,
    "!merge parts": _merge_parts,
    "!cache": _read_cache,
}
"""What isn't a command, or never ends."""
