"""The table of known models."""

from __future__ import annotations

import json

import pytest

from lve.execution.cost import cost_of
from lve.messages import Usage
from lve.models.known import TABLE, known_model, price_of, shipped_table
from lve.workspace import ModelSettings, Settings


def test_lves_table_has_no_name_twice() -> None:
    names = [
        name
        for family in json.loads(TABLE.read_text())["families"]
        for model in family["models"]
        for name in model["names"]
    ]
    assert len(names) == len(set(names)) > 50


@pytest.mark.parametrize("name", sorted(shipped_table().by_name))
def test_every_entry_of_the_table_is_found_by_an_example_of_its_name(name: str) -> None:
    example = name.replace("*", "x").replace("?", "1")
    full = example if "/" in example else f"openai/{example}"
    assert known_model(full, Settings()) is shipped_table().by_name[name]


@pytest.mark.parametrize(
    ("name", "is_priced"),
    [
        ("openai/gpt-5-mini", True),
        ("openai/gpt-4o-mini", True),
        ("groq/openai/gpt-oss-20b", True),
        ("groq/gpt-5-mini", False),
        ("azure/gpt-5-mini", False),
        ("openai/tomorrow-1", False),
        ("dummy/dummy", False),
        ("replay", False),
    ],
)
def test_a_price_is_known_only_where_the_provider_asks_it(name: str, is_priced: bool) -> None:
    assert (price_of(name, Settings()) is not None) is is_priced
    assert price_of(name, Settings(), base_url="http://localhost:1/v1") is None
    entry = ModelSettings(provider=name.partition("/")[0], base_url="http://localhost:1/v1")
    assert price_of(name, Settings(models={name: entry})) is None


def test_a_price_is_not_known_where_the_environment_names_another_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    assert price_of("openai/gpt-5-mini", Settings()) is None


def test_cached_tokens_and_long_prompts_have_their_price() -> None:
    price = price_of("openai/gpt-5.4", Settings())
    assert price is not None
    assert cost_of(Usage(100_000, 0), price) == pytest.approx(0.25)
    assert cost_of(Usage(100_000, 0, 100_000), price) == pytest.approx(0.025)
    assert cost_of(Usage(300_000, 1_000_000), price) == pytest.approx(1.5 + 22.5)
