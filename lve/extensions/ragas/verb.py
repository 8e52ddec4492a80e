"""`lve prompt`: lists, shows, saves and translates prompt objects."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lve.cli.printing import Note, View, print_error, print_line, print_message, print_text
from lve.cli.shared_options import parameters_option, shows
from lve.errors import PromptObjectError
from lve.escape import listed
from lve.extensions.ragas.saved_prompt import (
    prompt_folder,
    prompt_path,
    read_prompt,
    read_saved,
    saved_prompts,
)
from lve.plurals import amount

if TYPE_CHECKING:
    from lve.extensions.ragas.saved_prompt import Prompt


@click.group()
def prompt() -> None:
    """List, show, save and translate prompt objects.

    lve keeps them in `$LVE_CACHE_HOME`, `$RAGAS_CACHE_HOME` or `~/.cache/ragas`, one JSON file per
    language and name. PROMPT is the name of a saved prompt, or a JSON file.

    \b
    lve prompt save prompts/river.json
    lve prompt show river -p river=Nile
    lve prompt adapt river german --model openai/gpt-6-luna
    """


cache_dir_option = click.option(
    "--cache-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder of saved prompts.",
)
language_option = click.option(
    "--language",
    default="english",
    show_default=True,
    metavar="LANGUAGE",
    help="Language of the saved prompt.",
)


@prompt.command("list")
@cache_dir_option
@shows
def list_prompts(cache_dir: Path | None) -> View:
    """List the saved prompts. Reports other files on stderr."""
    prompts = []
    for path in saved_prompts(cache_dir):
        try:
            prompts.append((path, _read(path)))
        except PromptObjectError as error:
            print_error(error)
    return View(
        lambda: [_described(each, path) for path, each in prompts],
        [_line(each, path) for path, each in prompts]
        or [Note(f"no prompts are saved in {prompt_folder(cache_dir)}")],
    )


@prompt.command()
@click.argument("name", metavar="PROMPT")
@language_option
@cache_dir_option
@parameters_option
@shows
def show(name: str, language: str, cache_dir: Path | None, parameters: Mapping[str, str]) -> View:
    """Show the text of a prompt, filled in if `-p` gives all inputs."""
    saved_prompt = _find(name, language, cache_dir)
    text = saved_prompt.format(**parameters).to_string() if parameters else saved_prompt.to_string()
    document = {**_described(saved_prompt, None), **saved_prompt.to_dict(), "text": text}
    return View(lambda: document, [text], write=partial(print_text, newline=False))


@prompt.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@cache_dir_option
@click.option("--overwrite", is_flag=True, help="Replace a different prompt of the same name.")
def save(file: Path, cache_dir: Path | None, overwrite: bool) -> None:
    """Check and save the prompt in a JSON FILE, by language and name."""
    print_line(_read(file).save(cache_dir, overwrite=overwrite))


@prompt.command()
@click.argument("name", metavar="PROMPT")
@click.argument("to", metavar="LANGUAGE")
@click.option("--model", required=True, metavar="MODEL", help="The model that translates.")
@click.option("--base-url", metavar="URL", help="Its server, if it isn't the provider's own.")
@language_option
@cache_dir_option
def adapt(
    name: str,
    to: str,
    model: str,
    base_url: str | None,
    language: str,
    cache_dir: Path | None,
) -> None:
    """Translate the examples of a prompt into a LANGUAGE.

    Saves the result, and loads an earlier one instead of asking again. Exit code 3: the model could
    not be reached, or none of its answers could be used.
    """
    import asyncio

    from lve.extensions.ragas.adapting import adapt_prompt

    saved_prompt = _find(name, language, cache_dir)
    adapted = asyncio.run(
        adapt_prompt(
            saved_prompt, to, model, base_url=base_url, cache_dir=cache_dir, warn=print_message
        )
    )
    print_line(prompt_path(adapted.language, adapted.name, cache_dir))


def _find(name: str, language: str, cache_dir: Path | None) -> Prompt:
    if name.endswith(".json"):
        return _read(Path(name))
    saved_prompt = read_saved(language, name, cache_dir)
    _warn_of_unused(saved_prompt, name)
    return saved_prompt


def _read(path: Path) -> Prompt:
    saved_prompt = read_prompt(path)
    _warn_of_unused(saved_prompt, path)
    return saved_prompt


def _warn_of_unused(saved_prompt: Prompt, where: object) -> None:
    if saved_prompt.unused:
        print_message(
            f"warning: {where}: {listed(saved_prompt.unused)}: without effect on the prompt"
        )


def _described(saved_prompt: Prompt, path: Path | None) -> dict[str, object]:
    return {
        "name": saved_prompt.name,
        "language": saved_prompt.language,
        "path": None if path is None else str(path),
        "input_keys": saved_prompt.input_keys,
        "output_key": saved_prompt.output_key,
        "output_type": saved_prompt.output_type,
        "examples": len(saved_prompt.examples),
        "content_hash": saved_prompt.content_hash,
    }


def _line(saved_prompt: Prompt, path: Path) -> str:
    keys = ", ".join(saved_prompt.input_keys)
    examples = amount(len(saved_prompt.examples), "example")
    name = f"{saved_prompt.language}/{saved_prompt.name}"
    return f"{name}  ({keys}) -> {saved_prompt.output_key}, {examples}  {path}"
