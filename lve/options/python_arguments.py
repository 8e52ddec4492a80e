"""Checks the arguments of calls from Python, such as `lve.run`, at once: a wrong type would fail
much later, far from the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lve.errors import UsageError
from lve.extension_table import extension_part
from lve.models.chat_model import MODEL_MEMBERS
from lve.options.run_options import DEFAULTS, OPTIONS, SEED_ALONE, RunOptions
from lve.options.values import PATH

if TYPE_CHECKING:
    from lve.models.chat_model import ChatModel


def checked_options(arguments: Mapping[str, Any]) -> RunOptions:
    """Return the options of a run.

    Args:
        arguments: the arguments of `lve.run`, by name.

    Raises:
        UsageError: an argument can't be used. The message says what the first such one must be.
    """
    models, own_models = named_models(arguments.get("model"))
    fields = {
        name: option.values.from_python(arguments[option.python_word or name])
        for name, option in OPTIONS.items()
        if "python" in option.interfaces and (option.python_word or name) in arguments
    }
    options = RunOptions(**{**fields, "models": models, "own_models": own_models})
    check_options(options)
    if options.seed and options.sample is None and options.failed_in is None:
        raise UsageError(SEED_ALONE.format("seed", "sample"), code="python_argument")
    return options


def check_options(options: RunOptions) -> None:
    """Check the values of all options. None is allowed where it is the default.

    Raises:
        UsageError: a value can't be used. The message says what the first such one must be.
    """
    for name, option in OPTIONS.items():
        value = getattr(options, name)
        if value is None and getattr(DEFAULTS, name) is None:
            continue
        if refusal := option.values.refusal(value):
            raise UsageError(f"{name} must be {refusal}", code="python_argument")


def checked_path(value: Any, name: str) -> Path:
    """Return an argument as a path.

    Raises:
        UsageError: it isn't one.
    """
    if refusal := PATH.refusal(value):
        raise UsageError(f"{name} must be {refusal}", code="python_argument")
    return Path(value)


def one_or_several(value: Any, name: str, *others: type) -> list[Any]:
    """Return an argument that is one path, or several, as a list.

    Args:
        value: the argument.
        name: the argument's name.
        others: classes whose instances are allowed in place of paths.

    Raises:
        UsageError: it is something else.
    """
    types = " or ".join(["a path", *(f"a lve.{other.__name__}" for other in others)])
    must = f"{name} must be {types}, or a list of them"
    try:
        several = [value] if PATH.accepts(value) or isinstance(value, others) else list(value)
    except TypeError:
        raise UsageError(f"{must}, not {value!r}", code="python_argument") from None
    for argument in several:
        if not PATH.accepts(argument) and not isinstance(argument, others):
            raise UsageError(f"{must}; {argument!r} is in it", code="python_argument")
    return [argument if isinstance(argument, others) else fspath(argument) for argument in several]


def named_models(
    models: str | ChatModel | Sequence[str | ChatModel] | None,
) -> tuple[tuple[str, ...], dict[str, ChatModel]]:
    """Return the names of all models, and name -> model for those that were made in Python.

    Raises:
        UsageError: one is not a model, or two have the same name.
    """
    if models is None:
        return (), {}
    is_one = isinstance(models, str) or not isinstance(models, Sequence)
    several: Any = [models] if is_one else models
    names: list[str] = []
    own: dict[str, ChatModel] = {}
    for model in several:
        if isinstance(model, str):
            names.append(model)
            continue
        if _is_function(model):
            model = extension_part("function as a model")(model)
        _check_model(model)
        if own.setdefault(model.name, model) is not model:
            raise UsageError(
                f"two models have the name {model.name!r}: give each a name of its own",
                code="python_argument",
            )
        names.append(model.name)
    return tuple(names), own


def _is_function(model: object) -> bool:
    """Return whether an object is a function, and not a model that can be called, too."""
    return callable(model) and not isinstance(model, type) and not hasattr(model, "complete")


def _check_model(model: Any) -> None:
    requirement = "model must be a name, a function or a lve.ChatModel"
    if isinstance(model, type):
        raise UsageError(
            f"{requirement}, not a class: make one, such as {model.__name__}(...)",
            code="python_argument",
        )
    missing = [name for name in MODEL_MEMBERS if not hasattr(model, name)]
    if missing:
        lacks = "" if len(missing) == len(MODEL_MEMBERS) else f": it has no {', '.join(missing)}"
        raise UsageError(
            f"{requirement}, not {type(model).__name__}{lacks}", code="python_argument"
        )
    if not isinstance(model.name, str) or not model.name:
        raise UsageError(
            f"the name of a model must be a text, not {model.name!r}", code="python_argument"
        )
    if not isinstance(model.identity, Mapping | None):
        raise UsageError(
            f"the identity of model {model.name!r} must be a dict or None, not {model.identity!r}",
            code="python_argument",
        )
