"""Translates prompt objects with the cache, retries and limits of a run: `lve.adapt`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lve.api import same_arguments, wait_for
from lve.data_classes import dataclass
from lve.execution.completer import Completer
from lve.execution.completions import redacted
from lve.extensions.ragas.saved_prompt import Prompt
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.options.run_options import RunOptions
from lve.pipeline.caller_warnings import warn_caller
from lve.pipeline.engine import Engine
from lve.spec.settings_file import load_workspace


async def adapt_prompt(
    prompt: Prompt,
    language: str,
    model: str,
    *,
    base_url: str | None = None,
    cache_dir: Path | None = None,
    warn: Callable[[str], None],
) -> Prompt:
    """Translate a prompt's examples, save the result and return it.

    Args:
        prompt: the prompt, which gets the language and the translated examples.
        language: a name that the model understands, such as `german`.
        model: a model's name, as for `lve run`, with the settings of the current folder.
        base_url: the model's server, if it isn't the provider's own.
        cache_dir: where prompts are saved, as in `Prompt.save`.
        warn: called with each warning.

    Raises:
        AdaptError: the model gave no usable answer, however often it was asked.
        ModelError: the model could not be reached.
        UnknownModelError: there is no such model, or its key or endpoint is missing.
    """
    options = RunOptions(models=(model,), base_url=base_url, keep=False)
    engine = Engine(load_workspace(Path.cwd()), options, warn=warn)
    try:
        translator = _Translator(engine.models.completer(model))
        return await prompt.aadapt(language, translator, cache_dir)
    finally:
        await engine.close()


async def aadapt(
    prompt: Prompt,
    language: str,
    model: str,
    *,
    base_url: str | None = None,
    cache_dir: str | Path | None = None,
) -> Prompt:
    """Do what `adapt` does, inside a running event loop."""
    folder = None if cache_dir is None else Path(cache_dir)
    return await adapt_prompt(
        prompt, language, model, base_url=base_url, cache_dir=folder, warn=warn_caller
    )


@same_arguments(aadapt)
def adapt(*args: object, **options: object) -> Prompt:
    """Translate a prompt's examples with a model, save the result and return it.

    The model is asked with the cache, retries and limits of `lve.run`.

    Args:
        prompt: the prompt; its language and examples are replaced.
        language: the target language, as the model understands it, such as `german`.
        model: the name of a model, as for `lve run`.
        base_url: the model's server, if it isn't the provider's own.
        cache_dir: the folder for saved prompts, as in `Prompt.save`.

    Raises:
        AdaptError: no attempt gave a usable translation.
        ModelError: the model could not be reached.
        UnknownModelError: there is no such model, or its key or endpoint is missing.
    """
    return wait_for(aadapt, "adapt", args, options)


@dataclass(frozen=True, slots=True)
class _Translator:
    """Gets completions without secrets, because they are written to files."""

    completer: Completer

    async def complete(self, request: ChatRequest) -> Completion:
        return redacted(await self.completer.complete(request))
