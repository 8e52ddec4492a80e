"""The table of known models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lve.execution.budgets.cost import cost_of
from lve.messages import Usage
from lve.models.known_models import batch_price_of, known_model, price_of
from lve.models.known_tables import TABLE, shipped_table
from lve.settings.model_settings import LongPrompts, ModelSettings, Price
from lve.settings.settings import Settings


def test_lves_table_has_no_name_twice() -> None:
    names = [
        name
        for family in json.loads(TABLE.read_text())["families"]
        for model in family["models"]
        for name in model["names"]
    ]
    assert len(names) == len(set(names)) > 50


def test_every_entry_of_the_table_is_found_by_an_example_of_its_name() -> None:
    table = shipped_table().by_name
    for name in table:
        example = name.replace("*", "x").replace("?", "1")
        full = example if "/" in example else f"openai/{example}"
        assert known_model(full, Settings()) is table[name], name


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


def test_capitals_in_a_workspaces_table_dont_matter(tmp_path: Path) -> None:
    model = {"names": ["Qwen3-*", "vllm/Org/One"], "context": 9}
    family = {"name": "f", "date": "2026-01-01", "sources": ["https://x.y"], "models": [model]}
    table = {"version": 1, "date": "2026-01-01", "families": [family]}
    (tmp_path / "lve.models.json").write_text(json.dumps(table))
    settings = Settings(known_models=tmp_path / "lve.models.json")
    for name in ("vllm/Qwen/Qwen3-0.6B", "vllm/org/One"):
        known = known_model(name, settings)
        assert known is not None
        assert known.context == 9


def test_a_batch_costs_half_of_every_price_but_of_those_in_the_settings() -> None:
    price = batch_price_of("openai/gpt-5.4", Settings())
    assert price is not None
    assert (price.input, price.output, price.cached_input) == (1.25, 7.5, 0.125)
    assert price.long_prompts == LongPrompts(272_000, 2.5, 11.25, 0.25)
    own = ModelSettings(price=Price(3.0, 4.0))
    given = Settings(models={"openai/gpt-5.4": own})
    assert batch_price_of("openai/gpt-5.4", given) == own.price
    assert batch_price_of("xai/grok-4.5", Settings()) == price_of("xai/grok-4.5", Settings())
    assert batch_price_of("openai/tomorrow-1", Settings()) is None


def test_cached_tokens_and_long_prompts_have_their_price() -> None:
    price = price_of("openai/gpt-5.4", Settings())
    assert price is not None
    assert cost_of(Usage(100_000, 0), price) == pytest.approx(0.25)
    assert cost_of(Usage(100_000, 0, 100_000), price) == pytest.approx(0.025)
    assert cost_of(Usage(300_000, 1_000_000), price) == pytest.approx(1.5 + 22.5)
