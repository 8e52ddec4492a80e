"""A small workspace of test folders for pytest runs inside the tests.

Most of these runs happen in this process, which is ten times faster. Afterwards pytester forgets
the modules that were imported meanwhile, and a class that exists twice is no `InstanceFailed` any
more: so all of lve is imported before.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support.fork_workers import fork_workers
from support.forked import python
from support.known_packages import read_once

import lve

for found in pkgutil.walk_packages(lve.__path__, "lve."):
    if not found.name.startswith(("lve.cli", "lve.__main__")):
        import_module(found.name)
for name in ("jsonschema", "jsonschema_rs", "referencing", "httptools", "sqlite3", "yaml"):
    import_module(name)

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def _without_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of whoever runs the tests doesn't matter."""
    for name in ("LVE_MODEL", "LVE_REPLAY", "LVE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture(scope="package", autouse=True)
def _known_packages() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        read_once(patch.setattr)
        yield


@pytest.fixture(autouse=True)
def _forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """test_interrupts.py has workers that are started."""
    fork_workers(python, monkeypatch.setattr)


@pytest.fixture
def write_test(pytester: pytest.Pytester) -> Write:
    """`write_test("privacy/x", answers=[("Paris", True)], **keys)` writes a test folder with one
    recorded instance per answer; the checker wants "Paris"."""
    (pytester.path / ".lverepo").touch()

    def write(
        name: str, answers: Sequence[tuple[str, bool]] = (("Paris", True),), **keys: Any
    ) -> Path:
        folder = pytester.path / "repository" / name
        folder.mkdir(parents=True)
        document = {
            "description": "capitals",
            "model": "replay",
            "prompt": [{"role": "user", "content": "What is the capital of {country}?"}],
            "prompt_parameters": ["country"],
            "checker_args": {
                "checker_name": "RegexChecker",
                "pattern": "Paris",
                "match_safe": True,
            },
            **keys,
        }
        text = json.dumps({k: v for k, v in document.items() if v is not None}, indent=2)
        (folder / "test.json").write_text(text, encoding="utf-8")
        lines = [
            {
                "args": {"country": f"France {n}"},
                "response": answer,
                "passed": passed,
                "run_info": {"source": "handwritten"},
            }
            for n, (answer, passed) in enumerate(answers, 1)
        ]
        if lines:
            (folder / "instances").mkdir()
            (folder / "instances" / "instances.jsonl").write_text(
                "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
            )
        return folder

    return write
