"""docs/viewing.md says what `lve view` does."""

from __future__ import annotations

from pathlib import Path

from lve.cli.sessions.view import view
from lve.view.guard import TICKET_S
from lve.view.server import ADDRESS, MAX_BODY_BYTES, MAX_CONNECTIONS, REQUEST_S
from lve.view.sessions import MIN_PAUSE_S, PAUSE_FACTOR

PAGE = (Path(__file__).parents[2] / "docs" / "viewing.md").read_text(encoding="utf-8")


def test_the_page_has_all_options() -> None:
    names = {name for one in view.params for name in one.opts if name.startswith("--")}
    assert {name for name in names if f"`{name}" not in PAGE} == {"--session-dir"}


def test_the_limits_are_those_of_the_server() -> None:
    assert f"A request has {REQUEST_S:.0f} seconds to arrive" in PAGE
    assert f"{MAX_BODY_BYTES // 1000} kB for its body; {MAX_CONNECTIONS} are answered" in PAGE
    assert f"listens on {ADDRESS} alone" in PAGE
    assert (PAUSE_FACTOR, MIN_PAUSE_S) == (4, 2.0)
    assert TICKET_S <= 60
