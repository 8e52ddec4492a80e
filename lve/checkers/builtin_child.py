"""The program in the process of built-in checkers.

Requests come from `lve.checkers.processes.out_of_process`, so it is safe to unpickle them. Answers
are JSON, because this process has read hostile texts.
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
from lve.checkers.judging_limits import LimitError
from lve.checkers.processes.wire import unpacked, verdict_to_json
from lve.child.child_side import limit_memory, serve
from lve.data.hub_access import hub_access
from lve.errors import CheckerError, LveError, MissingExtraError

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
    """Answer requests until the parent closes its end.

    Args:
        lifeline: file descriptor of a pipe that closes when the parent ends; -1 if there is none.
    """
    sys.addaudithook(_refuse_network)
    with hub_access(download=False):
        serve(lifeline, _answer)


def _refuse_network(event: str, _: object) -> None:
    """Refuse network access. A library must not fetch a model, or look up an address from an
    answer: that could leak the answer and would delay the verdict."""
    if event in NETWORK_EVENTS:
        raise OSError(errno.ENETUNREACH, "checkers have no network")


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request, `{error: ...}` if it fails."""
    try:
        if request["do"] == "begin":
            if request["config"] is not None:
                _made(request["config"])  # before the limit: some libraries reserve much memory
                limit_memory(request["memory"])
            return {}
        checker, what = _made(request["config"]), unpacked(request["what"])
        if request["do"] == "check":
            return _judged(checker, what)
        if request["do"] == "postprocess":
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
    """Return a prepared checker with its arguments."""
    name, args, folder = unpacked(config)
    kind = load_builtin(name) or plugin_kind(name)  # the parent has checked that it may be used
    assert kind is not None
    checker = bind(kind, args, folder)
    checker.prepare()
    return checker


def _judged(checker: BoundChecker, context: CheckContext) -> dict[str, Any]:
    """Return the verdict, and whether the judgement exceeded its limits."""
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
