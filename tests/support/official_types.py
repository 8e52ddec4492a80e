"""The types of providers' own packages as strict JSON Schema: what a request may hold.

Where a package isn't installed, as for `make quick`, its validator is None and finds nothing wrong.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib.util import find_spec
from typing import Any

import jsonschema_rs
import pytest


def is_installed(package: str) -> bool:
    """Whether there is a package."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def strict_schema(typed_dict: Any) -> dict[str, Any]:
    """Return the schema of a TypedDict in which no object has unknown keys."""
    from pydantic import TypeAdapter

    _forbid_unknown_keys(typed_dict, set())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dict(TypeAdapter(typed_dict).json_schema())


def _forbid_unknown_keys(kind: Any, seen: set[int]) -> None:
    import typing_extensions

    if id(kind) in seen:
        return
    seen.add(id(kind))
    if typing_extensions.is_typeddict(kind):
        if not getattr(kind, "__pydantic_config__", None):
            kind.__pydantic_config__ = {"extra": "forbid"}
        for inner in typing_extensions.get_type_hints(kind, include_extras=True).values():
            _forbid_unknown_keys(inner, seen)
    for inner in typing_extensions.get_args(kind):
        _forbid_unknown_keys(inner, seen)


@cache
def anthropic_request() -> Any:
    """Return a validator of bodies for /v1/messages."""
    if not is_installed("anthropic"):
        return None
    from anthropic.types import message_create_params

    return jsonschema_rs.validator_for(strict_schema(message_create_params.MessageCreateParams))


def first_error(validator: Any, value: Any) -> str | None:
    """Return what is wrong with a value, with its place; None if nothing is."""
    if validator is None:
        return None
    for error in validator.iter_errors(value):
        return f"{'/'.join(map(str, error.instance_path))}: {str(error)[:500]}"
    return None


@cache
def gemini_request() -> Any:
    """Return a validator of bodies for `generateContent`."""
    if not is_installed("google.genai"):
        return None
    from google.genai import types
    from pydantic import ConfigDict, create_model
    from pydantic.alias_generators import to_camel

    def optional(kind: Any) -> Any:
        return (kind | None, None)

    body = create_model(
        "GenerateContentRequest",
        __config__=ConfigDict(extra="forbid", alias_generator=to_camel),
        contents=(list[types.Content], ...),
        system_instruction=optional(types.Content),
        tools=optional(list[types.Tool]),
        tool_config=optional(types.ToolConfig),
        safety_settings=optional(list[types.SafetySetting]),
        generation_config=optional(types.GenerationConfig),
        cached_content=optional(str),
        service_tier=optional(types.ServiceTier),
    )
    return validator_of(body)


def validator_of(model: Any) -> Any:
    """Return a validator of what a model of pydantic is as JSON, by the names of its aliases."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return jsonschema_rs.validator_for(model.model_json_schema(by_alias=True))


@cache
def _bedrock() -> Any:
    pytest.importorskip("botocore", reason="pip install boto3")
    import botocore.session

    return botocore.session.get_session().get_service_model("bedrock-runtime")


def wrong_with_converse(
    value: Any, operation: str = "Converse", shape: str = "input_shape"
) -> str | None:
    """Return what is wrong with the arguments of Converse, by AWS's service model; or with another
    shape of an operation."""
    from botocore.validate import ParamValidator

    report = ParamValidator().validate(value, getattr(_bedrock().operation_model(operation), shape))
    return report.generate_report() if report.has_errors() else None
