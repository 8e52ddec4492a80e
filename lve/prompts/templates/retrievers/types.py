"""The retrievers by name, and how one is made from `infer_cfg`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lve.documents.json_types import json_type
from lve.errors import TemplateError
from lve.prompts.templates.retrievers.retrievers import (
    BM25Retriever,
    DPPRetriever,
    FixKRetriever,
    MDLRetriever,
    RandomRetriever,
    Retriever,
    SlidingWindowRetriever,
    TopkRetriever,
    VotekRetriever,
    ZeroRetriever,
)

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


def make_retriever(config: Any, *, dialect: str = "opencompass") -> Retriever:
    """Return the retriever that `infer_cfg.retriever` describes.

    Raises:
        TemplateError: stage `retriever`.
    """
    if not isinstance(config, Mapping):
        raise _wrong(f"`retriever` must be an object, not {json_type(config)}")
    name = str(config.get("type", "ZeroRetriever")).rsplit(".", 1)[-1]
    if name not in RETRIEVERS:
        raise _wrong(f"there is no retriever {name!r}; there are {', '.join(RETRIEVERS)}")
    kind: Any = RETRIEVERS[name]
    arguments = {key: value for key, value in config.items() if key != "type"}
    known = [f.name for f in fields(kind)]
    if name == "ZeroRetriever" and dialect != "aisbench":
        known.remove("ice_separator")
    for key in arguments:
        if key not in known:
            raise _wrong(f"{name} has no argument {key!r}; it has {', '.join(known)}")
    for key in ("ice_separator", "ice_eos_token"):
        if not isinstance(arguments.get(key, ""), str):
            raise _wrong(f"`{key}` must be a text, not {json_type(arguments[key])}")
    try:
        made: Retriever = kind(**arguments)
    except TypeError as error:
        raise _wrong(f"{name}: {error}") from error
    return made


def _wrong(message: str) -> TemplateError:
    return TemplateError(message, stage="retriever")
