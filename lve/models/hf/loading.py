"""Loads tokenizers and weights without running code from the model's folder: no remote code, no
pickled weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lve.errors import PermanentModelError
from lve.hub.hub_access import hub_access
from lve.models.hf.files import ModelFiles
from lve.models.hf.sampling import HFOptions


def load_tokenizer(files: ModelFiles) -> Any:
    """Return the tokenizer of a model.

    Raises:
        PermanentModelError: there is none, or it can't tell the offsets of tokens (kind `model`).
    """
    with hub_access(download=files.download):
        from transformers import AutoTokenizer

        tokenizer = _load(AutoTokenizer.from_pretrained, files)
    if not tokenizer.is_fast:
        raise PermanentModelError(
            f"{files.source} has only a slow tokenizer, which can't tell where its tokens stand "
            "in a text: it needs a tokenizer.json",
            kind="model",
        )
    return tokenizer


def load_network(files: ModelFiles, options: HFOptions) -> Any:
    """Return a causal language model on its device, in evaluation mode.

    Raises:
        PermanentModelError: it can't be loaded or moved to the device (kind `model`).
    """
    with hub_access(download=files.download):
        from transformers import AutoModelForCausalLM

        return _on_device(AutoModelForCausalLM, files, options)


def load_encoder(files: ModelFiles, options: HFOptions) -> Any:
    """Return a model without its language-modeling head, for embeddings.

    Raises:
        PermanentModelError: as `load_network`.
    """
    with hub_access(download=files.download):
        from transformers import AutoModel

        return _on_device(AutoModel, files, options)


def _on_device(kind: Any, files: ModelFiles, options: HFOptions) -> Any:
    device = _device(options.device)
    dtype = _dtype(options.dtype, device)
    network = _load(kind.from_pretrained, files, dtype=dtype, use_safetensors=True)
    try:
        network.to(device)
    except (RuntimeError, AssertionError) as error:
        raise PermanentModelError(
            f"the device {options.device!r} can't be used: {_first_line(error)}", kind="model"
        ) from error
    return network.eval()


def _load(load: Callable[..., Any], files: ModelFiles, **options: Any) -> Any:
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
    # transformers and safetensors don't document what they raise for damaged files.
    except Exception as error:
        raise PermanentModelError(
            f"the model {files.source} can't be loaded: {_first_line(error)}", kind="model"
        ) from error


def _device(wanted: str) -> str:
    import torch

    if wanted != "auto":
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _dtype(wanted: str, device: str) -> Any:
    import torch

    if wanted == "auto":
        # Half precision is slow on most CPUs.
        return torch.float32 if device == "cpu" else "auto"
    found = getattr(torch, wanted, None)
    if not isinstance(found, torch.dtype):
        raise PermanentModelError(
            f"there is no dtype {wanted!r}: write float32, bfloat16 or float16", kind="model"
        )
    return found


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
