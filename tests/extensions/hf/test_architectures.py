"""Other architectures (positions, windows, states): batches give the numbers of single texts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from extensions.hf.tiny_model import make_tiny_model
from support.packages import needs

from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.models.registry import create_model
from lve.settings.settings import Settings

pytestmark = needs("torch", "transformers")


SMALL: dict[str, Any] = {
    "vocab_size": 512,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "initializer_range": 0.2,
    "bos_token_id": 0,
    "eos_token_id": 1,
}
WINDOW = {"sliding_window": 8, "head_dim": 8}
ARCHITECTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "learned positions": ("GPT2", {"vocab_size": 512, "n_embd": 32, "n_layer": 2, "n_head": 4}),
    "shifted positions": ("OPT", {**SMALL, "ffn_dim": 48, "word_embed_proj_dim": 32}),
    "no positions": ("Bloom", {"vocab_size": 512, "hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "sliding window": ("Mistral", {**SMALL, **WINDOW}),
    "some layers with a window": ("Gemma2", {**SMALL, **WINDOW, "pad_token_id": 0}),
    "rotary": ("Qwen2", SMALL),
    "recurrent": ("Mamba", {"vocab_size": 512, "hidden_size": 32, "num_hidden_layers": 2}),
}
SHOTS = "Question: What is two plus three? Answer: five\n" * 2
PROMPTS = [
    f"{SHOTS}Question: {question} Answer:{label}"
    for question in ("What is the capital of Italy, and what of France?", "Is it cold in April?")
    for label in (" Paris", " Rome and Italy", " five")
] + ["The"]


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_an_architecture(kind: str, tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path)
    import torch
    import transformers

    name, config = ARCHITECTURES[kind]
    torch.manual_seed(1)
    made = getattr(transformers, f"{name}Config")(**config)
    network = transformers.AutoModelForCausalLM.from_config(made).eval()
    network.save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    rated, continued = answers(folder)
    for prompt, one, other in zip(PROMPTS, rated, continued, strict=True):
        ids = tokenizer(prompt, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logprobs = network(ids).logits[0].float().log_softmax(-1)
            new = network.generate(
                ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=6,
                pad_token_id=0,
            )  # fmt: skip
        expected = logprobs[:-1].gather(1, ids[0, 1:, None])[:, 0].tolist()
        assert [value for _, value, _ in one.logprobs[1:]] == pytest.approx(expected, abs=1e-3)
        text = tokenizer.decode(new[0, ids.shape[1] :], skip_special_tokens=True)
        assert other.text == text


def answers(folder: Path) -> tuple[list[Completion], list[Completion]]:
    async def run() -> tuple[list[Completion], list[Completion]]:
        model = create_model(f"hf/{folder}", Settings())
        greedy = {"temperature": 0.0, "max_tokens": 6}
        try:
            rated = await asyncio.gather(
                *(model.complete(ChatRequest(prompt=p, score=True)) for p in PROMPTS)
            )
            continued = await asyncio.gather(
                *(model.complete(ChatRequest(prompt=p, args=greedy)) for p in PROMPTS)
            )
        finally:
            await model.aclose()
        return list(rated), list(continued)

    return asyncio.run(run())
