"""Which keys are sent to a server that only the settings name."""

from __future__ import annotations

import asyncio

import pytest
from support.server import model_server

from lve.errors import SettingsError
from lve.messages import Message
from lve.models.chat_model import ChatModel, ChatRequest
from lve.models.http.keys import may_be_sent_to
from lve.models.registry import create_model
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

AT_HOME = """\
OPENAI_API_KEY https://api.openai.com/v1
OPENAI_API_KEY https://eu.api.openai.com/v1
AZURE_OPENAI_API_KEY https://mine.openai.azure.com
AZURE_OPENAI_AD_TOKEN https://mine.openai.azure.us
AZURE_API_KEY https://mine.services.ai.azure.com
AZURE_API_KEY https://mine.services.ai.azure.us
AZURE_API_KEY https://mine.openai.azure.cn
AZURE_API_KEY https://mine.cognitiveservices.azure.com
AZURE_API_KEY https://eastus.api.cognitive.microsoft.com
ANTHROPIC_API_KEY https://api.anthropic.com/v1
GITHUB_TOKEN https://models.github.ai/inference
HF_TOKEN https://router.huggingface.co/v1
GEMINI_API_KEY https://generativelanguage.googleapis.com/v1beta/openai
OPENROUTER_API_KEY https://openrouter.ai/api/v1
CEREBRAS_API_KEY https://api.cerebras.ai/v1
CLAUDE_API_KEY https://api.anthropic.com/v1
CLOUDFLARE_API_TOKEN https://api.cloudflare.com/client/v4/accounts/me/ai/v1
COHERE_API_KEY https://api.cohere.com/compatibility/v1
COHERE_API_KEY https://api.cohere.ai/compatibility/v1
DASHSCOPE_API_KEY https://dashscope.aliyuncs.com/compatible-mode/v1
DASHSCOPE_API_KEY https://dashscope-intl.aliyuncs.com/compatible-mode/v1
DEEPINFRA_API_KEY https://api.deepinfra.com/v1/openai
DEEPSEEK_API_KEY https://api.deepseek.com/v1
DIGITALOCEAN_TOKEN https://inference.do-ai.run/v1
FIREWORKS_API_KEY https://api.fireworks.ai/inference/v1
GROQ_API_KEY https://api.groq.com/openai/v1
MISTRAL_API_KEY https://api.mistral.ai/v1
MOONSHOT_API_KEY https://api.moonshot.ai/v1
MOONSHOT_API_KEY https://api.moonshot.cn/v1
NVIDIA_API_KEY https://integrate.api.nvidia.com/v1
PERPLEXITY_API_KEY https://api.perplexity.ai
REPLICATE_API_TOKEN https://api.replicate.com/v1
TOGETHER_API_KEY https://api.together.xyz/v1
TOGETHER_API_KEY https://api.together.ai/v1
DATABRICKS_TOKEN https://mine.cloud.databricks.com/serving-endpoints
DATABRICKS_TOKEN https://mine.azuredatabricks.net/serving-endpoints
DATABRICKS_TOKEN https://mine.gcp.databricks.com/serving-endpoints
GH_TOKEN https://models.inference.ai.azure.com
GITHUB_TOKEN https://api.githubcopilot.com
SNOWFLAKE_PASSWORD https://mine.snowflakecomputing.com/api/v2
VERCEL_TOKEN https://ai-gateway.vercel.sh/v1
VOYAGE_API_KEY https://api.voyageai.com/v1
WANDB_API_KEY https://api.inference.wandb.ai/v1
XAI_API_KEY https://api.x.ai/v1
MY_SERVER_KEY http://127.0.0.1:8000/v1
ACME_KEY https://models.acme.example/v1"""
AWAY = """\
OPENAI_API_KEY http://evil.example/v1
OPENAI_API_KEY http://127.0.0.1:8000/v1
OPENAI_API_KEY http://api.openai.com/v1
OPENAI_API_KEY https://api.openai.com.evil.example/v1
OPENAI_API_KEY https://evilopenai.com/v1
OPENAI_ADMIN_KEY https://evil.example/v1
openai_api_key https://evil.example/v1
AZURE_OPENAI_API_KEY https://evil.westeurope.cloudapp.azure.com
AZURE_OPENAI_AD_TOKEN https://evil.westeurope.inference.ml.azure.com
AZURE_OPENAI_API_KEY https://api.openai.com/v1
GITHUB_TOKEN https://evil.github.io/v1
GH_TOKEN https://evil.example/v1
HF_TOKEN https://evil.hf.space/v1
AWS_SECRET_ACCESS_KEY https://ec2-1-2-3-4.compute-1.amazonaws.com/v1
GOOGLE_API_KEY https://evil.run.app/v1
ANTHROPIC_API_KEY https://api.openai.com/v1
BITBUCKET_TOKEN https://evil.example/v1
CARGO_REGISTRY_TOKEN https://evil.example/v1
CEREBRAS_API_KEY https://evil.example/v1
CI_JOB_TOKEN https://evil.example/v1
CLAUDE_API_KEY https://evil.example/v1
CLOUDFLARE_API_TOKEN https://evil.example/v1
COHERE_API_KEY https://evil.example/v1
DASHSCOPE_API_KEY https://evil.example/v1
DATABASE_URL https://evil.example/v1
DATABRICKS_TOKEN https://evil.example/v1
DEEPINFRA_API_KEY https://evil.example/v1
DEEPSEEK_API_KEY https://evil.example/v1
DIGITALOCEAN_TOKEN https://evil.example/v1
DOCKER_PASSWORD https://evil.example/v1
FIREWORKS_API_KEY https://evil.example/v1
GCP_KEY https://evil.example/v1
GEMINI_API_KEY https://evil.example/v1
GITLAB_TOKEN https://evil.example/v1
GROQ_API_KEY https://evil.example/v1
HEROKU_API_KEY https://evil.example/v1
HUGGINGFACEHUB_API_TOKEN https://evil.example/v1
HUGGINGFACE_TOKEN https://evil.example/v1
HUGGING_FACE_HUB_TOKEN https://evil.example/v1
LANGCHAIN_API_KEY https://evil.example/v1
LANGSMITH_API_KEY https://evil.example/v1
MISTRAL_API_KEY https://evil.example/v1
MOONSHOT_API_KEY https://evil.example/v1
MYSQL_PASSWORD https://evil.example/v1
NODE_AUTH_TOKEN https://evil.example/v1
NPM_TOKEN https://evil.example/v1
NVIDIA_API_KEY https://evil.example/v1
OPENROUTER_API_KEY https://evil.example/v1
PERPLEXITY_API_KEY https://evil.example/v1
PGPASSWORD https://evil.example/v1
POSTGRES_PASSWORD https://evil.example/v1
PYPI_TOKEN https://evil.example/v1
REDIS_URL https://evil.example/v1
REPLICATE_API_TOKEN https://evil.example/v1
SLACK_BOT_TOKEN https://evil.example/v1
SNOWFLAKE_PASSWORD https://evil.example/v1
SSH_AUTH_SOCK https://evil.example/v1
STRIPE_SECRET_KEY https://evil.example/v1
TOGETHER_API_KEY https://evil.example/v1
TWILIO_AUTH_TOKEN https://evil.example/v1
TWINE_PASSWORD https://evil.example/v1
UV_PUBLISH_TOKEN https://evil.example/v1
VAULT_TOKEN https://evil.example/v1
VERCEL_TOKEN https://evil.example/v1
VOYAGE_API_KEY https://evil.example/v1
WANDB_API_KEY https://evil.example/v1
XAI_API_KEY https://evil.example/v1"""


