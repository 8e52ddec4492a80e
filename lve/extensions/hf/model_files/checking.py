"""Checks a model's files before transformers loads them, and what it has loaded, whoever named it.

A downloaded folder isn't trusted, even if the user names it: `model_rules` says what its files may
say.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from lve.errors import PermanentModelError
from lve.escape import first_names
from lve.extensions.hf.model_files.files import ModelFiles
from lve.extensions.hf.model_files.model_rules import (
    ADAPTER,
    CONFIG,
    MAX_CONFIG_BYTES,
    TOKENIZER,
    problem_of,
    tokenizer_problem,
)
from lve.extensions.hf.torch_types import Network

TOKENIZER_FILES = (
    *(CONFIG, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", TOKENIZER),
)
"""The files that a tokenizer is loaded from, apart from older forms of its vocabulary."""
WEIGHT_FILES = (CONFIG, "generation_config.json", ADAPTER, "model.safetensors.index.json")
MAX_HEADER_BYTES = 20_000_000
"""Maximum size of a safetensors file's header, which lists its tensors."""
PARAMETERS_PER_BYTE = 8
"""Maximum number of parameters per byte of the weights: one bit for each."""
MAX_TENSORS = 200_000
"""Maximum number of tensors. The largest models have half of them; a billion, in a configuration of
a line, would be made for hours."""
MIN_PARAMETERS = 1_000_000
"""So many parameters are always loaded: a tiny model may tie most of them."""


def unusable(files: ModelFiles, why: str) -> PermanentModelError:
    """Return the error that a model can't be loaded (kind `model`)."""
    return PermanentModelError(f"the model {files.source} can't be loaded: {why}", kind="model")


def check_files(files: ModelFiles, names: Collection[str]) -> None:
    """Check what a model's JSON files say. Those that may be downloaded are.

    Raises:
        PermanentModelError: the model isn't loaded because of them (kind `model`).
    """
    for name in names:
        path = _path_of(files, name)
        if path is None:
            continue
        if name == TOKENIZER:
            with path.open("rb") as stream:
                problem = tokenizer_problem(name, stream)
        elif path.stat().st_size > MAX_CONFIG_BYTES:
            problem = f"`{name}` is larger than {MAX_CONFIG_BYTES // 1_000_000} MB"
        else:
            problem = problem_of(name, _content(path, files))
        if problem is not None:
            raise unusable(files, problem)


def check_size(files: ModelFiles, kind: Any, config: object) -> None:
    """Check that a model's weights can have as many parameters as its configuration describes, and
    that their headers are short. Otherwise loading it may take all memory or hours.

    Args:
        files: the model's files.
        kind: the class of transformers that makes the model, without weights here.
        config: its configuration.

    Raises:
        PermanentModelError: they can't (kind `model`).
    """
    import torch
    from torch.nn.modules.module import register_module_parameter_registration_hook

    sizes = []
    for path in _weights(files):
        with path.open("rb") as file:
            header = int.from_bytes(file.read(8), "little")
        if header > MAX_HEADER_BYTES:
            raise unusable(files, f"`{path.name}` has a header of {header:,} bytes")
        sizes.append(path.stat().st_size)
    if not sizes:  # not downloaded yet
        return
    hook = register_module_parameter_registration_hook(_Counted())
    try:
        with torch.device("meta"):
            network = kind.from_config(config, trust_remote_code=False)
    except _TooManyTensorsError:
        more = f"`{CONFIG}` describes more than {MAX_TENSORS:,} tensors"
        raise unusable(files, more) from None
    except Exception:  # `from_pretrained` says what is wrong
        return
    finally:
        hook.remove()
    parameters = sum(parameter.numel() for parameter in network.parameters())
    if parameters > max(MIN_PARAMETERS, PARAMETERS_PER_BYTE * sum(sizes)):
        raise unusable(
            files,
            f"`{CONFIG}` describes {parameters:,} parameters, its weights have "
            f"{sum(sizes):,} bytes",
        )


class _TooManyTensorsError(Exception):
    """A network has more tensors than any model."""


class _Counted:
    """Counts the parameters of a network while it is made in this thread, and stops it."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._count = 0

    def __call__(self, module: object, name: str, parameter: object) -> None:
        """Count a parameter."""
        del module, name, parameter
        if threading.get_ident() == self._thread:  # others may be loading, too
            self._count += 1
            if self._count > MAX_TENSORS:
                raise _TooManyTensorsError


def check_complete(
    files: ModelFiles, network: Network, report: Mapping[str, Collection[str]]
) -> None:
    """Check that the weights have all parameters of a model that generates: transformers makes up
    random numbers for missing ones.

    Args:
        files: the model's files.
        network: the loaded model.
        report: which transformers made while it loaded the model.

    Raises:
        PermanentModelError: some are missing (kind `model`).
    """
    missing = sorted(report.get("missing_keys") or ())
    if missing and network.can_generate():
        raise unusable(files, f"its weights lack {first_names(missing, 1)}")


def _path_of(files: ModelFiles, name: str) -> Path | None:
    """Return the path of a model's file; None if it has none of that name."""
    folder = Path(files.source)
    if folder.is_dir():
        path = folder / name
        return path if path.is_file() else None
    from transformers.utils import cached_file

    cached = cached_file(
        files.source,
        name,
        revision=files.revision or "main",
        local_files_only=not files.download,
        _raise_exceptions_for_missing_entries=False,
        _raise_exceptions_for_connection_errors=False,  # offline, for what isn't in the cache
    )
    return Path(cached) if cached else None


def _content(path: Path, files: ModelFiles) -> object:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError, OSError) as error:
        why = str(error).partition("\n")[0]
        raise unusable(files, f"`{path.name}` can't be read: {why}") from error


def _weights(files: ModelFiles) -> Iterator[Path]:
    config = _path_of(files, CONFIG)
    if config is not None:
        yield from (path for path in sorted(config.parent.glob("*.safetensors")) if path.is_file())
