"""Translates a prompt object, with the engine's cache, retries and limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lve.execution.completer import Completer
from lve.execution.completions import redacted
from lve.messages import Completion
from lve.models.chat_model import ChatRequest
from lve.pipeline.engine import Engine
from lve.prompts.objects.prompt import Prompt
from lve.redaction import Redactor
from lve.run_options import RunOptions
from lve.spec.settings import load_workspace


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
        translator = _Translator(engine.models.completer(model), engine.models.redact)
        return await prompt.aadapt(language, translator, cache_dir)
    finally:
        await engine.close()


@dataclass(frozen=True, slots=True)
class _Translator:
    """Gets completions without secrets, because they are written to files."""

    completer: Completer
    redact: Redactor

    async def complete(self, request: ChatRequest) -> Completion:
        return redacted(await self.completer.complete(request), self.redact)