@pytest.mark.parametrize("case", AT_HOME.splitlines())
def test_a_key_goes_to_those_who_issue_it_and_an_own_one_anywhere(case: str) -> None:
    assert may_be_sent_to(*case.split(), env={})


@pytest.mark.parametrize("case", AWAY.splitlines())
def test_a_well_known_key_goes_nowhere_else(case: str) -> None:
    assert not may_be_sent_to(*case.split(), env={})


def test_the_user_says_where_else_a_key_goes() -> None:
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}
    assert may_be_sent_to("OPENAI_API_KEY", "http://127.0.0.1:8000/other", env)
    assert not may_be_sent_to("OPENAI_API_KEY", "http://127.0.0.1:8001/v1", env)
    assert not may_be_sent_to("GITHUB_TOKEN", "http://127.0.0.1:8000/v1", env)
    assert not may_be_sent_to("OPENAI_API_KEY", "http://a/v1", {"OPENAI_BASE_URL": "http://[/v1"})


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"])
@pytest.mark.parametrize("provider", ["openai", "azure"])
def test_settings_that_send_a_well_known_key_away_are_refused(
    variable: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "the-users-key-0123456789")
    entry = ModelSettings(provider, base_url="http://evil.example/v1", api_key_env=variable)
    settings = Settings(models={"openai/x": entry})
    with pytest.raises(SettingsError) as caught:
        create_model("openai/x", settings)
    assert str(caught.value) == (
        f"model 'openai/x': {variable} is not sent to http://evil.example/v1, which only the "
        "settings name: use a variable of its own for this server, or give --base-url "
        "http://evil.example/v1"
    )
    create_model("openai/x", settings, base_url="http://evil.example/v1")


@pytest.mark.parametrize("version", ["2024-10-21", None])
@pytest.mark.parametrize("provider", ["openai", "azure"])
@pytest.mark.parametrize("client", ["own", "openai"])
def test_no_client_adds_keys_or_names_of_its_own(
    client: str, provider: str, version: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("AZURE_OPENAI_AD_TOKEN", "AZURE_OPENAI_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(variable, "the-users-key-0123456789")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "the-users-key-0123456789")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-user")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-the-user")
    monkeypatch.setenv("THEIR_KEY", "key-of-this-server")

    async def run(model: ChatModel) -> None:
        await model.complete(ChatRequest((Message("Compute 1 + 1"),)))
        await model.aclose()

    with model_server() as server:
        entry = ModelSettings(
            provider,
            base_url=server.url,
            api_key_env="THEIR_KEY",
            api_version=version,
            options={"client": client},
        )
        asyncio.run(run(create_model("a/b", Settings(models={"a/b": entry}))))
        sent = dict(server.requests[0].headers)
    assert "of-the-user" not in str(sent)
    assert "the-users" not in str(sent)
    assert "key-of-this-server" in str(sent)
