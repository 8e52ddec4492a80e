"""How long Anthropic keeps the beginning of prompts: what the option may say."""

from __future__ import annotations

import pytest

from lve.errors import SettingsError
from lve.extensions.anthropic.endpoint import cache_time
from lve.settings.model_settings import ModelSettings


@pytest.mark.parametrize(
    ("options", "time"),
    [
        ({}, None),
        ({"prompt_cache": None}, None),
        ({"prompt_cache": False}, None),
        ({"prompt_cache": "5m"}, "5m"),
        ({"prompt_cache": "1h"}, "1h"),
    ],
)
def test_what_may_be_set(options: dict[str, object], time: str | None) -> None:
    assert cache_time("m", ModelSettings(options=options)) == time


@pytest.mark.parametrize("value", [True, 0, "", "2h", 300])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(SettingsError, match="prompt_cache must be `5m` or `1h`"):
        cache_time("m", ModelSettings(options={"prompt_cache": value}))
