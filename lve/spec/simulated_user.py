"""The key `simulated_user` of a test: a model that talks to the model under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lve.documents.read import Document
from lve.errors import Problem
from lve.named_tuples import NamedTuple
from lve.settings.settings import Caps
from lve.spec.check_names import USER

KEY = "simulated_user"
MAX_USER_TURNS = 5
"""Default of `max_turns`."""


class SimulatedUser(NamedTuple):
    """Continues a conversation after the prompt, in the role of the user."""

    instructions: str
    """Who the user is and what they want; may have placeholders."""
    max_turns: int = MAX_USER_TURNS
    """Maximum number of the user's messages after the prompt."""
    ends_with: str | None = None
    """A message of the user that contains this text ends the conversation and isn't sent."""
    role: str = USER
    """Of the model that plays the user."""
    is_fresh: bool = False
    """Whether each message is sent without those before, as attacks that search do."""


def simulated_user(data: Mapping[str, Any]) -> SimulatedUser | None:
    """Return the simulated user of a valid test document; None if it has none."""
    config = data.get(KEY)
    if config is None:
        return None
    turns = int(config.get("max_turns", MAX_USER_TURNS))
    return SimulatedUser(config["instructions"], turns, config.get("ends_with"))


def simulated_user_problems(document: Document, _: Caps) -> Iterator[Problem]:
    """Yield the problems of a simulated user that the schema can't find (a rule of
    `lve.spec.rules`)."""
    data = document.data
    if data.get(KEY) is None:
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
