"""Runs the vectors of prompt objects (ragas 0.1) against the real implementation."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lve.errors import LveError
from lve.extensions.ragas.saved_prompt import Prompt
from lve.prompts.plan import build_plan
from lve.spec.load import load_spec
from lve.spec.spec import Instance

PROFILES = ("0.1.0", "0.1.22", "any")
"""Which recorded behaviours the implementation claims."""

CACHE_VARIABLES = ("LVE_CACHE_HOME", "RAGAS_CACHE_HOME", "XDG_CACHE_HOME")


def actual(vector: Mapping[str, Any], workdir: Path) -> dict[str, Any]:
    """Do what `vector["input"]` says in the fresh folder `workdir`, as current folder.

    Returns:
        `{"ok": true, ...}` with the keys that the operation has, or `{"ok": false, "error": ...}`.
    """
    given = of_profile(vector)
    with in_folder(workdir, given.get("env", {})):
        for name, text in given.get("files", {}).items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        try:
            return {"ok": True, **OPERATIONS[given["op"]](given)}
        except LveError as error:
            return {"ok": False, "error": described(error)}


def of_profile(vector: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the input of a vector, with the version that its profile stands for."""
    given = vector["input"]
    if vector["profile"] == "any" or "prompt" not in given:
        return given
    return {**given, "prompt": {**given["prompt"], "version": vector["profile"]}}


def described(error: Exception) -> dict[str, Any]:
    """Say what an exception is."""
    bases = [base.__name__ for base in type(error).__mro__[1:]]
    return {"class": type(error).__name__, "bases": bases, "message": str(error)}


@contextmanager
def in_folder(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Work in a folder, with only the given variables of those that name caches."""
    folder = folder.resolve()
    before, variables = Path.cwd(), dict(os.environ)
    os.chdir(folder)
    for name in CACHE_VARIABLES:
        os.environ.pop(name, None)
    for name, value in environment.items():
        os.environ[name] = value.replace("<ROOT>", str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(variables)


def construct(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"fields": Prompt(**given["prompt"]).to_dict()}


def to_string(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"string": Prompt(**given["prompt"]).to_string()}


def get_example_str(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"string": Prompt(**given["prompt"]).get_example_str(given["index"])}


def format_(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"string": Prompt(**given["prompt"]).format(**given["kwargs"]).to_string()}


def sent(given: Mapping[str, Any], folder: Path) -> str:
    """Return what `lve run` sends for a prompt and its values: the text of the one message."""
    document = {
        "description": "a vector",
        "model": "dummy",
        "prompt_object": given["prompt"],
        "checker_args": {"checker_name": "ExactMatchChecker", "answer": "x"},
    }
    (folder / "test.json").write_text(json.dumps(document), encoding="utf-8")
    plan = build_plan(load_spec(folder, root=folder))
    values = given["kwargs"]
    instance = Instance(values, values, {}, "vector", 1)
    [conversation] = plan.preview(instance)
    question, _ = conversation.messages
    return str(question.content)


def save(given: Mapping[str, Any]) -> dict[str, Any]:
    Prompt(**given["prompt"]).save(given["cache_dir"])
    return {"files": {name: Path(name).read_bytes().decode("utf-8") for name in files()}}


def load(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"fields": Prompt._load(given["language"], given["name"], given["cache_dir"]).to_dict()}


def save_load(given: Mapping[str, Any]) -> dict[str, Any]:
    prompt = Prompt(**given["prompt"])
    prompt.save(given["cache_dir"])
    loaded = Prompt._load(prompt.language, prompt.name, given["cache_dir"])
    return {"files": files(), "fields": loaded.to_dict(), "equal": loaded == prompt}


def adapt_no_llm(given: Mapping[str, Any]) -> dict[str, Any]:
    prompt = Prompt(**given["prompt"])
    returned = prompt.adapt(given["language"], None, given["cache_dir"])
    return {
        "returned_is_self": returned is prompt,
        "returned": returned.to_dict(),
        "self_after": prompt.to_dict(),
        "files": files(),
    }


def files() -> list[str]:
    """Every file below the current folder."""
    return sorted(path.as_posix() for path in Path().rglob("*") if path.is_file())


OPERATIONS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "construct": construct,
    "to_string": to_string,
    "get_example_str": get_example_str,
    "format": format_,
    "save": save,
    "load": load,
    "save_load": save_load,
    "adapt_no_llm": adapt_no_llm,
}
