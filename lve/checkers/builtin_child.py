"""The program in the process of built-in checkers.

Requests come from `lve.checkers.processes.out_of_process`, so it is safe to unpickle them. Answers
are JSON, because this process has read hostile texts.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from lve.checkers.binding.bind import bind
from lve.checkers.binding.bound import BoundChecker
from lve.checkers.binding.find_kind import plugin_kind
from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.by_name import load_builtin
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import verdict_of
from lve.checkers.judging_limits import LimitError
from lve.checkers.processes.wire import unpacked, verdict_to_json
from lve.child.child_side import limit_memory, serve
from lve.data.hub_access import hub_access
from lve.errors import CheckerError, LveError, MissingExtraError
from lve.messages import Message, Role, Transcript

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

_SHORT = CheckContext((Transcript((Message("{}", Role.assistant),)),))


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
                _load(request["config"])  # before the limits of memory and time
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


def _load(config: str) -> None:
    """Make a checker. One that runs nothing of the test judges a short answer: what it imports
    late, a second's work, isn't part of the first judgement then."""
    checker, kind = _made(config), _kind_of(unpacked(config)[0])
    if kind.tier == "data" and not kind.combines:
        with suppress(Exception):
            checker.check_fully(_SHORT)


def _kind_of(name: str) -> type[BuiltinChecker]:
    kind = load_builtin(name) or plugin_kind(name)  # the parent has checked that it may be used
    assert kind is not None
    return kind


@lru_cache(maxsize=64)
def _made(config: str) -> BoundChecker:
    """Return a prepared checker with its arguments."""
    name, args, folder = unpacked(config)
    checker = bind(_kind_of(name), args, folder)
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
