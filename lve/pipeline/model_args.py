"""The model args of requests: which source wins, and the maintainer's cap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lve.messages import Message
from lve.model_arg_names import are_alike
from lve.models.chat_model import BOUND_ARGS, BY_DEFAULT, DEFAULT_ARGS
from lve.models.known import known_model
from lve.run_options import RunOptions
from lve.spec.model import Instance, Spec
from lve.workspace import ModelSettings, Settings

WITHOUT_TEMPERATURE = frozenset(("dummy", "replay", "scripted"))
"""Providers that don't look at the temperature: lve's default makes no repeats alike."""

PLAIN_TEXT_ONLY = ("hf",)
"""Providers whose models can't be held to a JSON Schema."""


def base_args(settings: Settings, model: str, spec: Spec) -> dict[str, Any]:
    """Return the model args that all instances of a test start from.

    The test wins over the settings. Temperature is 0 unless either sets it or the model is known
    to refuse it.
    """
    known = known_model(model, settings)
    refused = known.refuses if known else ()
    merged: dict[str, Any] = {n: v for n, v in DEFAULT_ARGS.items() if n not in refused}
    entry = settings.models.get(model)
    if entry is not None:
        merged.update(entry.args)
    merged.update(spec.args_for(model))
    return merged


def names_by_default(
    settings: Settings, model: str, spec: Spec, options: RunOptions
) -> frozenset[str]:
    """Return which of lve's own args neither settings nor test nor command line set."""
    entry = settings.models.get(model)
    return BY_DEFAULT.difference(
        entry.args if entry else (), spec.args_for(model), options.model_args
    )


def role_args(
    settings: Settings, model: str, args: Mapping[str, Any]
) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the model args of a request to a model that has a role, and which of them nobody set.

    Args:
        settings: the workspace's; what they say of the model wins.
        model: its name.
        args: that are sent unless the model is known to refuse them.
    """
    known, entry = known_model(model, settings), settings.entry(model)
    refused = known.refuses if known else frozenset[str]()
    if (entry.provider if entry else model.partition("/")[0]) in PLAIN_TEXT_ONLY:
        refused |= {"response_format"}
    ours = {name: value for name, value in args.items() if name not in refused}
    set_by_user = entry.args if entry else {}
    merged = {name: v for name, v in {**ours, **set_by_user}.items() if v is not None}
    if settings.caps.max_tokens is not None:
        _cap_tokens(merged, settings.caps.max_tokens)
    return merged, frozenset(ours) - frozenset(set_by_user)


def for_model(spec: Spec, model: str, options: RunOptions, settings: Settings) -> Spec:
    """Return a test with what it says for a model: expectation, repeats, timeout. Whether repeats
    count or are alike depends on the model args that are sent; those of single instances aren't
    looked at.

    Args:
        spec: the test.
        model: its model; an empty text for one that isn't known.
        options: the user's.
        settings: the workspace's.
    """
    spec = spec.for_model(model)
    if spec.expect.kind != "rate":
        return spec
    args = {**base_args(settings, model, spec), **options.model_args}
    entry = settings.models.get(model)
    if (entry.provider if entry else model.partition("/")[0]) in WITHOUT_TEMPERATURE:
        for name in names_by_default(settings, model, spec, options):
            args.pop(name, None)
    return replace(spec, expect=spec.expect._replace(has_alike_repeats=are_alike(args)))


def request_args(
    base: Mapping[str, Any], instance: Instance, options: RunOptions, settings: Settings
) -> dict[str, Any]:
    """Return the model args of an instance's requests: base < instance < command line.

    None takes an arg away. The maintainer's cap limits `max_tokens`, also if nothing sets it.
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
) -> Callable[[Instance], Mapping[str, Any]]:
    """Return `request_args` for the instances of one test against one model. Those without model
    args of their own, nearly always all of them, share one object; a model made in Python, which
    might change it, gets one each.

    Args:
        spec: the test.
        model: its model.
        options: of the run.
        settings: the workspace's.
        notice: called with the names of model args, before they are used.
    """
    base = base_args(settings, model, spec)
    # The test's own are warned of when it is loaded, with their places.
    own = spec.args_for(model)
    notice(name for name in (*base, *options.model_args) if name not in own)
    shared: Mapping[str, Any] | None = None

    def args_of(instance: Instance) -> Mapping[str, Any]:
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
    given = [name for name in BOUND_ARGS if isinstance(args.get(name), int)]
    for name in given or BOUND_ARGS[:1]:
        args[name] = min(args.get(name, cap), cap)


def writer_of(entry: ModelSettings) -> Callable[[Sequence[Message]], str] | None:
    """Return what writes messages as one text, where a model's settings say how."""
    if entry.meta_template is None:
        return None
    from lve.prompts.templates.formats.chat_text import chat_writer  # few models have one

    return chat_writer(entry)
