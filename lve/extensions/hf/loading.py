"""Loads tokenizers and weights without running code from the model's folder: no remote code, no
pickled weights, no kernels; and nothing that the folder's files only claim to have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lve.data.hub_access import hub_access
from lve.errors import PermanentModelError
from lve.extensions.hf.model_files.checking import (
    TOKENIZER_FILES,
    WEIGHT_FILES,
    check_complete,
    check_files,
    check_size,
    unusable,
)
from lve.extensions.hf.model_files.files import ModelFiles
from lve.extensions.hf.model_files.model_rules import steps_problem
from lve.extensions.hf.sampling import HFOptions
from lve.extensions.hf.torch_types import Network, Tokenizer

_GENERATION = (
    *("bos_token_id", "eos_token_id", "pad_token_id", "repetition_penalty"),
    *("no_repeat_ngram_size", "bad_words_ids", "suppress_tokens", "begin_suppress_tokens"),
)


def load_tokenizer(files: ModelFiles) -> Tokenizer:
    """Return the tokenizer of a model.

    Raises:
        PermanentModelError: there is none, or it can't tell the offsets of tokens (kind `model`).
    """
    with hub_access(download=files.download):
        from transformers import AutoTokenizer

        check_files(files, TOKENIZER_FILES)
        tokenizer: Tokenizer = _load(AutoTokenizer.from_pretrained, files)
    problem = steps_problem(tokenizer)
    if problem is not None:
        raise unusable(files, problem)
    if not tokenizer.is_fast:
        raise PermanentModelError(
            f"{files.source} has only a slow tokenizer, which can't tell where its tokens stand "
            "in a text: it needs a tokenizer.json",
            kind="model",
        )
    return tokenizer


def load_network(files: ModelFiles, options: HFOptions) -> Network:
    """Return a causal language model on its device, in evaluation mode.

    Raises:
        PermanentModelError: it can't be loaded or moved to the device (kind `model`).
    """
    with hub_access(download=files.download):
        from transformers import AutoModelForCausalLM

        network = _on_device(AutoModelForCausalLM, files, options)
        network.generation_config = _harmless(network.generation_config)
        return network


def load_encoder(files: ModelFiles, options: HFOptions) -> Network:
    """Return a model without its language-modeling head, for embeddings.

    Raises:
        PermanentModelError: as `load_network`.
    """
    with hub_access(download=files.download):
        from transformers import AutoModel

        return _on_device(AutoModel, files, options)


def _on_device(kind: Any, files: ModelFiles, options: HFOptions) -> Network:
    device = _device(options.device)
    dtype = _dtype(options.dtype, device)
    check_files(files, WEIGHT_FILES)
    config = _load(_config, files)
    check_size(files, kind, config)
    network, report = _load(
        kind.from_pretrained,
        files,
        config=config,
        dtype=dtype,
        use_safetensors=True,
        output_loading_info=True,
    )
    check_complete(files, network, report)
    try:
        network.to(device)
    except (RuntimeError, AssertionError) as error:
        raise PermanentModelError(
            f"the device {options.device!r} can't be used: {_first_line(error)}", kind="model"
        ) from error
    evaluating: Network = network.eval()
    return evaluating


def _harmless(config: object) -> object:
    """Return the part of a model's generation config that only changes scores of tokens. The rest
    could multiply the work (beams), load code from the hub or compile."""
    from transformers import GenerationConfig

    return GenerationConfig(**{name: getattr(config, name, None) for name in _GENERATION})


def _config(source: str, **options: object) -> object:
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(source, **options)
    # A name of the form OWNER/NAME is a kernel: compiled code from the hub.
    config._attn_implementation = None
    if hasattr(config, "_experts_implementation"):
        config._experts_implementation = None
    return config


def _load(load: Callable[..., object], files: ModelFiles, **options: object) -> Any:
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        return load(
            files.source,
            revision=files.revision or "main",
            local_files_only=not files.download,
            trust_remote_code=False,
            **options,
        )
    # transformers and safetensors don't document what they raise for damaged files, and a panic of
    # tokenizers (Rust) is no Exception. Ctrl-C doesn't come here: this is no main thread.
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):  # in `lve render`, it is
            raise
        raise unusable(files, _first_line(error)) from error


def _device(setting: str) -> str:
    import torch

    if setting != "auto":
        return setting
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _dtype(setting: str, device: str) -> object:
    import torch

    if setting == "auto":
        # Half precision is slow on most CPUs.
        return torch.float32 if device == "cpu" else "auto"
    dtype = getattr(torch, setting, None)
    if not isinstance(dtype, torch.dtype):
        raise PermanentModelError(
            f"there is no dtype {setting!r}: write float32, bfloat16 or float16", kind="model"
        )
    return dtype


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
