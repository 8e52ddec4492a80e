"""Settings in all their places: lve.yaml, pyproject.toml, suite.yaml, lve.models.json, variables of
the environment and options of the command line."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from lve.documents.validation.schema import load_schema
from lve.errors import LveError
from lve.extensions.store.address import check_url, place_of, store_url
from lve.models.registry import create_model
from lve.spec.settings_file import load_workspace_from

from . import commands
from .attempts import Door, Parts
from .hostile_inputs import MUTATIONS
from .json_mutations import mutated_json, schema_value, written
from .places import fill, no_network

VERBS = (
    ("run",),
    ("run",),
    ("run",),
    ("check",),
    ("render",),
    ("list",),
    ("models", "show"),
    ("record",),
    ("plugins",),
    ("unit-test",),
    ("cache", "stats"),
    ("explain",),
    ("schema", "print"),
    ("status",),
    ("readme",),
    ("prompt", "list"),
    ("sessions",),
    ("calibrate",),
    ("check",),
    ("render",),
    ("list",),
    ("record",),
    ("doctor",),
)
PLACES = ("t", "t", ".", "t/test.yaml", "last", "dummy/dummy")
VARIABLES = (
    "LVE_STORE",
    "LVE_AUTHOR",
    "LVE_CACHE_HOME",
    "LVE_MODEL",
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "HTTPS_PROXY",
    "NO_COLOR",
    "COLUMNS",
    "LANG",
    "NO_PROXY",
    "LVE_OUTPUT",
    "GITHUB_STEP_SUMMARY",
    "ANTHROPIC_API_KEY",
    "CI",
    "TERM",
)
TEST: dict[str, Any] = {
    "description": "d",
    "model": "dummy/dummy",
    "prompt": [{"role": "user", "content": "Say {a}"}],
    "prompt_parameters": ["a"],
    "checker_args": {"checker_name": "RegexChecker", "pattern": "x", "match_safe": True},
    "tags": [{"name": "severity", "value": "low"}],
    "dataset": [{"a": "b"}, {"a": "c"}],
}
SETTINGS: dict[str, Any] = {
    "model": "dummy/dummy",
    "models": {
        "mine": {
            "provider": "openai",
            "base_url": "http://127.0.0.1:9/v1",
            "api_key_env": "MY_KEY",
            "price": {"input": 1.5, "output": 2},
        },
        "groq/x": {
            "args": {"temperature": 0.5},
            "refuses": ["seed"],
            "timeout_s": 20,
            "options": {},
        },
    },
    "roles": {"judge": "dummy/dummy", "user": {"model": "dummy/dummy", "max_cost": 1.5}},
    "caps": {"repeats": 5, "rows": 100, "max_tokens": 1000},
    "trust": [
        {"file": "t/checker/checker.py", "sha256": "0" * 64, "env": ["HOME"], "read": ["/tmp"]}
    ],
    "tool_servers": {
        "weather": {"command": ["true"], "env": ["HOME"], "tools": ["a"]},
        "far": {"url": "http://127.0.0.1:9/mcp"},
    },
    "sandbox": "best",
    "plugins": ["none"],
    "allow_downloads": False,
    "cache": "postgresql://127.0.0.1:9/lve",
    "engine": "local",
    "ray": {"address": "auto", "worker": {"cpus": 1}},
    "calibration": {"folder": "calibrations", "floor": {"kappa": 0.5}, "required": False},
    "comparison": {"alpha": 0.05},
}


def settings(folder: Path, patch: pytest.MonkeyPatch) -> Door:
    """Return the door of settings, in an empty folder."""
    no_network(patch)
    patch.setenv("HOME", str(folder / "home"))
    work = folder / "work"

    def eat(parts: Parts) -> None:
        fill(
            work, {name: data for name, data in parts.items() if name not in ("variables", "words")}
        )
        os.chdir(work)
        with _variables(parts.get("variables", b"")):
            _eat(work, commands.split(parts.get("words", b"")))

    return Door(_draw, eat, cost=12.0)


def _eat(work: Path, words: list[str]) -> None:
    with suppress(LveError):
        loaded = load_workspace_from(work, work).settings
        for name in list(loaded.models)[:3]:
            with suppress(LveError):
                create_model(name, loaded)
        with suppress(LveError):
            url = store_url(loaded.cache)
            if url is not None:
                check_url(url)
                place_of(url)
    if words:
        commands.run(words)


@contextmanager
def _variables(data: bytes) -> Iterator[None]:
    before = dict(os.environ)
    for line in data.split(b"\n"):
        name, _, value = line.partition(b"=")
        if name.isidentifier() if isinstance(name, str) else name.replace(b"_", b"a").isalnum():
            os.environ[os.fsdecode(name)] = os.fsdecode(value.replace(b"\x00", b""))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@cache
def _schemas() -> dict[str, Any]:
    return {
        "settings": load_schema("settings"),
        "models": load_schema("models"),
        "test": load_schema("test"),
    }


def _draw(draw: random.Random) -> Parts:
    parts: dict[str, bytes] = {"t/test.yaml": _yaml(draw, TEST, hostile=draw.random() < 0.15)}
    what = draw.choice(
        (
            "lve.yaml",
            "lve.yaml",
            "lve.yaml",
            "pyproject.toml",
            "suite.yaml",
            "lve.models.json",
            "variables",
            "words",
        )
    )
    if what in ("lve.yaml", "pyproject.toml"):
        value = _settings(draw)
        parts[what] = _yaml(draw, value) if what == "lve.yaml" else _toml(draw, value)
    elif what == "suite.yaml":
        schema = _schemas()["test"]["$defs"]["suite"]
        suite = {key: TEST[key] for key in ("model", "tags")}
        value = (
            mutated_json(draw, suite, (TEST,))
            if draw.random() < 0.5
            else schema_value(draw, schema, _schemas()["test"])
        )
        parts["suite.yaml"] = _yaml(draw, value)
    elif what == "lve.models.json":
        parts[what] = written(schema_value(draw, _schemas()["models"], _schemas()["models"]), draw)
    elif what == "variables":
        parts[what] = b"\n".join(_variable(draw) for _ in range(draw.choice((1, 1, 3))))
    parts.setdefault(
        "lve.yaml", _yaml(draw, {"model": "dummy/dummy"})
    ) if what != "pyproject.toml" else None
    if what in ("words", "variables") or draw.random() < 0.25:
        words = commands.command_line(draw, draw.choice(VERBS), PLACES)
        parts["words"] = commands.joined(words)
    return parts


def _variable(draw: random.Random) -> bytes:
    value = draw.choice(commands.TEXTS).encode("utf-8", "surrogateescape")
    if draw.random() < 0.3:
        value = draw.choice(MUTATIONS)(
            draw, b"postgresql://me:secret-password@127.0.0.1:9/db?sslmode=require"
        )
    return draw.choice(VARIABLES).encode() + b"=" + value[:20_000].replace(b"\n", b"")


def _settings(draw: random.Random) -> Any:
    schema = _schemas()["settings"]
    if draw.random() < 0.4:
        return schema_value(draw, schema, schema)
    some = {key: value for key, value in SETTINGS.items() if draw.random() < 0.4}
    return mutated_json(draw, some or SETTINGS, (SETTINGS, TEST)) if draw.random() < 0.9 else some


def _yaml(draw: random.Random, value: Any, *, hostile: bool = True) -> bytes:
    """Return a value as JSON, or as YAML where YAML can hold it."""
    if not hostile:
        return json.dumps(value).encode()
    data = written(value, draw)
    if draw.random() < 0.4:
        with suppress(Exception):  # pyyaml takes no surrogates
            data = yaml.safe_dump(value, allow_unicode=True).encode("utf-8", "surrogatepass")
    return draw.choice(MUTATIONS)(draw, data) if draw.random() < 0.2 else data


def _toml(draw: random.Random, value: Any) -> bytes:
    """Return settings as tables of a pyproject.toml, whose values are written as JSON."""
    lines = ["[tool.lve]"]
    for key, inner in value.items() if isinstance(value, dict) else ():
        lines.append(f"{json.dumps(str(key))} = {_inline(inner)}")
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    return draw.choice(MUTATIONS)(draw, data) if draw.random() < 0.2 else data


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(str(key))} = {_inline(one)}" for key, one in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")
