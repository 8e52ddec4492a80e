"""Keys: they can't be printed by accident, and a well-known one doesn't go to any server.

`lve.yaml` names a model's server and the variable with its key. In a clone, these are a stranger's
settings. So a key in a well-known variable is sent only to its issuer, or to a server that the user
names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn
from urllib.parse import urlsplit

# No host in these lists has strangers' servers below it, as `cloudapp.azure.com` does.
_GOOGLE = ("googleapis.com",)
_HUGGING_FACE = ("huggingface.co",)
_GITHUB = ("models.github.ai", "models.inference.ai.azure.com", "api.githubcopilot.com")
_AZURE = tuple(
    f"{service}.{domain}"
    for service in ("openai", "cognitiveservices", "services.ai")
    for domain in ("azure.com", "azure.us", "azure.cn")
)
_HOMES: Mapping[str, tuple[str, ...]] = {
    "ANTHROPIC_": ("anthropic.com",),
    "AWS_": (),
    "AZURE_": (*_AZURE, "api.cognitive.microsoft.com"),
    "BITBUCKET_": (),
    "CARGO_": (),
    "CEREBRAS_": ("cerebras.ai",),
    "CI_": (),
    "CLAUDE_": ("anthropic.com",),
    "CLOUDFLARE_": ("api.cloudflare.com",),
    "COHERE_": ("cohere.com", "cohere.ai"),
    "DASHSCOPE_": ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"),
    "DATABASE_": (),
    "DATABRICKS_": ("cloud.databricks.com", "azuredatabricks.net", "gcp.databricks.com"),
    "DEEPINFRA_": ("deepinfra.com",),
    "DEEPSEEK_": ("deepseek.com",),
    "DIGITALOCEAN_": ("inference.do-ai.run",),
    "DOCKER_": (),
    "FIREWORKS_": ("fireworks.ai",),
    "GCP_": _GOOGLE,
    "GEMINI_": _GOOGLE,
    "GH_": _GITHUB,
    "GITHUB_": _GITHUB,
    "GITLAB_": (),
    "GOOGLE_": _GOOGLE,
    "GROQ_": ("groq.com",),
    "HEROKU_": (),
    "HF_": _HUGGING_FACE,
    "HUGGINGFACEHUB_": _HUGGING_FACE,
    "HUGGINGFACE_": _HUGGING_FACE,
    "HUGGING_FACE_": _HUGGING_FACE,
    "LANGCHAIN_": (),
    "LANGSMITH_": (),
    "LLAMA_": (),
    "LMSTUDIO_": (),
    "MISTRAL_": ("mistral.ai",),
    "MOONSHOT_": ("moonshot.ai", "moonshot.cn"),
    "MYSQL_": (),
    "NODE_AUTH_": (),
    "NPM_": (),
    "NVIDIA_": ("nvidia.com",),
    "OLLAMA_": ("ollama.com",),
    "OPENAI_": ("openai.com",),
    "OPENROUTER_": ("openrouter.ai",),
    "PERPLEXITY_": ("perplexity.ai",),
    "PGPASS": (),
    "POSTGRES_": (),
    "PYPI_": (),
    "REDIS_": (),
    "REPLICATE_": ("replicate.com",),
    "SGLANG_": (),
    "SLACK_": (),
    "SNOWFLAKE_": ("snowflakecomputing.com",),
    "SSH_": (),
    "STRIPE_": (),
    "TOGETHER_": ("together.xyz", "together.ai"),
    "TWILIO_": (),
    "TWINE_": (),
    "UV_": (),
    "VAULT_": (),
    "VERCEL_": ("ai-gateway.vercel.sh",),
    "VLLM_": (),
    "VOYAGE_": ("voyageai.com",),
    "WANDB_": ("wandb.ai",),
    "XAI_": ("x.ai",),
}
"""Prefix of a variable's name -> hosts of the issuer; hosts below them count, too."""
_NAMED_BY_THE_USER = {
    "ANTHROPIC_": "ANTHROPIC_BASE_URL",
    "AZURE_": "AZURE_OPENAI_ENDPOINT",
    "GEMINI_": "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_": "GOOGLE_GEMINI_BASE_URL",
    "OPENAI_": "OPENAI_BASE_URL",
}
"""Prefix of a variable's name -> the variable in which the user names another server."""


def may_go_to(variable: str, url: str, env: Mapping[str, str]) -> bool:
    """Return whether the key in a variable may be sent to a server that only the settings name.

    It may if the variable isn't well-known, or if the server is the issuer's or one that the user
    names for such keys.

    Args:
        variable: the variable's name.
        url: the server's address.
        env: environment variables.
    """
    family = next((known for known in _HOMES if variable.upper().startswith(known)), None)
    if family is None:
        return True
    named = env.get(_NAMED_BY_THE_USER.get(family, ""), "")
    return _is_home(url, _HOMES[family]) or (bool(named) and _origin(named) == _origin(url))


def _is_home(url: str, hosts: tuple[str, ...]) -> bool:
    """Whether a URL is at or below one of the hosts and uses HTTPS."""
    scheme, host, _ = _origin(url)
    return scheme == "https" and any(f".{host}".endswith(f".{home}") for home in hosts)


def _origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of a URL."""
    try:
        parts = urlsplit(url)
        default = {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, parts.hostname or "", parts.port or default
    except ValueError:  # the variable doesn't hold a URL
        return "", "", None


class Secret:
    """A key. Only `reveal` returns its text."""

    __slots__ = ("_value", "variable")

    def __init__(self, value: str, variable: str | None = None) -> None:
        """Args:
        value: the text.
        variable: the environment variable that has it; None: lve's own placeholder.
        """
        self._value = value
        self.variable = variable

    def reveal(self) -> str:
        """Return the text, to send it."""
        return self._value

    def hide(self, text: str) -> str:
        """Return `text` with every occurrence of the secret replaced by `***`."""
        # Placeholder keys such as `none` are common words: replacing them would garble messages.
        return text.replace(self._value, "***") if len(self._value) >= 8 else text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret can't be pickled")
