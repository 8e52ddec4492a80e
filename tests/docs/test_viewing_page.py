"""docs/viewing.md says what `lve view` does."""

from __future__ import annotations

from pathlib import Path

from lve.extensions.view.connections import MAX_ARRIVING, REQUEST_S
from lve.extensions.view.guard import TICKET_S
from lve.extensions.view.server import ADDRESS, MAX_BODY_BYTES, MAX_HEAD_BYTES
from lve.extensions.view.sessions import MIN_PAUSE_S, PAUSE_FACTOR
from lve.extensions.view.verb import view

PAGE = (Path(__file__).parents[2] / "docs" / "viewing.md").read_text(encoding="utf-8")


def test_the_page_has_all_options() -> None:
    names = {name for one in view.params for name in one.opts if name.startswith("--")}
    assert {name for name in names if f"`{name}" not in PAGE} == {"--session-dir"}


def test_the_limits_are_those_of_the_server() -> None:
    head, body = MAX_HEAD_BYTES // 1000, MAX_BODY_BYTES // 1000
    limits = (
        f"A request has {REQUEST_S:.0f} seconds to arrive, {head} kB for its head and {body} kB"
    )
    assert limits in PAGE
    assert f"the server keeps {MAX_ARRIVING}: a new one takes the place of the oldest" in PAGE
    assert f"listens on {ADDRESS} alone" in PAGE
    assert (PAUSE_FACTOR, MIN_PAUSE_S) == (4, 2.0)
    assert TICKET_S <= 60
