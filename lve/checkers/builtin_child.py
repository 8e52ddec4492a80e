"""The program in the process of built-in checkers.

Requests come from `lve.checkers.processes.aside`, so they may be unpickled. Answers are
JSON, because what makes them has read hostile texts.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lve.checkers.binding.bind import bind
from lve.checkers.binding.bound import BoundChecker
from lve.checkers.binding.find_kind import plugin_kind
from lve.checkers.by_name import load_builtin
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import verdict_of
from lve.checkers.limits import LimitError
from lve.checkers.processes.wire import unpacked, verdict_to_json
from lve.child.child_side import limit_memory, serve
from lve.errors import CheckerError, LveError, MissingExtraError
from lve.hub.hub_access import hub_access

NETWORK_EVENTS = frozenset(
    {
        "socket.connect",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.gethostbyaddr",
        "socket.getnameinfo",
        "socket.sendto",
        "socket.sendmsg",
    }
)
"""Python's audit events for network access."""


def main(lifeline: int) -> None:
    """Answer requests.

    Args:
        lifeline: a pipe whose other end only the parent has; -1 if there is none.
    """
    sys.addaudithook(_refuse_network)
    with hub_access(download=False):
        serve(lifeline, _answer)


def _refuse_network(event: str, _: object) -> None:
    """Refuse network access. A library may want to fetch a model or look up an address that an
    answer mentions; that must neither happen nor delay the verdict."""
    if event in NETWORK_EVENTS:
        raise OSError(errno.ENETUNREACH, "checkers have no network")


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request, `{error: ...}` if it fails."""
    try:
        if request["do"] == "begin":
            if request["config"] is not None:
                _made(request["config"])  # first: some libraries take address space for each core
                limit_memory(request["memory"])
            return {}
        checker, what = _made(request["config"]), unpacked(request["what"])
        if request["do"] == "check":
            return _judged(checker, what)
        if request["do"] == "redact":
            return {"text": checker.postprocess(what)}
        return {}
    except MissingExtraError as error:
        return {"missing": str(error)}
    except LveError as error:
        return {"error": str(error)}
    except Exception as error:  # a checker is a plugin
        return {"error": f"{type(error).__name__}: {error}"}


@lru_cache(maxsize=64)
def _made(config: str) -> BoundChecker:
    """Return a checker with its arguments, ready to judge."""
    name, args, folder = unpacked(config)
    kind = load_builtin(name) or plugin_kind(name)  # the parent knows that it may be used
    assert kind is not None
    checker = bind(kind, args, folder)
    checker.prepare()
    return checker


def _judged(checker: BoundChecker, context: CheckContext) -> dict[str, Any]:
    """Return the verdict, and whether judging took more than it may."""
    exceeded = False

    def check(checker: BoundChecker, context: CheckContext) -> Verdict:
        nonlocal exceeded
        try:
            return checker.check_fully(context)
        except LimitError:
            exceeded = True
            raise
        except MemoryError:
            why = "judging this answer takes too much memory (more than 2 GB)"
            raise CheckerError(why, code="checker_process") from None

    verdict = verdict_to_json(verdict_of(checker, context, check))
    return {"verdict": verdict, "exceeded": exceeded}
