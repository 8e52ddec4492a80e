"""The tiny model's weights as a GGUF file, in full precision, for llama.cpp."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""Part of a layer: in transformers, in GGUF."""


def write_gguf(model: Path, file: Path) -> Path:
    """Write the model of a folder (`make_tiny_model`) as a GGUF file and return the file."""
    gguf = pytest.importorskip("gguf", reason="needs the extra dev-models: gguf is missing")
    from safetensors.torch import load_file

    config = json.loads((model / "config.json").read_text())
    writer = gguf.GGUFWriter(file, "llama")
    _write_shape(writer, config, gguf)
    _write_tokenizer(writer, model, gguf)
    for name, tensor in load_file(model / "model.safetensors").items():
        writer.add_tensor(_name(name), _weights(name, tensor, config).float().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def _write_shape(writer: Any, config: dict[str, Any], gguf: Any) -> None:
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(config["hidden_size"] // config["num_attention_heads"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])


def _write_tokenizer(writer: Any, model: Path, gguf: Any) -> None:
    stored = json.loads((model / "tokenizer.json").read_text())
    ids: dict[str, int] = stored["model"]["vocab"]
    special = {token["content"] for token in stored["added_tokens"]}
    tokens = sorted(ids, key=lambda token: ids[token])
    kinds = [gguf.TokenType.CONTROL if t in special else gguf.TokenType.NORMAL for t in tokens]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges([" ".join(pair) for pair in stored["model"]["merges"]])
    settings = json.loads((model / "tokenizer_config.json").read_text())
    writer.add_bos_token_id(ids[settings["bos_token"]])
    writer.add_eos_token_id(ids[settings["eos_token"]])
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_chat_template((model / "chat_template.jinja").read_text())


def _name(name: str) -> str:
    whole = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    stem = name.removesuffix(".weight")
    if stem in whole:
        return f"{whole[stem]}.weight"
    _, _, layer, part = stem.split(".", 3)
    return f"blk.{layer}.{NAMES[part]}.weight"


def _weights(name: str, tensor: Any, config: dict[str, Any]) -> Any:
    """Return a tensor as llama.cpp wants it: it rotates neighbours, transformers rotates halves."""
    heads = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"}
    kind = name.split(".")[-2]
    if kind not in heads:
        return tensor
    rows, columns = tensor.shape
    split = tensor.reshape(config[heads[kind]], 2, -1, columns)
    return split.transpose(1, 2).reshape(rows, columns).contiguous()
