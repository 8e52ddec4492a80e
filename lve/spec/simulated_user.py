"""The simulated user of a test document: a model that talks to the model under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lve.documents.read import Document
from lve.errors import Problem
from lve.escape import excerpt
from lve.workspace import Caps

KEY = "simulated_user"
MAX_USER_TURNS = 5
"""How often the user speaks beside the messages of the prompt, where the test doesn't say."""


class SimulatedUser(NamedTuple):
    """Who goes on with a conversation after the model's last answer."""

    instructions: str
    """Who the user is and what they want; placeholders are to be filled."""
    max_turns: int = MAX_USER_TURNS
    """Most messages of the user."""
    ends_with: str | None = None
    """A message that holds this text ends the conversation, and isn't sent."""


def simulated_user(data: Mapping[str, Any]) -> SimulatedUser | None:
    """Return what a valid test document says of the user; None if nobody goes on."""
    given = data.get(KEY)
    if given is None:
        return None
    turns = int(given.get("max_turns", MAX_USER_TURNS))
    return SimulatedUser(given["instructions"], turns, given.get("ends_with"))


def simulated_user_problems(document: Document, caps: Caps) -> Iterator[Problem]:
    """Yield what a schema can't say of a simulated user (a rule of `lve.spec.rules`)."""
    data = document.data
    given = data.get(KEY)
    if given is None:
        return
    if "infer_cfg" in data or "prompt_object" in data:
        hint = "only tests with `prompt`, `prompt_file` or `multi_run_prompt` have one"
        yield document.problem(
            f"`{KEY}` has no effect here", (KEY,), hint=hint, key=True, code="no_effect"
        )
    if data.get("repair"):
        message = "`repair` asks again in place of the user: it has no effect here"
        yield document.problem(
            message, ("repair",), hint="leave it out", key=True, code="no_effect"
        )
    turns = given.get("max_turns") if isinstance(given, dict) else None
    if isinstance(turns, int) and turns > caps.user_turns:
        hint = f"the settings' `caps: {{user_turns: {caps.user_turns}}}`; a test can't raise it"
        message = f"{excerpt(turns)} is more than the {caps.user_turns} allowed"
        yield document.problem(message, (KEY, "max_turns"), hint=hint, code="cap")
