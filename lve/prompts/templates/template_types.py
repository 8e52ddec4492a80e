"""The template types by name, and how one is made from `infer_cfg`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from lve.documents.json_types import json_type
from lve.errors import TemplateError
from lve.prompts.templates.aisbench import MMPromptTemplate, MultiTurnPromptTemplate
from lve.prompts.templates.raw import RawPromptTemplate
from lve.prompts.templates.template import PromptTemplate, Template

TEMPLATE_TYPES: Mapping[str, type[PromptTemplate] | type[RawPromptTemplate]] = {
    "PromptTemplate": PromptTemplate,
    "RawPromptTemplate": RawPromptTemplate,
    "MultiTurnPromptTemplate": MultiTurnPromptTemplate,
    "MMPromptTemplate": MMPromptTemplate,
}


def make_template(config: Any) -> Template | None:
    """Return the template that `ice_template` or `prompt_template` describes; None for null.

    Raises:
        TemplateError: stage `template`.
    """
    if config is None:
        return None
    if not isinstance(config, Mapping):
        raise TemplateError(
            f"a template must be an object, not {json_type(config)}", stage="template"
        )
    arguments = {key: value for key, value in config.items() if key != "type"}
    kind = pick(TEMPLATE_TYPES, config.get("type", "PromptTemplate"), "template")
    known = [f.name for f in dataclasses.fields(kind)]
    unknown = [key for key in arguments if key not in known]
    if unknown:
        raise TemplateError(
            f"{kind.__name__} has no argument {unknown[0]!r}; it has {', '.join(known)}",
            stage="template",
        )
    if known[0] not in arguments:
        raise TemplateError(f"{kind.__name__} needs `{known[0]}`", stage="template")
    made: Template = kind(**arguments)
    return made


def pick(types: Mapping[str, Any], name: Any, what: str) -> Any:
    """Return the type of that name, as upstream spells it (with or without a module path).

    Raises:
        TemplateError: no such type; names those there are.
    """
    short = name.rsplit(".", 1)[-1] if isinstance(name, str) else None
    if short is None or short not in types:
        raise TemplateError(
            f"there is no {what} {name!r}; there are {', '.join(types)}", stage="template"
        )
    return types[short]
