"""What the user asks of a session, and what a request's model args are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lve.conventions import DEFAULT_MAX_TESTS
from lve.models.chat_model import BOUND_ARGS, ChatModel
from lve.spec.model import Instance, Spec
from lve.workspace import Settings


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How tests are run. The defaults are those of `lve run`."""

    models: tuple[str, ...] = ()
    """Win over the tests' own and the settings'."""
    own_models: Mapping[str, ChatModel] = field(default_factory=dict)
    """Models that were made in Python, by name. Who made them closes them."""
    base_url: str | None = None
    """Of an OpenAI-compatible server."""
    instances: tuple[str, ...] = ()
    """Names of instance files; empty for all."""
    index: int | None = None
    """Only this instance of every test, from 0."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Override the instances' own; all of a test's parameters make an instance of their own."""
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """Win over settings, test and instance; None takes an arg away."""
    repeats: int | None = None
    """Wins over the tests' own."""
    max_connections: int | None = None
    """Per model, at most the settings' own. None: the settings' own, or 64."""
    max_tests: int = DEFAULT_MAX_TESTS
    """Tests that are under way at once, per model."""
    timeout_s: float | None = None
    """Seconds for one attempt; wins over the settings."""
    deadline_s: float | None = None
    """Seconds for one completion with all its attempts."""
    trust: bool = False
    """Whether the tests' own checker code may run."""
    use_cache: bool = True
    refresh: bool = False
    """Write the cache, don't read it."""
    stream: bool = False
    max_cost: float | None = None
    """US dollars for the whole session."""
    max_tokens_total: int | None = None
    """Tokens in and out for the whole session."""
    max_requests: int | None = None
    """Attempts for the whole session."""
    keep: bool = True
    """Whether the session is recorded in `.lve/runs`."""
    state: Path | None = None
    """Folder of sessions and cache; `.lve` of the workspace when None."""


def base_args(settings: Settings, model: str, spec: Spec) -> dict[str, Any]:
    """Return the model args of a test before its instances have their say.

    Settings < test; temperature is 0 unless somebody says otherwise.
    """
    merged: dict[str, Any] = {"temperature": 0.0}
    entry = settings.models.get(model)
    if entry is not None:
        merged.update(entry.args)
    merged.update(spec.model_args)
    return merged


def request_args(
    base: Mapping[str, Any], instance: Instance, options: RunOptions, settings: Settings
) -> dict[str, Any]:
    """Return the model args of an instance's requests: base < instance < command line.

    None takes an arg away. The maintainer's cap on `max_tokens` holds, whoever asked for more, and
    also where nobody asked for anything.
    """
    merged = {**base, **instance.model_args, **options.model_args}
    args = {name: value for name, value in merged.items() if value is not None}
    cap = settings.caps.max_tokens
    if cap is not None:
        _cap_tokens(args, cap)
    return args


def args_maker(
    spec: Spec, model: str, options: RunOptions, settings: Settings
) -> Callable[[Instance], Mapping[str, Any]]:
    """Return `request_args` for the instances of one test against one model. Those without model
    args of their own, nearly always all of them, share one object; a model made in Python, which
    might change it, gets one each."""
    base = base_args(settings, model, spec)
    shared: Mapping[str, Any] | None = None

    def args_of(instance: Instance) -> Mapping[str, Any]:
        nonlocal shared
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
