"""Names that a test folder must not set, because they decide where requests and keys are sent.

Tests come by pull request. If a test could name a server or a header, running it would send the
prompts and the user's key wherever its author wants. So only the settings, the environment and the
command line can set these names.
"""

from __future__ import annotations

import re
from pathlib import Path

_ENDPOINT = frozenset(
    (
        *("base_url", "api_base", "api_base_url", "url", "endpoint", "websocket_base_url"),
        *("azure_endpoint", "azure_deployment", "api_type", "api_version"),
        *("organization", "project", "http_client", "transport", "verify", "cert"),
        *("proxy", "proxies", "http_proxy", "https_proxy", "cookies"),
        *("headers", "default_headers", "default_query"),
        *("extra_headers", "extra_query", "extra_body"),
    )
)
_SERVERS = frozenset(("mcp_servers", "tools", "functions"))
"""Model args of some APIs that declare tools, and thereby servers that the provider calls."""
_STORED = frozenset(
    ("previous_response_id", "conversation", "cachedContent", "cached_content", "container")
)
"""Model args that refer to data that the user has stored at the provider: conversations, texts,
files."""
_TERMS = frozenset(
    (
        *("service_tier", "speed", "inference_geo"),
        *("provider", "route", "models", "plugins", "transforms"),
    )
)
"""Model args that decide the price of an answer or, at servers that forward requests, who gets
them. (The first line is OpenAI's and Anthropic's, the second OpenRouter's.)"""
_KEY = (
    r"(?i)(^|_)(api_?key|key|secret|token|password|authorization|credentials?)(_env|_var|_file)?$"
)
_KEY_ARGUMENT = (
    r"(?i)(^|_)(api_?key|api_token|access_token|ad_token|authorization)(_env|_provider)?$"
)
"""Compiled by `re.search`, when a test has model args or such names."""
_NOT_KEYS = frozenset(
    {
        *("ice_token", "sep_token", "output_key", "gen_field_replace_token"),
        *("adv_key", "metric_key", "single_token"),
    }
)
_REQUEST = {
    "model": "name it with `model` of the test, or with --model",
    "messages": "the prompt gives the messages",
    "input": "the prompt gives the messages",
    "prompt": "the prompt gives the messages",
    "stream": "use --stream",
    "stream_options": "use --stream",
    "n": "use `repeats`, or `repetitions` of a multi_run_prompt",
    "timeout": "use `timeout_s` of the test, or of the model in the settings",
    "max_retries": "retries are the engine's business",
}
_TYPED = {"model": "use --model", "n": "use --repeats", "timeout": "use --timeout"}
_PLUGINS = frozenset({"plugin", "plugins", "provider", "caps", "trust", "allow_downloads"})
_WHERE = "set it in lve.yaml under `models:`, in the environment or on the command line"
_HEADERS = frozenset({"headers", "default_headers", "extra_headers"})
_WHERE_HEADERS = "set them in lve.yaml: `models: {NAME: {options: {headers: {...}}}}`"


def refusal_of_key(key: str) -> tuple[str, str] | None:
    """Return message and hint if only the maintainer may set this key, not a test; else None."""
    if is_key_name(key):
        return f"a key or secret (`{key}`) must never be in a file", (
            "put it into an environment variable and name that in lve.yaml: `api_key_env: NAME`"
        )
    if key in _ENDPOINT:
        return f"`{key}` can't be set here", _WHERE_HEADERS if key in _HEADERS else _WHERE
    if key in _PLUGINS:
        return f"`{key}` can't be set here", "only lve.yaml and the command line decide that"
    return None


def refusal_of_model_arg(name: str) -> tuple[str, str] | None:
    """Return message and hint if a model arg must not come from a test folder, else None."""
    if name in _REQUEST:
        return f"`{name}` is not a model argument", _REQUEST[name]
    if name in _SERVERS:
        hint = (
            "write the test's tools under its own key `tools`; servers of tools are set in lve.yaml"
        )
        return f"a test can't set the model arg `{name}`", hint
    if name in _ENDPOINT | _STORED | _TERMS or re.search(_KEY_ARGUMENT, name):
        return f"a test can't set `{name}`", _WHERE_HEADERS if name in _HEADERS else _WHERE
    return None


def refusal_of_typed_arg(name: str) -> tuple[str, str] | None:
    """Return message and hint if `--model-arg` can't set this name, else None.

    Parts of a request have options of their own, and a key would stay in the shell's history.
    """
    if name in _REQUEST:
        return f"`{name}` is not a model argument", _TYPED.get(name, _REQUEST[name])
    if re.search(_KEY_ARGUMENT, name):
        return f"a key can't be given as `{name}`", (
            "put it into an environment variable and name that in lve.yaml: `api_key_env: NAME`"
        )
    if name in _ENDPOINT:
        return f"`{name}` is not a model argument", "use --base-url, or lve.yaml under `models:`"
    return None


def is_key_name(name: str) -> bool:
    """Return whether a key in a document is named like a secret."""
    return name not in _NOT_KEYS and re.search(_KEY, name) is not None


def is_folder_elsewhere(model: str) -> bool:
    """Return whether a model is `hf/PATH` and the path may lead out of the current folder."""
    provider, _, name = model.partition("/")
    path = Path(name)
    return provider == "hf" and (path.is_absolute() or name.startswith("~") or ".." in path.parts)
