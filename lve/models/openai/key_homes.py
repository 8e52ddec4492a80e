"""Which servers a well-known key may be sent to when only settings name the server.

`lve.yaml` says of a model where it is served and in which variable its key is. Somebody who stands
in a clone follows a stranger's settings, so the keys that everybody keeps in variables of the same
names go to those who issued them, or where the user himself says.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

# No host is here under which strangers run servers of their own, as below `cloudapp.azure.com`.
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
    "MISTRAL_": ("mistral.ai",),
    "MOONSHOT_": ("moonshot.ai", "moonshot.cn"),
    "MYSQL_": (),
    "NODE_AUTH_": (),
    "NPM_": (),
    "NVIDIA_": ("nvidia.com",),
    "OPENAI_": ("openai.com",),
    "OPENROUTER_": ("openrouter.ai",),
    "PERPLEXITY_": ("perplexity.ai",),
    "PGPASS": (),
    "POSTGRES_": (),
    "PYPI_": (),
    "REDIS_": (),
    "REPLICATE_": ("replicate.com",),
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
    "VOYAGE_": ("voyageai.com",),
    "WANDB_": ("wandb.ai",),
    "XAI_": ("x.ai",),
}
"""What well-known variables begin with, and the hosts of who issues the keys, with all below."""
_NAMED_BY_THE_USER = {"OPENAI_": "OPENAI_BASE_URL", "AZURE_": "AZURE_OPENAI_ENDPOINT"}
"""Where the user says where else the keys of a family go."""


def may_go_to(variable: str, url: str, env: Mapping[str, str]) -> bool:
    """Return whether the key in a variable may go to a server that only settings name: if it is no
    well-known key, or the server is its issuer's or one that the user names for such keys.

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
    """Whether an address is at or below a host, and nobody on the way can read along."""
    scheme, host, _ = _origin(url)
    return scheme == "https" and any(f".{host}".endswith(f".{home}") for home in hosts)


def _origin(url: str) -> tuple[str, str, int | None]:
    """Return who answers at an address: another port is another server."""
    try:
        parts = urlsplit(url)
        default = {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, parts.hostname or "", parts.port or default
    except ValueError:  # of what the user has in a variable
        return "", "", None
