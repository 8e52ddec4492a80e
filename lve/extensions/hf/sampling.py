"""Checks the model args of a request and the options of the settings. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.data_classes import dataclass
from lve.errors import PermanentModelError, SettingsError
from lve.suggest import did_you_mean

DEFAULT_MAX_TOKENS = 512
"""Default limit of an answer's tokens: base models rarely stop by themselves."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the tokens of an answer are chosen."""

    temperature: float = 1.0
    """0 always chooses the most likely token."""
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    max_tokens: int = DEFAULT_MAX_TOKENS
    stop: tuple[str, ...] = ()
    """The answer ends before the first of these."""
    seed: int | None = None


_NUMBERS: Mapping[str, tuple[type, float, float]] = {
    "temperature": (float, 0.0, 100.0),
    "top_p": (float, 0.0, 1.0),
    "top_k": (int, 1, 1 << 30),
    "min_p": (float, 0.0, 1.0),
    "repetition_penalty": (float, 0.01, 100.0),
    "max_tokens": (int, 1, 1 << 30),
    "max_completion_tokens": (int, 1, 1 << 30),
    "seed": (int, -(1 << 63), (1 << 63) - 1),
}
"""Name -> type, minimum, maximum."""
KNOWN = (*_NUMBERS, "stop")


def sampling(args: Mapping[str, object]) -> Sampling:
    """Return the sampling that a request's model args describe.

    Raises:
        PermanentModelError: an arg is unknown or invalid (kind `bad_request`).
    """
    fields: dict[str, Any] = {}
    for name, value in args.items():
        if value is None or (name == "n" and value == 1):
            continue
        if name in _NUMBERS:
            fields[name] = _number(name, value)
        elif name == "stop":
            fields[name] = _stop(value)
        elif name == "n":
            raise _refused("gives one answer to a request: leave `n` out, and set `repeats`")
        else:
            raise _refused(f"has no model arg {name!r}{_instead(name, KNOWN)}")
    # OpenAI's newer name of `max_tokens`.
    if "max_completion_tokens" in fields:
        fields["max_tokens"] = fields.pop("max_completion_tokens")
    return Sampling(**fields)


def _number(name: str, value: object) -> float | int:
    kind, least, most = _NUMBERS[name]
    allowed = (int,) if kind is int else (int, float)
    if isinstance(value, bool) or not isinstance(value, allowed) or not least <= value <= most:
        article = "a whole number" if kind is int else "a number"
        raise _refused(f"wants {article} from {least:g} to {most:g} as {name}, not {value!r}")
    return value


def _stop(value: object) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, (list, tuple)) or not all(isinstance(t, str) and t for t in texts):
        raise _refused(f"wants a text or a list of texts as stop, not {value!r}")
    return tuple(texts)


def _refused(what: str) -> PermanentModelError:
    return PermanentModelError(f"a local model {what}", kind="bad_request")


@dataclass(frozen=True, slots=True)
class HFOptions:
    """`options` of a local model in the settings."""

    device: str = "auto"
    """`cpu`, `cuda`, `cuda:1`, `mps`, ...; `auto`: an accelerator if there is one."""
    dtype: str = "auto"
    """`float32`, `bfloat16`, ...; `auto`: that of the weights, or float32 on a CPU."""
    batch_size: int = 32
    """Maximum number of texts in a batch."""
    batch_tokens: int = 16384
    """Maximum number of tokens in a batch, including padding; a longer text has its own batch."""
    revision: str | None = None
    """A commit, branch or tag on the hub."""
    pooling: str = "mean"
    """How the tokens' vectors become an embedding: their `mean`, the first (`cls`), the `last`."""


def hf_options(options: Mapping[str, Any], model: str) -> HFOptions:
    """Return the options of a model after validating them.

    Raises:
        SettingsError: an option is unknown or invalid.
    """
    defaults = HFOptions()
    names = HFOptions.__slots__
    for name, value in options.items():
        if name not in names:
            raise SettingsError(
                f"model {model!r}: hf has no option {name!r}{_instead(name, tuple(names))}",
                code="model_options",
            )
        is_count = isinstance(getattr(defaults, name), int)
        if is_count and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise SettingsError(
                f"model {model!r}: {name} is a number from 1, not {value!r}", code="model_options"
            )
        if not is_count and not isinstance(value, str):
            raise SettingsError(
                f"model {model!r}: {name} is a text, not {value!r}", code="model_options"
            )
    if options.get("pooling", "mean") not in ("mean", "cls", "last"):
        raise SettingsError(f"model {model!r}: pooling is mean, cls or last", code="model_options")
    return HFOptions(**options)


def _instead(name: str, options: tuple[str, ...]) -> str:
    hint = did_you_mean(name, options)
    return f": {hint}" if hint else f"; it has {', '.join(options)}"
