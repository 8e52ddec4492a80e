"""The templates, retrievers and inferencers by name, and how `infer_cfg` creates them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from typing import TypeVar

from lve.errors import TemplateError, TemplateStage
from lve.extensions.opencompass.aisbench import MMPromptTemplate, MultiTurnPromptTemplate
from lve.extensions.opencompass.inferencers.generation import (
    ChatInferencer,
    GenInferencer,
    MultiTurnGenInferencer,
)
from lve.extensions.opencompass.inferencers.inferencer import (
    STORAGE_ARGUMENTS,
    Inferencer,
    ignored_arguments,
)
from lve.extensions.opencompass.inferencers.rating import (
    ChoicesInferencer,
    CLPInferencer,
    LikelihoodInferencer,
    LLInferencer,
    PPLInferencer,
)
from lve.extensions.opencompass.raw import RawPromptTemplate
from lve.extensions.opencompass.retrievers.offline import (
    BM25Retriever,
    FixKRetriever,
    RandomRetriever,
    SlidingWindowRetriever,
    ZeroRetriever,
)
from lve.extensions.opencompass.retrievers.plugin_retriever import PluginType, plugin_type
from lve.extensions.opencompass.retrievers.retriever import Retriever
from lve.extensions.opencompass.retrievers.vector_retrievers import (
    DPPRetriever,
    MDLRetriever,
    TopkRetriever,
    VotekRetriever,
)
from lve.extensions.opencompass.template import PromptTemplate, Template
from lve.json_types import json_type
from lve.suggest import did_you_mean

Created = TypeVar("Created")

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
    "ChoicesInferencer": ChoicesInferencer,
    "MultiTurnGenInferencer": MultiTurnGenInferencer,
    "ChatInferencer": ChatInferencer,
}


def make_template(config: object) -> Template | None:
    """Create the template that `ice_template` or `prompt_template` describes; None for null.

    Raises:
        TemplateError: stage `template`.
    """
    if config is None:
        return None
    return _create(config, TEMPLATES, "template", stage="template")


def make_retriever(
    config: object, *, dialect: str = "opencompass", plugins: Collection[str] = ()
) -> Retriever:
    """Create the retriever that `infer_cfg.retriever` describes.

    Args:
        config: from the test document.
        dialect: of the test.
        plugins: names of the plugins that the test may use.

    Raises:
        TemplateError: stage `retriever`.
    """
    refused = () if dialect == "aisbench" else (("ZeroRetriever", "ice_separator"),)
    settings = _without(STORAGE_ARGUMENTS, config)
    foreign = _plugin_type(settings, plugins)
    types = {**RETRIEVERS, foreign.plugin.name: foreign.kind} if foreign else RETRIEVERS
    retriever = _create(settings, types, "retriever", stage="retriever", refused=refused)
    check_text("ice_separator", retriever.ice_separator, stage="retriever")
    check_text("ice_eos_token", retriever.ice_eos_token, stage="retriever")
    return foreign.guarded(retriever) if foreign else retriever


def check_text(name: str, value: object, *, stage: TemplateStage) -> None:
    """Raise TemplateError if an argument isn't a text."""
    if not isinstance(value, str):
        raise TemplateError(f"`{name}` must be a text, not {json_type(value)}", stage=stage)


def _plugin_type(config: object, plugins: Collection[str]) -> PluginType | None:
    """Return the plugin's class that `type` names; None if it is a class of lve or unknown."""
    name = short_name(config.get("type")) if isinstance(config, Mapping) else ""
    if not name or name in RETRIEVERS:
        return None
    return plugin_type(name, plugins)


def make_inferencer(config: object) -> Inferencer:
    """Create the inferencer that `infer_cfg.inferencer` describes.

    Raises:
        TemplateError: stage `infer`.
    """
    if isinstance(config, Mapping):
        kind = INFERENCERS.get(short_name(config.get("type")), GenInferencer)
        config = _without((*STORAGE_ARGUMENTS, *ignored_arguments(kind, config)), config)
    return _create(config, INFERENCERS, "inferencer", stage="infer")


def _without(keys: Collection[str], config: object) -> object:
    if not isinstance(config, Mapping):
        return config
    return {key: value for key, value in config.items() if key not in keys}


def _create(
    config: object,
    types: Mapping[str, type[Created]],
    what: str,
    *,
    stage: TemplateStage,
    refused: tuple[tuple[str, str], ...] = (),
) -> Created:
    """Create an object from a configuration: `type` and the arguments beside it.

    Args:
        config: from the test document. Without `type` it is the first one of `types`.
        types: name -> class. In `config` the name may have a module path before it, as in dumps
            of upstream's configurations.
        what: `template`, `retriever` or `inferencer`, for messages.
        stage: of errors.
        refused: pairs of a type's name and an argument that this type doesn't accept.

    Raises:
        TemplateError: there is no such type, or an argument is unknown or missing.
    """
    if not isinstance(config, Mapping):
        raise TemplateError(f"`{what}` must be an object, not {json_type(config)}", stage=stage)
    type_name = config.get("type", next(iter(types)))
    name = short_name(type_name)
    if name not in types:
        hint = did_you_mean(name, types) or f"there are {', '.join(types)}"
        message = f"there is no {what} {type_name!r}; {hint}"
        raise TemplateError(message, stage=stage)
    arguments: dict[str, object] = {key: value for key, value in config.items() if key != "type"}
    accepted = {f.name: f for f in fields(types[name]) if (name, f.name) not in refused}  # type: ignore[arg-type]  # all are dataclasses
    for key in arguments:
        if key not in accepted:
            message = f"{name} has no argument {key!r}; it has {', '.join(accepted)}"
            raise TemplateError(message, stage=stage)
    for key, field in accepted.items():
        if field.default is MISSING and key not in arguments:
            raise TemplateError(f"{name} needs `{key}`", stage=stage)
    return types[name](**arguments)


def short_name(type_name: object) -> str:
    """Return a type's name without the module path that upstream's dumps have; `""` if it isn't a
    text."""
    return type_name.rpartition(".")[2] if isinstance(type_name, str) else ""
