"""The cache's argument is called as the network's `forward` calls it."""

from __future__ import annotations

from typing import Any

import pytest
from support.packages import needs

from lve.extensions.hf.scoring import PromptScorer, cache_name

pytestmark = needs("torch")

BEGINNING = [1, 2, 3, 4, 5, 6, 7, 8] * 8
PROMPTS = [[*BEGINNING, *end] for end in ([9, 10], [9, 11, 12], [13])]


class Renamed:
    """A network whose code has the one name or the other, around a real one."""

    def __init__(self, network: Any, name: str) -> None:
        self.config, self.device = network.config, network.device
        self._network, self._own = network, cache_name(network)
        self.name, self.caches = name, 0

    def __call__(self, **given: Any) -> Any:
        past = given.pop(self.name)
        self.caches += past is not None
        output = self._network(**given, **{self._own: past})
        return type(
            "Output", (), {"logits": output.logits, self.name: getattr(output, self._own)}
        )()


class Old(Renamed):
    def forward(self, input_ids: Any, past_key_values: Any = None) -> None: ...


class New(Renamed):
    def forward(self, input_ids: Any, cache: Any = None) -> None: ...


@pytest.fixture
def network() -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=16,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
    )
    return LlamaForCausalLM(config).eval()


@pytest.mark.parametrize(("kind", "name"), [(Old, "past_key_values"), (New, "cache")])
def test_a_cache_goes_on_under_the_networks_own_name(
    kind: type[Renamed], name: str, network: Any
) -> None:
    renamed = kind(network, name)
    assert cache_name(renamed) == name
    found = scored(renamed)
    for here, plain in zip(found, scored(network), strict=True):
        assert here == pytest.approx(plain, abs=1e-6)
    assert renamed.caches, "the common beginning was not kept"


def scored(network: Any) -> list[list[float]]:
    import torch

    with torch.inference_mode():
        return PromptScorer(network, batch_tokens=1000).logprobs(PROMPTS)
