"""The options of a run as arguments of `lve.run` and `lve.arun`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from lve.options.run_options import DEFAULTS, OPTIONS

if TYPE_CHECKING:
    from lve.models.chat_model import ChatModel

    AnyModel = str | ChatModel | Callable[..., Any]


class ModelArguments(TypedDict, total=False):
    """Which model to use, and how."""

    model: AnyModel | Sequence[AnyModel] | None
    prompts: Sequence[str]
    attacks: str | None
    roles: Mapping[str, str] | None
    base_url: str | None
    parameters: Mapping[str, str] | None
    model_args: Mapping[str, Any] | None
    stream: bool
    batch: bool
    timeout_s: float | None
    deadline_s: float | None
    max_connections: int | None
    max_tests: int


class BaselineArguments(ModelArguments, total=False):
    """How a run is compared with a baseline."""

    baseline: str | Path | None
    gate: str | None
    max_broken: int | None
    allow_missing: bool


class ChoosingArguments(BaselineArguments, total=False):
    """Which tests and rows run."""

    instances: Sequence[str]
    index: int | None
    match: str | None
    tags: Sequence[str]
    rows: str | None
    limit: int | None
    sample: int | None
    seed: int
    failed_in: str | None
    shard: str | None


class RunArguments(ChoosingArguments, total=False):
    """The keyword arguments of `lve.run`: `make docs` writes them."""

    ray: str | None
    repeats: int | None
    fail_fast: int | None
    max_cost: float | None
    max_tokens_total: int | None
    max_requests: int | None
    use_cache: bool
    refresh: bool
    keep: bool
    state: str | Path | None
    allow_inconclusive: bool
    strict_models: bool
    trust: bool


def signature_with_options(function: Callable[..., Any]) -> Signature:
    """Return the signature of a function that takes `RunArguments`, with each of them and its
    default, for `help` and for editors that look at objects."""
    names = {option.python_word or name: name for name, option in OPTIONS.items()}
    options = [
        Parameter(
            word,
            Parameter.KEYWORD_ONLY,
            default=None if "None" in hint.__forward_arg__ else getattr(DEFAULTS, names[word]),
            annotation=hint.__forward_arg__,
        )
        for word, hint in RunArguments.__annotations__.items()
    ]
    own = signature(function)
    return own.replace(parameters=[*[*own.parameters.values()][:-1], *options])
