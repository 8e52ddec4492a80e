"""The model args of requests: lve's defaults, settings, test, instance and command line merged, and
the settings' cap on tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lve.extension_table import extension_part
from lve.messages import Message
from lve.models.chat_model import DEFAULT_ARG_NAMES, DEFAULT_ARGS, MAX_TOKENS_ARGS
from lve.models.known_models import known_model
from lve.options.run_options import RunOptions
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings
from lve.spec.spec import Instance, Spec

PLAIN_TEXT_ONLY = ("hf",)
"""Providers whose models can't be made to answer by a JSON Schema."""


def base_args(settings: Settings, model: str, spec: Spec) -> dict[str, object]:
    """Return the model args that all instances of a test share: lve's defaults < settings < test.

    A default, such as temperature 0, is left out if the model is known to refuse it.
    """
    traits = known_model(model, settings)
    refused = traits.refuses if traits else ()
    merged: dict[str, object] = {n: v for n, v in DEFAULT_ARGS.items() if n not in refused}
    entry = settings.models.get(model)
    if entry is not None:
        merged.update(entry.args)
    merged.update(spec.args_for(model))
    return merged


def names_by_default(
    settings: Settings, model: str, spec: Spec, options: RunOptions
) -> frozenset[str]:
    """Return the names of lve's default args that settings, test and command line don't set."""
    entry = settings.models.get(model)
    return DEFAULT_ARG_NAMES.difference(
        entry.args if entry else (), spec.args_for(model), options.model_args
    )


def role_args(
    settings: Settings, model: str, args: Mapping[str, object]
) -> tuple[dict[str, object], frozenset[str]]:
    """Return the model args of a request to a model that has a role, such as `judge`, and the names
    of those that the settings don't set.

    Args:
        settings: the workspace's settings, whose args for the model win over `args`.
        model: the model's name.
        args: what lve would send; args that the model is known to refuse are left out.
    """
    traits, entry = known_model(model, settings), settings.entry(model)
    refused = traits.refuses if traits else frozenset[str]()
    if (entry.provider if entry else model.partition("/")[0]) in PLAIN_TEXT_ONLY:
        refused |= {"response_format"}
    defaults = {name: value for name, value in args.items() if name not in refused}
    set_by_user = entry.args if entry else {}
    merged = {name: v for name, v in {**defaults, **set_by_user}.items() if v is not None}
    if settings.caps.max_tokens is not None:
        _cap_tokens(merged, settings.caps.max_tokens)
    return merged, frozenset(defaults) - frozenset(set_by_user)


def request_args(
    base: Mapping[str, object], instance: Instance, options: RunOptions, settings: Settings
) -> dict[str, object]:
    """Return the model args of an instance's requests: `base` < instance < command line.

    The value None removes an arg. The settings' cap limits `max_tokens`, also if nothing sets it.
    """
    merged = {**base, **instance.model_args, **options.model_args}
    args = {name: value for name, value in merged.items() if value is not None}
    cap = settings.caps.max_tokens
    if cap is not None:
        _cap_tokens(args, cap)
    return args


def args_maker(
    spec: Spec,
    model: str,
    options: RunOptions,
    settings: Settings,
    *,
    notice: Callable[[Iterable[str]], None],
) -> Callable[[Instance], Mapping[str, object]]:
    """Return a function that returns `request_args` for an instance of one test against one model.

    Instances without model args of their own, nearly always all of them, share one object: the
    cache key is computed faster then. A model made in Python might change it, so it gets a new one
    each time.

    Args:
        spec: the test.
        model: the model's name.
        options: the run's options.
        settings: the workspace's settings.
        notice: called with the names of model args before they are used, to warn of typos.
    """
    base = base_args(settings, model, spec)
    # Loading the test has warned of its own args, with line and column.
    own = spec.args_for(model)
    notice(name for name in (*base, *options.model_args) if name not in own)
    shared: Mapping[str, object] | None = None

    def args_of(instance: Instance) -> Mapping[str, object]:
        nonlocal shared
        if instance.model_args:
            notice(instance.model_args)
        if instance.model_args or model in options.own_models:
            return request_args(base, instance, options, settings)
        if shared is None:
            shared = request_args(base, instance, options, settings)
        return shared

    return args_of


def _cap_tokens(args: dict[str, Any], cap: int) -> None:
    names = [name for name in MAX_TOKENS_ARGS if isinstance(args.get(name), int)]
    for name in names or MAX_TOKENS_ARGS[:1]:
        args[name] = min(args.get(name, cap), cap)


def writer_of(entry: ModelSettings) -> Callable[[Sequence[Message]], str] | None:
    """Return a function that writes messages as one text, if the model's settings have a meta
    template; else None."""
    if entry.meta_template is None:
        return None
    writer: Callable[[Sequence[Message]], str] | None = extension_part("meta template")(entry)
    return writer
