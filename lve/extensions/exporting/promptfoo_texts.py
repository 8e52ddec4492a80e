"""Names models as promptfoo does, and writes lve's texts as its templates (Nunjucks) and as
expressions of JavaScript."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from lve.models.known_models import known_model, known_servers
from lve.pipeline.model_args import base_args
from lve.prompts.fill import Placeholder, fill, parse_template
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings
from lve.spec.spec import Spec

OWN_PROVIDERS = {"anthropic": "anthropic:messages", "gemini": "google", "openai": "openai:chat"}
"""Provider -> promptfoo's name of it. Others are servers with OpenAI's API."""
_CONFIG = frozenset(
    (
        *("temperature", "max_tokens", "max_completion_tokens", "top_p", "seed", "stop"),
        *("presence_penalty", "frequency_penalty", "response_format", "reasoning_effort"),
    )
)
"""Model args that are settings of promptfoo's, too. Others are passed on."""


def provider_of(name: str, spec: Spec, settings: Settings) -> dict[str, object] | None:
    """Return a model as a provider of promptfoo; None if it has none.

    Args:
        name: of the model.
        spec: the test, for this model.
        settings: the workspace's settings.
    """
    prefix, _, rest = name.partition("/")
    entry = settings.entry(name) or ModelSettings(provider=prefix)
    server, model = known_servers().get(entry.provider), entry.model or rest
    address = entry.base_url or (server.base_url if server and server.api == "openai" else None)
    if not model or (entry.provider not in OWN_PROVIDERS and address is None):
        return None
    traits = known_model(name, settings)
    renames = {**(traits.renames if traits else {}), **entry.renames}
    args = {renames.get(n, n): v for n, v in base_args(settings, name, spec).items()}
    config: dict[str, object] = {n: v for n, v in args.items() if n in _CONFIG and v is not None}
    if others := {n: v for n, v in args.items() if n not in _CONFIG and v is not None}:
        config["passthrough"] = others
    if address is not None:
        config["apiBaseUrl"] = address
    key = entry.api_key_env or (server.api_key_env if server else None)
    if key and address is not None:
        config["apiKeyEnvar"] = key
    return {
        "id": f"{OWN_PROVIDERS.get(entry.provider, OWN_PROVIDERS['openai'])}:{model}",
        "config": config,
    }


_OPENING = re.compile(r"\{(?=[{%#])")
_IN_VALUE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
OWN = "lve_text_"
"""Begins the names of variables for placeholders that Nunjucks has no word for."""


KEYWORDS = frozenset(
    ("and", "else", "false", "if", "in", "is", "none", "not", "null", "or", "true", "undefined")
)
"""Words of Nunjucks, which can't name variables."""


class Variables:
    """The variables of a test's rows: its parameters, and texts that lve fills."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        """Template of lve -> variable."""

    def template(self, text: str) -> str:
        """Return a text of lve as a template of Nunjucks.

        Raises:
            PlaceholderError: it isn't a valid text.
        """
        parts = parse_template(text).segments
        mark = next(sign for sign in map(chr, range(0xE000, 0xF900)) if sign not in text)
        written = "".join(p if isinstance(p, str) else mark for p in parts)
        names = iter([self._name(text, p) for p in parts if isinstance(p, Placeholder)])
        return re.sub(mark, lambda _: f"{{{{ {next(names)} }}}}", literal(written))

    def expression(self, text: str) -> str:
        """Return a text of lve as an expression of JavaScript, for an assertion.

        Raises:
            PlaceholderError: it isn't a valid text.
        """
        parts = [
            quoted(p) if isinstance(p, str) else f"context.vars[{quoted(self._name(text, p))}]"
            for p in parse_template(text).segments
        ]
        return " + ".join(parts) if len(parts) != 1 else parts[0]

    def row(self, parameters: Mapping[str, object]) -> dict[str, str]:
        """Return the values of all variables for a row.

        Raises:
            PromptError: a value can't be formatted as its placeholder says.
        """
        return {name: fill(text, parameters) for text, name in self._texts.items()}

    def is_replaced(self, value: str) -> bool:
        """Return whether promptfoo would replace something in the value of a variable."""
        return any(name in self._texts.values() for name in _IN_VALUE.findall(value))

    def _name(self, text: str, placeholder: Placeholder) -> str:
        is_plain = not (placeholder.indexes or placeholder.conversion or placeholder.spec)
        if is_plain and placeholder.name not in KEYWORDS:
            return self._texts.setdefault(f"{{{placeholder.name}}}", placeholder.name)
        written = _written(text, placeholder)
        return self._texts.setdefault(written, f"{OWN}{len(self._texts) + 1}")


def _written(text: str, placeholder: Placeholder) -> str:
    """Return a placeholder as it is written."""
    depth = 0
    for at in range(placeholder.offset, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[placeholder.offset : at + 1]
    raise AssertionError(text)


def literal(text: str) -> str:
    """Return a text in which nothing is a template of Nunjucks."""
    return _OPENING.sub('{{ "{" }}', text)


def quoted(text: str) -> str:
    """Return a text as a string of JavaScript that has nothing of a template."""
    return json.dumps(text).replace("{", "\\u007b")
