"""What is said of two sessions with results of every kind, and of rates that fall."""

from __future__ import annotations

import io
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from comparison.compared import verdicts, write_session
from extensions.reports.wide_sessions import wide_session
from support.recorded_calls import Calls, changed, record

from lve.comparison.compare import compare
from lve.comparison.compared import Comparison
from lve.comparison.session_side import SessionSide
from lve.extensions.comparing.compared_markdown import comparison_markdown
from lve.extensions.comparing.comparison_text import comparison_lines
from lve.reporting.terminal import Terminal
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_folder import SessionFolder
from lve.settings.settings import ComparisonSettings

MANY = [f"t{number:03}" for number in range(104)]
PAIRS: dict[str, tuple[list[InstanceResult], list[InstanceResult]]] = {
    "regressed": (
        [*verdicts("P" * 12), *verdicts("PF", "same"), *verdicts("P", "gone", advisory=True)],
        [*verdicts("F" * 12), *verdicts("PF", "same"), *verdicts("P", "new")],
    ),
    "better": (
        [*verdicts("F" * 9, "<up>|`"), *verdicts("PFE", "mixed"), *verdicts("P", "")],
        [*verdicts("P" * 9, "<up>|`"), *verdicts("FPP", "mixed"), *verdicts("E", "")],
    ),
    "many": (
        [one for name in MANY for one in verdicts("P", name)],
        [one for name in MANY for one in verdicts("F", name, responses=("long " * 300,))],
    ),
    "models": (
        [*verdicts("PP", model="m"), *verdicts("PF", model="n")],
        [*verdicts("PF", model="m"), *verdicts("PP", model="n")],
    ),
}  # fmt: skip
SETTINGS: tuple[dict[str, Any], ...] = ({}, {"gate": "any"})


def said(found: Comparison, folders: list[SessionFolder]) -> Iterator[str]:
    """Yield the lines of a comparison as a text, short and whole, and as Markdown."""
    for shows_all in (False, True):
        terminal = Terminal(io.StringIO(), columns=90, is_terminal=shows_all)
        yield from comparison_lines(found, terminal, shows_all=shows_all)
    texts = [comparison_markdown(found), comparison_markdown(found, 3_000)]
    yield from "\n".join(texts).split("\n")


def compared(title: str, folders: list[SessionFolder], **settings: Any) -> Calls:
    """Return each line that is said of two sessions."""
    models = settings.pop("models", None)
    sides = [SessionSide(folder, warn=lambda _: None) for folder in folders]
    found = compare(*sides, models=models, settings=ComparisonSettings(**settings))
    calls = {}
    for number, line in enumerate(said(found, folders)):
        for place, folder in enumerate(folders):
            line = line.replace(folder.id, f"SESSION{place}")
        calls[f"{title}, {number}"] = line
    return calls


def all_calls() -> Calls:
    calls: Calls = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, sides in PAIRS.items():
            folders = [write_session(folder, side, day=day) for day, side in enumerate(sides, 1)]
            for settings in SETTINGS[: 1 if title == "many" else 2]:
                calls |= compared(f"{title} {settings}", folders, **settings)
        wide = [wide_session(folder), wide_session(folder, shift=1)]
        calls |= compared("wide", wide)
        calls |= compared("two models", [wide[1], wide[1]], models=("n", "openai/m"))
    return calls


@pytest.fixture
def in_utc() -> Iterator[None]:
    """The times of sessions are shown in the user's time."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


@pytest.mark.usefixtures("in_utc")
def test_each_line_is_what_is_recorded() -> None:
    assert changed("comparing", all_calls()) == {}


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    record("comparing", all_calls())
