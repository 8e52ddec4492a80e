"""What callers from Python give, checked where it comes in: a wrong type does its harm much later,
and far from the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.errors import UsageError

if TYPE_CHECKING:
    from lve.models.chat_model import ChatModel
    from lve.pipeline.options import RunOptions


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_named(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


def _is_path(value: Any) -> bool:
    return isinstance(value, str | PathLike)


Rule = tuple[Callable[[Any], bool], str]
"""Whether a value will do, and what it must be."""

_COUNT: Rule = (lambda value: _is_whole(value) and value >= 1, "a whole number from 1 on")
_INDEX: Rule = (lambda value: _is_whole(value) and value >= 0, "a whole number from 0 on")
_DOLLARS: Rule = (lambda value: _is_number(value) and value >= 0, "a number from 0 on")
_SECONDS: Rule = (lambda value: _is_number(value) and value > 0, "a number of seconds above 0")
_FLAG: Rule = (lambda value: isinstance(value, bool), "True or False")
_NAMED: Rule = (_is_named, "a dict with texts as keys")

_RULES: Mapping[str, Rule] = {
    "base_url": (lambda value: isinstance(value, str), "a text"),
    "index": _INDEX,
    "parameters": _NAMED,
    "model_args": _NAMED,
    "repeats": _COUNT,
    "max_connections": _COUNT,
    "max_tests": _COUNT,
    "timeout_s": _SECONDS,
    "deadline_s": _SECONDS,
    "trust": _FLAG,
    "use_cache": _FLAG,
    "refresh": _FLAG,
    "stream": _FLAG,
    "max_cost": _DOLLARS,
    "max_tokens_total": _COUNT,
    "max_requests": _COUNT,
    "keep": _FLAG,
}
_NEVER_NONE = ("max_tests", "trust", "use_cache", "refresh", "stream", "keep")


def check_options(options: RunOptions) -> None:
    """Check the options that have a value.

    Raises:
        UsageError: names the first that can't be used, and says what it must be.
    """
    for name, (is_right, wanted) in _RULES.items():
        value = getattr(options, name)
        if value is None and name not in _NEVER_NONE:
            continue
        if not is_right(value):
            raise UsageError(f"{name} must be {wanted}, not {value!r}")


def checked_path(value: Any, name: str) -> Path:
    """Return an argument that is a path.

    Raises:
        UsageError: it isn't.
    """
    if not _is_path(value):
        raise UsageError(f"{name} must be a path, not {value!r}")
    return Path(value)


def file_names(given: Any) -> tuple[str, ...]:
    """Return the names of instance files that were given as `instances`.

    Raises:
        UsageError: they are no names.
    """
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise UsageError(f"instances must be a list of names of instance files, not {given!r}")
    return tuple(names)


def one_or_several(value: Any, name: str, *others: type) -> list[Any]:
    """Return an argument that is one path, or several, as a list.

    Args:
        value: the argument.
        name: what it is called.
        others: what may stand in place of a path.

    Raises:
        UsageError: it is something else.
    """
    wanted = " or ".join(["a path", *(f"a lve.{other.__name__}" for other in others)])
    must = f"{name} must be {wanted}, or a list of them"
    try:
        several = [value] if _is_path(value) or isinstance(value, others) else list(value)
    except TypeError:
        raise UsageError(f"{must}, not {value!r}") from None
    for one in several:
        if not _is_path(one) and not isinstance(one, others):
            raise UsageError(f"{must}; {one!r} is in it")
    return [one if isinstance(one, others) else fspath(one) for one in several]


def named_models(
    given: str | ChatModel | Sequence[str | ChatModel] | None,
) -> tuple[tuple[str, ...], dict[str, ChatModel]]:
    """Return the models' names, and by name those that were made in Python.

    Raises:
        UsageError: something is no model, or two are of one name.
    """
    if given is None:
        return (), {}
    is_one = isinstance(given, str) or not isinstance(given, Sequence)
    several: Any = [given] if is_one else given
    names: list[str] = []
    own: dict[str, ChatModel] = {}
    for one in several:
        if isinstance(one, str):
            names.append(one)
            continue
        _check_model(one)
        if own.setdefault(one.name, one) is not one:
            raise UsageError(f"two models have the name {one.name!r}: give each a name of its own")
        names.append(one.name)
    return tuple(names), own


def _check_model(model: Any) -> None:
    from lve.models.chat_model import MODEL_MEMBERS

    wanted = "model must be a name or a lve.ChatModel"
    if isinstance(model, type):
        raise UsageError(f"{wanted}, not a class: make one, such as {model.__name__}(...)")
    missing = [name for name in MODEL_MEMBERS if not hasattr(model, name)]
    if missing:
        lacks = "" if len(missing) == len(MODEL_MEMBERS) else f": it has no {', '.join(missing)}"
        raise UsageError(f"{wanted}, not {type(model).__name__}{lacks}")
    if not isinstance(model.name, str) or not model.name:
        raise UsageError(f"the name of a model must be a text, not {model.name!r}")
    if not isinstance(model.identity, Mapping | None):
        raise UsageError(
            f"the identity of model {model.name!r} must be a dict or None, not {model.identity!r}"
        )
