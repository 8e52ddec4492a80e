"""Which tests of a session haven't finished, by what its `session.json` says."""

from __future__ import annotations

from lve.named_tuples import NamedTuple
from lve.sessions.session_info import SessionInfo

Pair = tuple[str, str]
"""A test and a model."""


class Unfinished(NamedTuple):
    """The tests of a session that haven't finished, each with its model."""

    is_known: bool
    """False after a crash, and if pytest ended the session early: then any test may be one."""
    pairs: frozenset[Pair] = frozenset()

    @classmethod
    def of(cls, info: SessionInfo) -> Unfinished:
        """Return the unfinished tests of a session.

        Args:
            info: the content of its `session.json`.
        """
        noted, status = info.get("unfinished"), info["status"]
        if status == "running" or (noted is None and status != "complete"):
            return cls(is_known=False)
        return cls(True, frozenset((test["test"], test["model"]) for test in noted or ()))

    def has(self, test: str, model: str) -> bool:
        """Whether a test may be unfinished against a model."""
        return not self.is_known or (test, model) in self.pairs
