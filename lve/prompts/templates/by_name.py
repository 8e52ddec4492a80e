"""Makes templates, retrievers and inferencers from `infer_cfg`, and lists them by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, TypeVar

from lve.documents.json_types import json_type
from lve.errors import TemplateError, TemplateStage
from lve.prompts.templates.aisbench import MMPromptTemplate, MultiTurnPromptTemplate
from lve.prompts.templates.inferencers.generation import GenInferencer
from lve.prompts.templates.inferencers.inferencer import PLUMBING, Inferencer, ignored_arguments
from lve.prompts.templates.inferencers.rating import (
    CLPInferencer,
    LikelihoodInferencer,
    LLInferencer,
    PPLInferencer,
)
from lve.prompts.templates.inferencers.turn_by_turn import ChatInferencer, MultiTurnGenInferencer
from lve.prompts.templates.raw import RawPromptTemplate
from lve.prompts.templates.retrievers.by_vectors import (
    DPPRetriever,
    MDLRetriever,
    TopkRetriever,
    VotekRetriever,
)
from lve.prompts.templates.retrievers.offline import (
    BM25Retriever,
    FixKRetriever,
    RandomRetriever,
    SlidingWindowRetriever,
    ZeroRetriever,
)
from lve.prompts.templates.retrievers.retriever import Retriever
from lve.prompts.templates.template import PromptTemplate, Template
from lve.suggest import did_you_mean

if TYPE_CHECKING:
    from lve.prompts.templates.retrievers.of_plugin import PluginType

Made = TypeVar("Made")

TEMPLATES: Mapping[str, type[Template]] = {
    "PromptTemplate": PromptTemplate,
    "RawPromptTemplate": RawPromptTemplate,
    "MultiTurnPromptTemplate": MultiTurnPromptTemplate,
    "MMPromptTemplate": MMPromptTemplate,
}
RETRIEVERS: Mapping[str, type[Retriever]] = {
    "ZeroRetriever": ZeroRetriever,
    "FixKRetriever": FixKRetriever,
    "RandomRetriever": RandomRetriever,
    "SlidingWindowRetriever": SlidingWindowRetriever,
    "BM25Retriever": BM25Retriever,
    "TopkRetriever": TopkRetriever,
    "VotekRetriever": VotekRetriever,
    "DPPRetriever": DPPRetriever,
    "MDLRetriever": MDLRetriever,
}
INFERENCERS: Mapping[str, type[Inferencer]] = {
    "GenInferencer": GenInferencer,
    "PPLInferencer": PPLInferencer,
    "LikelihoodInferencer": LikelihoodInferencer,
    "LLInferencer": LLInferencer,
    "CLPInferencer": CLPInferencer,
    "MultiTurnGenInferencer": MultiTurnGenInferencer,
    "ChatInferencer": ChatInferencer,
}


def make_template(config: object) -> Template | None:
    """Return the template that `ice_template` or `prompt_template` describes; None for null.

    Raises:
        TemplateError: stage `template`.
    """
    if config is None:
        return None
    return _made(config, TEMPLATES, "template", stage="template")


def make_retriever(
    config: object, *, dialect: str = "opencompass", plugins: Collection[str] = ()
) -> Retriever:
    """Return the retriever that `infer_cfg.retriever` describes.

    Args:
        config: as the test document has it.
        dialect: of the test.
        plugins: names of plugins that it may use.

    Raises:
        TemplateError: stage `retriever`.
    """
    refused = () if dialect == "aisbench" else (("ZeroRetriever", "ice_separator"),)
    given = _without(PLUMBING, config)
    foreign = _plugin_type(given, plugins)
    types = {**RETRIEVERS, foreign.plugin.name: foreign.kind} if foreign else RETRIEVERS
    made = _made(given, types, "retriever", stage="retriever", refused=refused)
    for key in ("ice_separator", "ice_eos_token"):
        value = getattr(made, key)
        if not isinstance(value, str):
            message = f"`{key}` must be a text, not {json_type(value)}"
            raise TemplateError(message, stage="retriever")
    return foreign.guarded(made) if foreign else made


def _plugin_type(config: object, plugins: Collection[str]) -> PluginType | None:
    """Return the plugin's class that a configuration names, if lve has none of that name."""
    name = short_name(config.get("type")) if isinstance(config, Mapping) else ""
    if not name or name in RETRIEVERS:
        return None
    from lve.prompts.templates.retrievers.of_plugin import plugin_type

    return plugin_type(name, plugins)


def make_inferencer(config: object) -> Inferencer:
    """Return the inferencer that `infer_cfg.inferencer` describes.

    Raises:
        TemplateError: stage `infer`.
    """
    if isinstance(config, Mapping):
        kind = INFERENCERS.get(short_name(config.get("type")), GenInferencer)
        config = _without((*PLUMBING, *ignored_arguments(kind, config)), config)
    return _made(config, INFERENCERS, "inferencer", stage="infer")


def _without(keys: Collection[str], config: object) -> object:
    if not isinstance(config, Mapping):
        return config
    return {key: value for key, value in config.items() if key not in keys}


def _made(
    config: object,
    types: Mapping[str, type[Made]],
    what: str,
    *,
    stage: TemplateStage,
    refused: tuple[tuple[str, str], ...] = (),
) -> Made:
    """Return what a configuration describes by `type` and the arguments beside it.

    Args:
        config: of the test document. Without a `type` it is the first one of `types`.
        types: by the names that upstream gives them, with or without a module path.
        what: the types are, for messages.
        stage: of errors.
        refused: names of types, each with an argument that it doesn't take.

    Raises:
        TemplateError: no such type, or an argument that is unknown or missing.
    """
    if not isinstance(config, Mapping):
        raise TemplateError(f"`{what}` must be an object, not {json_type(config)}", stage=stage)
    given = config.get("type", next(iter(types)))
    name = short_name(given)
    if name not in types:
        hint = did_you_mean(name, types) or f"there are {', '.join(types)}"
        message = f"there is no {what} {given!r}; {hint}"
        raise TemplateError(message, stage=stage)
    arguments: dict[str, Any] = {key: value for key, value in config.items() if key != "type"}
    taken = {f.name: f for f in fields(types[name]) if (name, f.name) not in refused}  # type: ignore[arg-type]  # all are dataclasses
    for key in arguments:
        if key not in taken:
            message = f"{name} has no argument {key!r}; it has {', '.join(taken)}"
            raise TemplateError(message, stage=stage)
    for key, field in taken.items():
        if field.default is MISSING and key not in arguments:
            raise TemplateError(f"{name} needs `{key}`", stage=stage)
    return types[name](**arguments)


def short_name(given: object) -> str:
    """Return the name of a type, which upstream's dumps write with its module; `""` if it is no
    text."""
    return given.rpartition(".")[2] if isinstance(given, str) else ""
