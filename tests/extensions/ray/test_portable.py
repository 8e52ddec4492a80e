"""Models and the variables that they need."""

from __future__ import annotations

import pytest

from lve.extensions.ray.portable import variables_for
from lve.settings.model_settings import ModelSettings
from lve.settings.settings import Settings

SET = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "AWS_PROFILE",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "GROQ_API_KEY",
    "TEAM_KEY",
    "GITHUB_TOKEN",
)


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("openai/gpt-4o", {"OPENAI_API_KEY", "OPENAI_BASE_URL"}),
        ("anthropic/claude", {"ANTHROPIC_API_KEY"}),
        ("gemini/x", {"GEMINI_API_KEY", "GOOGLE_API_KEY"}),
        ("bedrock/x", {"AWS_PROFILE"}),
        ("azure/x", {"AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"}),
        ("groq/x", {"GROQ_API_KEY"}),
        ("ours", {"TEAM_KEY", "OPENAI_BASE_URL"}),
        ("replay", set()),
        ("dummy/dummy", set()),
        ("hf/x", set()),
        ("at-base-url", {"OPENAI_API_KEY", "OPENAI_BASE_URL"}),
    ],
)
def test_a_model_s_variables(model: str, names: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_CA_BUNDLE", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_VERSION"):
        monkeypatch.delenv(name, raising=False)
    for name in SET:
        monkeypatch.setenv(name, "v")
    ours = ModelSettings(base_url="https://h/v1", api_key_env="TEAM_KEY")
    found = variables_for([model], Settings(models={"ours": ours}))
    assert set(found) == names
    assert "v" not in repr(found).replace("Variables", "")
